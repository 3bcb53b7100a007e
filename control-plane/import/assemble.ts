// What the converters of other gateways have in common: deployments of models, in groups that clients call by a name, become entries,
// aliases, limits, prices and budgets. What has no equivalent becomes a comment where it would be.
import { Document, isMap, isScalar, isSeq } from "yaml";
import type { Node } from "yaml";
import { attemptsOf } from "./deployment.ts";
import type { Deployment, Values } from "./deployment.ts";
import { findProvider } from "../providers/registry.ts";
import { freeVariable, leftOut } from "./masked.ts";

/** A configuration of another gateway, in its parts. */
export interface Parts {
  deployments: {
    deployment: Deployment;
    /** The item of the source, for the comment if it has no entry. */
    source: Values;
    /** The source's comments at it. */
    comment: string;
  }[];
  /** Variables to which the source refers: no key of the file gets their name. */
  variables: readonly string[];
  /** By group: the groups to which its requests go when it fails. */
  fallbacks: ReadonlyMap<string, readonly string[]>;
  /** Further names of groups. */
  aliases: ReadonlyMap<string, string>;
  /** `balance` of groups with several members; absent: their weights decide. */
  balance?: string;
  /** Entries of `listeners.egress.api_keys`. */
  apiKeys: readonly (string | Values)[];
  timeoutSeconds?: number;
  retries?: number;
  budgets: readonly Values[];
  hasMetrics: boolean;
  /** The comment above the first key. */
  moved: readonly string[];
  /** Comments at the end: parts without an equivalent. */
  notes: readonly string[];
  /** The source's comment at its beginning. */
  head?: string | null;
}

/** An entry of llm_providers, and the comments at it. */
interface Entry {
  values: Values;
  comments: string[];
}

interface Converted {
  entries: Entry[];
  /** By model group: its deployments' models, each with its share. */
  groups: Map<string, { model: string; weight?: number }[]>;
  limits: Values[];
  pricing: Values;
  budgets: Values[];
  notes: string[];
  /** By variable: the key that was in the file, or the text REFERENCE if the file refers to the variable. */
  variables: Map<string, string>;
  /** Entries by the values that make two of them the same. */
  byValues: Map<string, Entry>;
  /** Entries by their model. */
  byModel: Map<string, Entry>;
}

/** In place of the key of a variable to which the file refers: its value is not known. No key of a file is this text. */
const REFERENCE = "\0reference";

/** Returns the document with the gateway's keys. */
export function assemble(parts: Parts): Document {
  const converted = convertModels(parts);
  const aliases = aliasesOf(converted, parts);
  const budgets = [...parts.budgets, ...converted.budgets];
  const top: Values = {
    listeners: listenersOf(parts),
    llm_providers: converted.entries.map(({ values }) => values),
    ...(aliases.size === 0 ? {} : { model_aliases: Object.fromEntries(aliases) }),
    ...(parts.retries === undefined ? {} : { retry: { attempts: attemptsOf(parts.retries) } }),
    ...(converted.limits.length === 0 ? {} : { ratelimits: converted.limits }),
    ...(Object.keys(converted.pricing).length === 0 ? {} : { pricing: converted.pricing }),
    ...(budgets.length === 0 ? {} : { budgets }),
    ...(parts.hasMetrics ? { observability: {} } : {}),
  };
  const document = new Document<Node>(top, { aliasDuplicateObjects: false });
  placeComments(document, converted.entries);
  document.commentBefore = parts.head ?? null;
  document.comment = [...converted.notes, ...parts.notes].join("\n");
  const [first] = isMap(document.contents) ? document.contents.items : [];
  if (isScalar(first?.key) && parts.moved.length > 0)
    first.key.commentBefore = parts.moved.join("\n");
  return document;
}

function listenersOf({ timeoutSeconds, apiKeys }: Parts): Values {
  return {
    egress: {
      port: 12_000,
      ...(timeoutSeconds === undefined ? {} : { timeout: `${String(Math.ceil(timeoutSeconds))}s` }),
      ...(apiKeys.length === 0 ? {} : { api_keys: apiKeys }),
    },
  };
}

function convertModels({ deployments, variables }: Parts): Converted {
  const converted: Converted = {
    entries: [],
    groups: new Map(),
    limits: [],
    pricing: {},
    budgets: [],
    notes: [],
    variables: new Map(variables.map((name) => [`$${name}`, REFERENCE])),
    byValues: new Map(),
    byModel: new Map(),
  };
  for (const { deployment, source, comment } of deployments) {
    if (deployment.entry === undefined)
      converted.notes.push(leftOut(deployment.reason ?? "", source));
    else add(converted, deployment, deployment.entry, comment);
  }
  return converted;
}

