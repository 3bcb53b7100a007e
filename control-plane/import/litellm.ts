// A configuration of LiteLLM's proxy → a document with the gateway's keys. Its groups of deployments become aliases; the comments at
// its models stay. What has no equivalent becomes a comment where it would be.
import { Document, isMap, isScalar, isSeq } from "yaml";
import type { Node, Pair } from "yaml";
import {
  OTHER_PERIOD,
  budgetOf,
  convertDeployment,
  isValues,
  referenceOf,
} from "./litellm-deployment.ts";
import type { Deployment, Values } from "./litellm-deployment.ts";
import { findProvider } from "../providers/registry.ts";
import { leftOut } from "./masked.ts";

/** An entry of llm_providers, and the comments at it. */
interface Entry {
  values: Values;
  /** The values as JSON, before the model got a separate name. */
  original: string;
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
  /** Keys that were in the file, by the usual variable of their provider. */
  literals: Map<string, string[]>;
}

/** Why keys of the top level and of the settings have no equivalent; any other has no such setting. */
const REASONS: readonly [pattern: RegExp, reason: string][] = [
  [
    /^(?:callbacks|success_callback|failure_callback|service_callback|langfuse|otel|callback_settings)/,
    "metrics, usage records and traces are under `observability` (docs/observability.md)",
  ],
  [/^cache|^redis_|^enable_caching/, "there is no cache of responses"],
  [
    /^(?:provider_budget_config|max_.*_budget|.*user_budget)/,
    "budgets are for all requests, for a model, or for a client key (docs/budgets.md)",
  ],
  [/budget|spend/, OTHER_PERIOD],
  [
    /^(?:database|store_|ui_|proxy_batch|proxy_budget|use_redis|disable_spend|disable_prisma)/,
    "the gateway has no database",
  ],
  [/^(?:guardrails|policies)/, "`prompt_guards.input_guards.jailbreak` is the guard here"],
  [/^mcp/, "the gateway's prompt targets are MCP tools (docs); other MCP servers are not proxied"],
  [
    /^pass_through_endpoints|^files_settings|^finetune_settings|^batch/,
    "endpoints besides inference go to the provider of the configured models (docs/endpoints.md)",
  ],
  [
    /^environment_variables/,
    "write them into the environment, or into a file .env next to this one",
  ],
  [/fallbacks$/, "a fallback follows any failure; there are none for one kind of failure"],
  [
    /^routing_strategy|^enable_pre_call_checks|^allowed_fails|^cooldown/,
    "targets of an alias share requests by weight; providers that fail are ejected (`upstream`)",
  ],
  [/^set_verbose|^json_logs|^debug|^detailed_debug/, "see `gateway up --log-level`"],
  [
    /^drop_params|^modify_params|^telemetry/,
    "this is always so here: members that a model rejects are dropped and listed, and there is no telemetry",
  ],
  [
    /key_generat|default_team|team/,
    "keys are entries of `api_keys`, each with a name, models, rate limits and a budget (docs/budgets.md)",
  ],
  [
    /jwt|custom_auth|sso|role|alert|user_/,
    "clients have the keys of `api_keys` (docs/securing.md)",
  ],
];

function reasonFor(key: string): string {
  return REASONS.find(([pattern]) => pattern.test(key))?.[1] ?? "there is no such setting";
}

/** Returns the document for a source; undefined if it has no model_list. */
export function convertLitellm(source: Document): Document | undefined {
  const all: unknown = source.toJS();
  if (!isValues(all) || !Array.isArray(all["model_list"])) return undefined;
  const converted = convertModels(all["model_list"], commentsOf(source.get("model_list")));
  const settings = settingsOf(all);
  const result = {
    listeners: listenersOf(settings),
    llm_providers: converted.entries.map(({ values }) => values),
  };
  const aliases = aliasesOf(converted, settings);
  const retries = settings["num_retries"];
  const top: Values = {
    ...result,
    ...(Object.keys(aliases).length === 0 ? {} : { model_aliases: aliases }),
    ...(typeof retries === "number" ? { retry: { attempts: Math.min(retries + 1, 5) } } : {}),
    ...(converted.limits.length === 0 ? {} : { ratelimits: converted.limits }),
    ...(Object.keys(converted.pricing).length === 0 ? {} : { pricing: converted.pricing }),
    ...budgetsOf(settings, converted),
    ...(usesPrometheus(settings) ? { observability: {} } : {}),
  };
  const document = new Document<Node>(top, { aliasDuplicateObjects: false });
  placeComments(document, converted.entries);
  document.commentBefore = source.commentBefore ?? null;
  document.comment = [...converted.notes, ...leftOfSettings(all)].join("\n");
  const [first] = isMap(document.contents) ? document.contents.items : [];
  if (isScalar(first?.key))
    first.key.commentBefore = [...MOVED, ...masterKeyNote(settings)].join("\n");
  return document;
}

