// A configuration of LiteLLM's proxy in its parts. Its groups of deployments become aliases; the comments at its models stay.
import { isRecord } from "../../model/is-record.ts";
import { isMap, isScalar, isSeq } from "yaml";
import type { Document, Node, Pair } from "yaml";
import type { Parts } from "./assemble.ts";
import {
  CAPPED_RETRIES,
  OTHER_PERIOD,
  budgetOf,
  convertDeployment,
  isCapped,
  referenceOf,
} from "./deployment.ts";
import type { Values } from "./deployment.ts";
import { leftOut } from "./masked.ts";

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
    /^routing_strategy$/,
    "targets of an alias share requests by weight, or by `balance: latency`, `load` or `cost`",
  ],
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

/** Returns the parts of a source; undefined if it has no model_list. */
export function litellmParts(source: Document, all: Values): Parts | undefined {
  const { model_list: list } = all;
  if (!Array.isArray(list)) return undefined;
  const settings = settingsOf(all);
  const comments = commentsOf(source.get("model_list"));
  const { num_retries: retries, request_timeout: timeout, master_key: master } = settings;
  const key = referenceOf(master);
  const budget = budgetOf(settings["max_budget"], settings["budget_duration"]);
  return {
    deployments: list.flatMap((item: unknown, index) =>
      isRecord(item)
        ? [{ deployment: convertDeployment(item), source: item, comment: comments[index] ?? "" }]
        : [],
    ),
    variables: referredVariables(list),
    fallbacks: fallbacksOf(settings),
    aliases: groupAliasesOf(settings),
    ...balanceOf(settings),
    apiKeys: key === undefined ? [] : [key.startsWith("$") ? key : "$GATEWAY_API_KEY"],
    ...(typeof timeout === "number" ? { timeoutSeconds: timeout } : {}),
    ...(typeof retries === "number" ? { retries } : {}),
    budgets: budget === undefined ? [] : [budget],
    hasMetrics: usesPrometheus(settings),
    moved: [...MOVED, ...masterKeyNote(settings)],
    notes: leftOfSettings(all),
    head: source.commentBefore,
  };
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

/** Returns the variables to which the deployments refer. */
export function referredVariables(list: unknown): string[] {
  const texts = JSON.stringify(list).matchAll(/"os\.environ\/(\w+)"/g);
  return [...texts].map(([, name = ""]) => name);
}

/** The default, `simple-shuffle`, needs nothing (https://docs.litellm.ai/docs/router/learn/strategies). */
const BALANCE: Readonly<Record<string, string | undefined>> = {
  "simple-shuffle": undefined,
  "least-busy": "load",
  "latency-based-routing": "latency",
  "cost-based-routing": "cost",
};

function isStrategy(written: unknown): written is string {
  return typeof written === "string" && Object.hasOwn(BALANCE, written);
}

function balanceOf({ routing_strategy: strategy }: Values): Pick<Parts, "balance"> {
  const balance = isStrategy(strategy) ? BALANCE[strategy] : undefined;
  return balance === undefined ? {} : { balance };
}

/** `model_group_alias: {name: group}`, or `{name: {model: group}}`. */
function groupAliasesOf({ model_group_alias: written }: Values): Map<string, string> {
  const pairs = Object.entries(isRecord(written) ? written : {}).map(
    ([name, target]): [string, unknown] => [name, isRecord(target) ? target["model"] : target],
  );
  return new Map(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}

/** `fallbacks: [{"a": ["b", "c"]}]`, of either settings. */
function fallbacksOf(settings: Values): Map<string, string[]> {
  const lists: unknown = settings["fallbacks"];
  const found = new Map<string, string[]>();
  for (const row of Array.isArray(lists) ? (lists as unknown[]) : []) {
    for (const [group, names] of Object.entries(isRecord(row) ? row : {})) {
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
  return Object.assign({}, ...SETTINGS.map((key) => all[key]).filter(isRecord)) as Values;
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
    if (!SETTINGS.includes(section) || !isRecord(value))
      return [leftOut(reasonFor(section), { [section]: value })];
    return Object.entries(value).flatMap(([key, part]) => {
      const isCut = key === "num_retries" && isCapped(part);
      const isConverted = CONVERTED.has(key) || (hasBudget && BUDGET.has(key));
      if ((isConverted && !isCut) || (key === "routing_strategy" && isStrategy(part))) return [];
      return [leftOut(isCut ? CAPPED_RETRIES : reasonFor(key), { [section]: { [key]: part } })];
    });
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