function add(
  converted: Converted,
  { group, weight, limit, price, budget, literalKey, leftOut: parts }: Deployment,
  entry: Values,
  comment: string,
): void {
  const notes = [comment, ...parts.map(({ reason, part }) => leftOut(reason, part))];
  if (literalKey !== undefined) {
    const variable = freeVariable(String(entry["access_key"]), literalKey, converted.variables);
    entry["access_key"] = variable;
    notes.push(` The key was in the file: put it into the variable ${variable.slice(1)}.`);
  }
  if (group === "*") notes.push(CATCH_ALL);
  const original = JSON.stringify(entry);
  const known = converted.byValues.get(original) ?? entryWithOtherKey(converted, group, entry);
  const values = known?.values ?? withOwnName(entry, converted.byModel);
  const model = String(values["model"]);
  const place = known ?? { values, comments: [] };
  place.comments.push(...notes.filter((one) => one !== "" && !place.comments.includes(one)));
  const members = converted.groups.get(group) ?? [];
  const share = weight === undefined ? {} : { weight };
  if (!members.some((one) => one.model === model)) members.push({ model, ...share });
  converted.groups.set(group, members);
  if (price !== undefined) converted.pricing[model] = price;
  if (known !== undefined) return;
  converted.entries.push(place);
  converted.byValues.set(original, place);
  converted.byModel.set(model, place);
  if (budget !== undefined) converted.budgets.push({ model, ...budget });
  if (limit !== undefined) converted.limits.push({ model, limit: { ...limit, unit: "minute" } });
}

const CATCH_ALL =
  " Not imported: names that no entry has are not sent to one provider; clients write <provider>/<model>.";

/** Another key for the same model of a group is added to its entry: the keys take turns, as deployments do. */
function entryWithOtherKey(
  { byModel, groups }: Converted,
  group: string,
  entry: Values,
): Entry | undefined {
  const { access_key: key, ...rest } = entry;
  if (typeof key !== "string") return undefined;
  const members = (groups.get(group) ?? []).flatMap(({ model }) => byModel.get(model) ?? []);
  const place = members.find(
    ({ values: { access_key: own, ...other } }) =>
      own !== undefined && JSON.stringify(other) === JSON.stringify(rest),
  );
  if (place === undefined) return undefined;
  const keys = [place.values["access_key"]].flat();
  if (!keys.includes(key)) place.values["access_key"] = [...keys, key];
  return place;
}

/** One model at several addresses: each further entry has a separate provider name, which has no default address. */
function withOwnName(entry: Values, byModel: ReadonlyMap<string, Entry>): Values {
  const { model: written, ...rest } = entry;
  const model = String(written);
  if (!byModel.has(model)) return entry;
  const slash = model.indexOf("/");
  const provider = model.slice(0, slash);
  const url = findProvider(provider)?.baseUrl;
  for (let number = 2; ; number++) {
    const name = `${provider}-${String(number)}${model.slice(slash)}`;
    if (byModel.has(name)) continue;
    const address = url === undefined ? {} : { base_url: url };
    return { model: name, provider_interface: provider, ...address, ...rest };
  }
}

function aliasesOf(
  { groups, entries, notes }: Converted,
  { fallbacks, aliases: further, balance }: Parts,
): Map<string, Values> {
  const aliases = new Map<string, Values>();
  // The first model with a bare name has it.
  const owners = new Map<string, unknown>();
  for (const { values } of entries) {
    const bare = bareName(String(values["model"]));
    if (!owners.has(bare)) owners.set(bare, values["model"]);
  }
  for (const [group, members] of groups) {
    const [first] = members;
    if (first === undefined) continue;
    const next = (fallbacks.get(group) ?? []).flatMap((name) => groups.get(name) ?? []);
    const [wildcards, others] = partition(
      next.map(({ model }) => model),
      (model) => model.endsWith("*"),
    );
    if (wildcards.length > 0)
      notes.push(
        ` Not imported: a fallback is one model; ${group} has no fallback to ${wildcards.join(", ")}.`,
      );
    if (first.model.endsWith("*")) {
      if (!["*", first.model, bareName(first.model)].includes(group))
        notes.push(
          ` Not imported: the group ${group} has the models of ${first.model} under other names.`,
        );
      continue;
    }
    const isOwnName = group === first.model || owners.get(group) === first.model;
    if (members.length === 1 && others.length === 0 && isOwnName) continue;
    aliases.set(group, {
      ...(members.length === 1
        ? { target: first.model }
        : {
            targets: wholeWeights(members),
            ...(balance === undefined ? {} : { balance }),
          }),
      ...(others.length === 0
        ? {}
        : {
            fallbacks: [...new Set(others)].filter(
              (one) => !members.some(({ model }) => model === one),
            ),
          }),
    });
  }
  for (const [name, group] of further) {
    const members = groups.get(group);
    if (members === undefined || aliases.has(name)) continue;
    aliases.set(name, aliases.get(group) ?? { target: members[0]?.model ?? "" });
  }
  return aliases;
}

function partition<T>(list: readonly T[], test: (one: T) => boolean): [yes: T[], no: T[]] {
  return [list.filter(test), list.filter((one) => !test(one))];
}

const MAX_WEIGHT = 1000;

/** Returns the targets of an alias. Weights are whole numbers here; other gateways have fractions too. */
function wholeWeights(members: readonly { model: string; weight?: number }[]): Values[] {
  const weights = members.flatMap(({ weight }) => weight ?? []);
  const isWhole = weights.every((weight) => Number.isInteger(weight) && weight <= MAX_WEIGHT);
  const factor = isWhole ? 1 : 100 / Math.max(...weights);
  return members.map(({ model, weight }) => ({
    model,
    ...(weight === undefined ? {} : { weight: Math.ceil(weight * factor) }),
  }));
}

function bareName(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

function placeComments(document: Document, entries: readonly Entry[]): void {
  const list = document.get("llm_providers");
  if (!isSeq(list)) return;
  list.items.forEach((item, index) => {
    const comments = entries[index]?.comments ?? [];
    if (isMap(item) && comments.length > 0) item.commentBefore = comments.join("\n");
  });
}
