// `model_aliases`: each stands for one configured model or several, and takes no other name away.
import type { z } from "zod";
import { clientNames, isWildcard } from "../../../model/model-names.ts";
import type { Alias, Target, TargetSet } from "../../../model/model.ts";
import { affinityKey } from "../affinity-key.ts";
import { findModel, findModels } from "../configured-model.ts";
import type { ModelNames } from "../configured-model.ts";
import type { Path } from "../../report/problem.ts";
import { checkName } from "../name-rules.ts";
import { refuseSharedClientKeys } from "../provider/passthrough-auth.ts";
import type { PlacedTarget } from "../provider/entry-names.ts";
import type { ProviderDraft } from "../provider/entry.ts";
import type { Reading } from "../reading.ts";
import { list, mapping, named, oneOf, text, whole } from "../schema-words.ts";
import { llmProviders, modelProviders } from "./llm-providers.ts";
import { type RetryDraft, retryKeys } from "../retry-keys.ts";
import { readRetry, retry } from "./retry.ts";
import { type Draft, type Load, section } from "../section.ts";

const alias = mapping(
  {
    target: text(
      "The configured model that the alias stands for: `<provider>/<model>`, its `name`, or its bare model name.",
      "the name of a configured model",
    ).optional(),
    targets: list(
      mapping(
        {
          model: text("A configured model.", "the name of a configured model"),
          weight: whole(0, 1000, {
            description: "Share of the requests that go to this model first; 0 means no request.",
            default: 1,
          }).optional(),
        },
        "One of several models.",
      ),
      "Several models instead of `target`, which share the requests by weight. When one fails, the others are tried in this order.",
    ).optional(),
    fallbacks: list(
      text("A configured model.", "the name of a configured model"),
      "Models to try, in this order, when all targets fail. If not set, the fallbacks of the target.",
    ).optional(),
    affinity: affinityKey.optional(),
    balance: oneOf(["weight", "latency", "load", "cost"], {
      description:
        "What decides which of several `targets` is tried first: `weight`, their shares alone; `latency`, the time to the first token and for each token; `load`, the requests that are open; `cost`, the price of the request. A session stays where it was placed ([more](fallbacks.md#balancing)).",
      default: "weight",
    }).optional(),
    retry: retryKeys.optional(),
  },
  "One alias.",
);

const schema = named(
  alias,
  "Alternative names for configured models: `fast: {target: openai/gpt-4o-mini}`. A name is matched exactly, or with `*` at the end by its beginning: `claude-*`; exact names and longer beginnings win. An alias cannot stand for another alias.",
);

type AliasDraft = Draft<z.output<typeof alias>>;
type AliasDrafts = Draft<z.output<typeof schema>>;

export const modelAliases = section({
  key: "model_aliases",
  schema,
  read(load, drafts = {}) {
    const { aliases, targetSets } = readFailover(load, drafts);
    refuseSharedClientKeys(load.reading, targetSets, load.placed);
    return { aliases, ...(targetSets.length === 0 ? {} : { targetSets }) };
  },
});

/** What the models of an alias do themselves when they fail. */
interface OwnFailover {
  /** By model: indices of its fallbacks. */
  fallbacks: readonly (readonly number[])[];
  /** By model. */
  retries: readonly RetryDraft[];
  /** Of the top level. */
  retry: RetryDraft;
}

interface Aliases {
  /** Those that stand for one model, and for all that the model's own names mean. */
  aliases: Alias[];
  /** All other aliases. */
  sets: (TargetSet & { name: string })[];
}

function readAliases(
  reading: Reading,
  drafts: AliasDrafts,
  placed: readonly PlacedTarget[],
  models: ModelNames,
  own: OwnFailover,
): Aliases {
  const result: Aliases = { aliases: [], sets: [] };
  for (const [name, alias] of Object.entries(drafts)) {
    const path = ["model_aliases", name];
    const safe = checkAlias(reading, path, name);
    if (alias === undefined) continue;
    const weighted = readTargets(reading, path, alias, models);
    if (weighted === undefined) continue;
    refuseTakenName(reading, path, name, weighted.targets, { placed, models });
    const [target] = weighted.targets;
    const balance = balanceOf(reading, path, alias, weighted.weights);
    const fallbacks =
      alias.fallbacks === undefined
        ? undefined
        : findModels(reading, [...path, "fallbacks"], alias.fallbacks, models, weighted.targets);
    if (safe === undefined || target === undefined) continue;
    if (
      weighted.targets.length === 1 &&
      fallbacks === undefined &&
      alias.retry === undefined &&
      alias.affinity === undefined
    ) {
      result.aliases.push({ name: safe, target });
      continue;
    }
    const inherited = weighted.targets.flatMap((index) => own.fallbacks[index] ?? []);
    result.sets.push({
      name: safe,
      targets: [...new Set([...weighted.targets, ...(fallbacks ?? inherited)])],
      ...(weighted.targets.length > 1 ? { weights: weighted.weights } : {}),
      ...affinityOf(alias),
      ...balance,
      retry: readRetry(alias.retry, own.retries[target], own.retry),
    });
  }
  return result;
}

/** Returns a name, or a beginning of names that ends in `*`; undefined for any other text, after reporting a problem. */
function checkAlias(reading: Reading, path: Path, name: string): string | undefined {
  const beginning = isWildcard(name) ? name.slice(0, -1) : name;
  if (beginning !== "") return checkName(reading, path, beginning, "key") && name;
  const message = "an alias for every name would hide spelling mistakes";
  reading.problem(path, message, { hint: "write how the names begin: claude-*", part: "key" });
  return undefined;
}