const MOVED = [
  " LiteLLM listens on port 4000 of every address; the gateway on port 12000 of this machine. `listeners.egress` has `port`",
  " and `address`.",
];

function masterKeyNote({ master_key: key }: Values): string[] {
  const isInFile = typeof key === "string" && referenceOf(key) === key && !key.startsWith("$");
  return isInFile
    ? [" The master_key was in the file: put a key into the variable GATEWAY_API_KEY."]
    : [];
}

function convertModels(list: readonly unknown[], comments: readonly string[]): Converted {
  const converted: Converted = {
    entries: [],
    groups: new Map(),
    limits: [],
    pricing: {},
    budgets: [],
    notes: [],
    literals: new Map(),
  };
  list.forEach((item, index) => {
    if (!isValues(item)) return;
    const deployment = convertDeployment(item);
    if (deployment.entry === undefined)
      converted.notes.push(leftOut(deployment.reason ?? "", item));
    else add(converted, deployment, deployment.entry, comments[index] ?? "");
  });
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
    const variable = variableFor(literalKey, String(entry["access_key"]), converted);
    entry["access_key"] = variable;
    notes.push(` The key was in the file: put it into the variable ${variable.slice(1)}.`);
  }
  if (group === "*") notes.push(CATCH_ALL);
  const original = JSON.stringify(entry);
  const known =
    converted.entries.find((one) => one.original === original) ??
    entryWithOtherKey(converted, group, entry);
  const values = known?.values ?? withOwnName(entry, converted.entries);
  const model = String(values["model"]);
  const place = known ?? { values, original, comments: [] };
  place.comments.push(...notes.filter((one) => one !== "" && !place.comments.includes(one)));
  const members = converted.groups.get(group) ?? [];
  const share = weight === undefined ? {} : { weight };
  if (!members.some((one) => one.model === model)) members.push({ model, ...share });
  converted.groups.set(group, members);
  if (price !== undefined) converted.pricing[model] = price;
  if (known !== undefined) return;
  converted.entries.push(place);
  if (budget !== undefined) converted.budgets.push({ model, ...budget });
  if (limit !== undefined) converted.limits.push({ model, limit: { ...limit, unit: "minute" } });
}

const CATCH_ALL =
  " Not imported: names that no entry has are not sent to one provider; clients write <provider>/<model>.";

/** Another key for the same model of a group is added to its entry: the keys take turns, as deployments do. */
function entryWithOtherKey(
  { entries, groups }: Converted,
  group: string,
  entry: Values,
): Entry | undefined {
  const { access_key: key, ...rest } = entry;
  if (typeof key !== "string") return undefined;
  const members = groups.get(group) ?? [];
  const place = entries.find(({ values: { access_key: own, ...other } }) => {
    const isMember = members.some(({ model }) => model === other["model"]);
    return isMember && own !== undefined && JSON.stringify(other) === JSON.stringify(rest);
  });
  if (place === undefined) return undefined;
  const keys = [place.values["access_key"]].flat();
  if (!keys.includes(key)) place.values["access_key"] = [...keys, key];
  return place;
}

/** Each literal key gets a variable: OPENAI_API_KEY, OPENAI_API_KEY_2 … */
function variableFor(key: string, usual: string, { literals }: Converted): string {
  const known = literals.get(usual) ?? [];
  if (!known.includes(key)) known.push(key);
  literals.set(usual, known);
  const number = known.indexOf(key) + 1;
  return number === 1 ? usual : `${usual}_${String(number)}`;
}

/** One model at several addresses: each further entry has a separate provider name, which has no default address. */
function withOwnName(entry: Values, entries: readonly Entry[]): Values {
  const { model: written, ...rest } = entry;
  const model = String(written);
  const isTaken = (name: string) => entries.some(({ values }) => values["model"] === name);
  if (!isTaken(model)) return entry;
  const slash = model.indexOf("/");
  const provider = model.slice(0, slash);
  const url = findProvider(provider)?.baseUrl;
  for (let number = 2; ; number++) {
    const name = `${provider}-${String(number)}${model.slice(slash)}`;
    if (isTaken(name)) continue;
    const address = url === undefined ? {} : { base_url: url };
    return { model: name, provider_interface: provider, ...address, ...rest };
  }
}

