// `budgets`: how much money the requests to a model, or all requests, may cost in a period.
import type { z } from "zod";
import type { Budget } from "../../../model/budgets.ts";
import { clientNames, isWildcard, takesName } from "../../../model/model-names.ts";
import type { GatewayModel, Target } from "../../../model/model.ts";
import { mayHavePrice } from "../../../model/prices.ts";
import { BUDGET_KEYS, readBudget, rejectDuplicateBudget } from "../budget-amount.ts";
import { listed } from "../configured-model.ts";
import type { Path } from "../../report/problem.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import type { Reading } from "../reading.ts";
import { list, mapping, text } from "../schema-words.ts";
import { namedKeys } from "../named-keys.ts";
import { listeners } from "./listeners.ts";
import { modelAliases } from "./model-aliases.ts";
import { type Draft, type Load, section } from "../section.ts";

const entry = mapping(
  {
    model: text(
      "The model, or all models of a wildcard together (`openai/*`). If not set, the budget is for all requests.",
      "the name of a configured model",
    ).optional(),
    ...BUDGET_KEYS,
  },
  "One budget.",
);

const schema = list(
  entry,
  "How much money the requests to a model, or all requests, may cost in a period ([more](budgets.md#budgets)). Budgets of client keys are in `listeners`.",
);

type Models = Pick<GatewayModel, "targets" | "defaultTarget" | "pricing">;

export const budgets = section({
  key: "budgets",
  schema,
  read(load, entries = []) {
    const { reading, model } = load;
    const { targets = [], defaultTarget = 0, pricing, budgets: ofKeys = [] } = model;
    const models: Models = {
      targets,
      defaultTarget,
      ...(pricing === undefined ? {} : { pricing }),
    };
    const aliases = Object.keys(load.part(modelAliases) ?? {});
    const first = new Map<string, Path>();
    const read = entries.flatMap((one, index): Budget[] => {
      if (one === undefined) return [];
      const path = ["budgets", index];
      const budget = readBudget(
        reading,
        path,
        one,
        readSubject(reading, path, one, models, aliases),
      );
      if (budget === undefined) return [];
      rejectDuplicateBudget(reading, path, budget, first);
      return [budget];
    });
    const all = [...ofKeys, ...read];
    warnOfPrices(load, all, models);
    return all.length === 0 ? {} : { budgets: all };
  },
});

function readSubject(
  reading: Reading,
  path: Path,
  one: Draft<z.output<typeof entry>>,
  models: Models,
  aliases: readonly string[],
): Budget["subject"] | undefined {
  if (!Object.hasOwn(one, "model")) return "all";
  const { model: name } = one;
  if (name === undefined) return undefined;
  const at = [...path, "model"];
  const known = clientNames({ ...models, aliases: [] });
  const index = known.find((candidate) => candidate.name === name)?.target;
  const target =
    models.targets.find((candidate) => candidate.name === name) ??
    (index === undefined ? undefined : models.targets[index]);
  if (target === undefined) {
    if (reading.invalidNames.has(name)) return undefined;
    const names = [
      ...new Set([...models.targets.map((one) => one.name), ...known.map((one) => one.name)]),
    ];
    const isAlias = aliases.includes(name);
    const shown = reading.show(at, name);
    reading.problem(
      at,
      isAlias
        ? `${shown} is an alias; a budget is for a model`
        : `no configured model is called ${shown}`,
      {
        hint: isAlias
          ? "name the model that the alias stands for"
          : (suggestion(suggest(name, names)) ?? `the configured models are ${listed(names)}`),
      },
    );
    return undefined;
  }
  if (!mayHavePrice(target, models)) {
    reading.problem(at, `the price of ${target.name} is not known, so its cost cannot be counted`, {
      hint: pricingHint(target),
    });
  }
  return { target: target.name };
}

/** Warns of models whose requests cost nothing for a budget that is not of a model. */
function warnOfPrices(load: Load, all: readonly Budget[], models: Models): void {
  const unknown = models.targets.filter(
    (target) => target.address.kind !== "embedded" && !mayHavePrice(target, models),
  );
  if (unknown.length === 0) return;
  const ofAll = all.filter(({ subject }) => subject === "all");
  if (ofAll.length > 0) {
    const rejects = ofAll.some(({ rejectsUnpriced }) => rejectsUnpriced === true);
    warn(load.reading, ["budgets"], rejects ? "budgets reject" : "budgets count", unknown);
    return;
  }
  for (const { path, entry } of namedKeys(load.part(listeners))) {
    if (entry.budget === undefined) continue;
    const used = unknown.filter((target) => mayUse(entry.models, target, load));
    const own = [entry.budget].flat();
    const rejects = own.some((one) => one?.unpriced === "reject");
    const what = rejects ? "the budget rejects" : "the budget counts";
    warn(load.reading, [...path, "budget"], what, used);
  }
}

function warn(reading: Reading, path: Path, what: string, unknown: readonly Target[]): void {
  const [one] = unknown;
  if (one === undefined) return;
  const model = unknown.length === 1 ? "a model" : "models";
  const names = listed(unknown.map(({ name }) => name));
  const all = what.includes("reject") ? "all requests" : "nothing";
  reading.warning(path, `${what} ${all} for ${model} without a known price: ${names}`, {
    part: "key",
    hint: pricingHint(one),
  });
}

/** Returns whether a key with an allow-list may use the model. */
function mayUse(
  list: readonly (string | undefined)[] | undefined,
  target: Target,
  { model: { targets = [], aliases = [], targetSets = [], defaultTarget = 0 } }: Load,
): boolean {
  if (list === undefined) return true;
  const index = targets.indexOf(target);
  const names = clientNames({ targets, aliases, defaultTarget });
  const sets = targetSets.flatMap((set) =>
    "name" in set && set.targets.includes(index) ? set.name : [],
  );
  const own = [...names.flatMap((one) => (one.target === index ? one.name : [])), ...sets];
  return list.some((item = "") => {
    if (isWildcard(item)) return target.name.startsWith(item.slice(0, -1));
    return own.includes(item) || takesName(target, item);
  });
}

function pricingHint({ name }: Target): string {
  return `set pricing: {${name}: {input: 2.5, output: 10}}, in US dollars per million tokens; 0 for a model that costs nothing`;
}