/** The models of `target` or `targets`; undefined when neither is there. */
function readTargets(
  reading: Reading,
  path: Path,
  alias: AliasDraft,
  models: ModelNames,
): { targets: number[]; weights: number[] } | undefined {
  const { target: written, targets: list } = alias;
  if (written !== undefined && list !== undefined) {
    reading.problem([...path, "targets"], "target and targets are both given; expected one", {
      part: "key",
    });
  }
  if (written !== undefined) {
    const target = findModel(reading, [...path, "target"], written, models);
    return { targets: target === undefined ? [] : [target], weights: [1] };
  }
  if (list !== undefined) return readShares(reading, [...path, "targets"], list, models);
  const wasGiven = ["target", "targets"].some((key) => Object.hasOwn(alias, key));
  if (!wasGiven) {
    reading.problem(path, "target is missing; expected the name of a configured model", {
      part: "key",
    });
  }
  return undefined;
}

function readShares(
  reading: Reading,
  path: Path,
  list: NonNullable<AliasDraft["targets"]>,
  models: ModelNames,
): { targets: number[]; weights: number[] } {
  const targets: number[] = [];
  const weights: number[] = [];
  if (list.length === 0)
    reading.problem(path, "the list is empty; expected a model", { part: "key" });
  list.forEach((share, index) => {
    if (share?.model === undefined) return;
    const at = [...path, index, "model"];
    const target = findModel(reading, at, share.model, models);
    if (target === undefined) return;
    if (targets.includes(target)) {
      reading.problem(at, "this model is already in the list", { hint: "leave it out" });
      return;
    }
    targets.push(target);
    weights.push(share.weight ?? 1);
  });
  if (list.length > 0 && list.every((share) => share?.weight === 0)) {
    reading.problem(path, "all weights are 0; expected one model at least that gets requests", {
      part: "key",
    });
  }
  return { targets, weights };
}

/** An alias may take the bare name of a model that it stands for. */
function refuseTakenName(
  reading: Reading,
  path: Path,
  name: string,
  targets: readonly number[],
  { placed, models }: { placed: readonly PlacedTarget[]; models: ModelNames },
): void {
  const meaning = models.names.get(name);
  if (meaning === undefined || targets.includes(meaning)) return;
  const model = placed[meaning]?.target.name ?? name;
  reading.problem(path, `this alias already is a name of the model ${model}`, { part: "key" });
}

interface Failover {
  aliases: Alias[];
  targetSets: TargetSet[];
}

function readFailover(load: Load, drafts: AliasDrafts): Failover {
  const { reading, placed, part } = load;
  const { defaultTarget = 0 } = load.model;
  const targets = placed.map(({ target }) => target);
  const known = clientNames({ targets, aliases: [], defaultTarget });
  const models: ModelNames = {
    targets,
    names: new Map(known.map(({ name, target }) => [name, target])),
    aliases: new Map(
      Object.entries(drafts).map(([name, alias]) => [
        name,
        alias?.target ?? alias?.targets?.[0]?.model,
      ]),
    ),
  };
  const lists: Record<string, readonly (ProviderDraft | undefined)[] | undefined> = {
    llm_providers: part(llmProviders),
    model_providers: part(modelProviders),
  };
  const entries = placed.map(
    ({ path: [list = "", index = 0] }) => lists[list]?.[Number(index)] ?? {},
  );
  const fallbacks = placed.map(({ path }, index) =>
    findModels(reading, [...path, "fallbacks"], entries[index]?.fallbacks ?? [], models, [index]),
  );
  const ofAll = part(retry);
  const retries = entries.map((entry) => entry.retry);
  const ofModels = targets.flatMap((target, of): TargetSet[] => {
    const set = {
      of,
      targets: [of, ...(fallbacks[of] ?? [])],
      ...affinityOf(entries[of] ?? {}),
      retry: readRetry(retries[of], ofAll),
    };
    return hasSeveral(set, target) ? [set] : [];
  });
  const { aliases, sets } = readAliases(reading, drafts, placed, models, {
    fallbacks,
    retries,
    retry: ofAll,
  });
  return { aliases, targetSets: [...ofModels, ...sets] };
}

function affinityOf({
  affinity,
}: {
  affinity?: TargetSet["affinity"] | undefined;
}): Pick<TargetSet, "affinity"> {
  return affinity === undefined ? {} : { affinity };
}

function balanceOf(
  reading: Reading,
  path: Path,
  { balance }: AliasDraft,
  weights: readonly number[],
): Pick<TargetSet, "balance"> {
  if (balance === undefined || balance === "weight") return {};
  if (weights.filter((weight) => weight > 0).length > 1) return { balance };
  reading.warning([...path, "balance"], "balance has no effect: one target gets all requests", {
    part: "key",
    hint: "list several models in targets, each with a weight above 0",
  });
  return {};
}

/** Whether a model's own names need more than the plain way: one attempt, and one more where no request was sent. */
function hasSeveral({ targets, retry }: TargetSet, { auth }: Target): boolean {
  return (
    targets.length > 1 ||
    retry.attempts > 1 ||
    retry.perTryTimeoutMs !== undefined ||
    retry.firstByteTimeoutMs !== undefined ||
    auth.otherVariables !== undefined
  );
}
