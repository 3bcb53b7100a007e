// Models that the configuration names and only a wildcard entry takes: each becomes a model like those with an entry, so
// that aliases, fallbacks, rate limits and prices find it, and the known limits of its name hold.
import { isWildcard, takesName } from "../../../model/model-names.ts";
import { knownProvider } from "../../../model/model.ts";
import { usualModelOf } from "../../providers/starters.ts";
import type { Path } from "../../report/problem.ts";
import { placesOf } from "../places.ts";
import type { Load } from "../section.ts";
import type { PlacedTarget } from "./entry-names.ts";

/** Where the configuration names models; of `pricing` the keys do. */
const REFERENCES = [
  ["model_aliases", "*", "target"],
  ["model_aliases", "*", "targets", "*", "model"],
  ["model_aliases", "*", "fallbacks", "*"],
  ["llm_providers", "*", "fallbacks", "*"],
  ["model_providers", "*", "fallbacks", "*"],
  ["ratelimits", "*", "model"],
  ["model_server", "provider"],
];
const KEYS = [["pricing", "*"]];

/** Returns the models that have no entry, each once with the wildcard that takes it: the one with the longest prefix. */
export function referredModels({
  reading,
  placed,
}: Pick<Load, "reading" | "placed">): { model: string; wildcard: PlacedTarget }[] {
  const known = new Set(placed.map(({ target }) => target.name));
  const written = reading.document.value;
  const names = [
    ...REFERENCES.flatMap((pattern) => placesOf(written, pattern).map(({ found }) => found)),
    ...KEYS.flatMap((pattern) => placesOf(written, pattern).map(({ path }) => path.at(-1))),
  ];
  return [...new Set(names)].flatMap((model) => {
    if (typeof model !== "string" || isWildcard(model) || known.has(model)) return [];
    if (placed.some(({ target }) => target.model === model || target.configuredName === model))
      return [];
    const wildcard = takerOf(model, placed);
    if (wildcard !== undefined) return [{ model, wildcard }];
    const ofVendor = placed.find(({ target }) =>
      target.wildcard?.bare.some((beginning) => model.startsWith(beginning)),
    );
    if (ofVendor === undefined) return [];
    return [{ model: `${ofVendor.target.provider}/${model}`, wildcard: ofVendor }];
  });
}

function takerOf(model: string, placed: readonly PlacedTarget[]): PlacedTarget | undefined {
  return placed
    .filter(({ target }) => takesName(target, model))
    .sort((one, other) => other.target.name.length - one.target.name.length)[0];
}

/** Returns the model that a default wildcard stands for in `model: none`; undefined after reporting a problem. */
export function defaultModelOf(
  { reading }: Pick<Load, "reading">,
  { path, target }: PlacedTarget,
): string | undefined {
  const prefix = target.name.slice(0, -1);
  const usual = `${target.provider}/${usualModelOf(knownProvider(target)) ?? ""}`;
  if (usual.startsWith(prefix) && usual !== prefix) return usual;
  reading.problem(
    at(path),
    `${target.name} names no model for requests without one (model: none)`,
    {
      hint: "add an entry for one model with default: true",
    },
  );
  return undefined;
}

function at(path: Path): Path {
  return [...path, "model"];
}