function aliasesOf({ groups, entries, notes }: Converted, settings: Values): Values {
  const fallbacks = fallbacksOf(settings);
  const aliases: Values = {};
  for (const [group, members] of groups) {
    const [first] = members;
    if (first === undefined) continue;
    const next = (fallbacks.get(group) ?? []).flatMap((name) => groups.get(name) ?? []);
    const others = next.map(({ model }) => model).filter((model) => !model.endsWith("*"));
    if (first.model.endsWith("*")) {
      if (!["*", first.model, bareName(first.model)].includes(group))
        notes.push(
          ` Not imported: the group ${group} has the models of ${first.model} under other names.`,
        );
      continue;
    }
    // The first model with a bare name has it.
    const owner = entries.find(({ values }) => bareName(String(values["model"])) === group);
    const isOwnName = group === first.model || owner?.values["model"] === first.model;
    if (members.length === 1 && others.length === 0 && isOwnName) continue;
    aliases[group] = {
      ...(members.length === 1
        ? { target: first.model }
        : {
            targets: members.map(({ model, weight }) => ({
              model,
              ...(weight === undefined ? {} : { weight }),
            })),
          }),
      ...(others.length === 0
        ? {}
        : {
            fallbacks: [...new Set(others)].filter(
              (one) => !members.some(({ model }) => model === one),
            ),
          }),
    };
  }
  for (const [name, target] of Object.entries(
    isValues(settings["model_group_alias"]) ? settings["model_group_alias"] : {},
  )) {
    const group = isValues(target) ? target["model"] : target;
    const members = typeof group === "string" ? groups.get(group) : undefined;
    if (members === undefined || name in aliases) continue;
    aliases[name] = aliases[String(group)] ?? { target: members[0]?.model ?? "" };
  }
  return aliases;
}

function bareName(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

/** `fallbacks: [{"a": ["b", "c"]}]`, of either settings. */
function fallbacksOf(settings: Values): Map<string, string[]> {
  const lists: unknown = settings["fallbacks"];
  const found = new Map<string, string[]>();
  for (const row of Array.isArray(lists) ? (lists as unknown[]) : []) {
    for (const [group, names] of Object.entries(isValues(row) ? row : {})) {
      if (Array.isArray(names))
        found.set(
          group,
          names.filter((name) => typeof name === "string"),
        );
    }
  }
  return found;
}

const SETTINGS = ["litellm_settings", "router_settings", "general_settings"];
const CONVERTED = new Set([
  "fallbacks",
  "model_group_alias",
  "num_retries",
  "request_timeout",
  "master_key",
]);

const BUDGET = new Set(["max_budget", "budget_duration"]);

function settingsOf(all: Values): Values {
  return Object.assign({}, ...SETTINGS.map((key) => all[key]).filter(isValues)) as Values;
}

function listenersOf(settings: Values): Values {
  const { request_timeout: timeout, master_key: master } = settings;
  const key = referenceOf(master);
  return {
    egress: {
      port: 12_000,
      ...(typeof timeout === "number" ? { timeout: `${String(Math.ceil(timeout))}s` } : {}),
      ...(key === undefined ? {} : { api_keys: [key.startsWith("$") ? key : "$GATEWAY_API_KEY"] }),
    },
  };
}

/** Returns `budgets`: of the proxy, and of deployments. */
function budgetsOf(settings: Values, { budgets }: Converted): Values {
  const ofAll = budgetOf(settings["max_budget"], settings["budget_duration"]);
  const all = [...(ofAll === undefined ? [] : [ofAll]), ...budgets];
  return all.length === 0 ? {} : { budgets: all };
}

function usesPrometheus(settings: Values): boolean {
  return ["callbacks", "success_callback", "service_callback"].some((key) =>
    JSON.stringify(settings[key] ?? "").includes("prometheus"),
  );
}

/** Comments for the settings that have no equivalent. */
function leftOfSettings(all: Values): string[] {
  const { max_budget: amount, budget_duration: duration } = settingsOf(all);
  const hasBudget = budgetOf(amount, duration) !== undefined;
  return Object.entries(all).flatMap(([section, value]) => {
    if (section === "model_list" || value === null) return [];
    if (!SETTINGS.includes(section) || !isValues(value))
      return [leftOut(reasonFor(section), { [section]: value })];
    return Object.entries(value)
      .filter(([key]) => !CONVERTED.has(key) && !(hasBudget && BUDGET.has(key)))
      .map(([key, part]) => leftOut(reasonFor(key), { [section]: { [key]: part } }));
  });
}

/** The comments at each item of the list, above it and within. */
function commentsOf(list: unknown): string[] {
  if (!isSeq(list)) return [];
  return list.items.map((item, index) => {
    const found: string[] = index === 0 ? [list.commentBefore ?? ""] : [];
    collect(item as Node, found);
    return found.filter((one) => one !== "").join("\n");
  });
}

function collect(node: Node | null, found: string[]): void {
  if (node === null || !(isMap(node) || isSeq(node) || isScalar(node))) return;
  found.push(node.commentBefore ?? "");
  if (isScalar(node)) found.push(node.comment ?? "");
  for (const item of isMap(node) ? node.items : []) {
    const pair = item as Pair<Node, Node | null>;
    collect(pair.key, found);
    collect(pair.value, found);
  }
  if (!isScalar(node)) found.push(node.comment ?? "");
}

function placeComments(document: Document, entries: readonly Entry[]): void {
  const list = document.get("llm_providers");
  if (!isSeq(list)) return;
  list.items.forEach((item, index) => {
    const comments = entries[index]?.comments ?? [];
    if (isMap(item) && comments.length > 0) item.commentBefore = comments.join("\n");
  });
}
