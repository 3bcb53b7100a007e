// A config of Portkey's gateway in its parts: its targets become entries, a load balancer or a fallback becomes an alias.
// https://portkey.ai/docs/api-reference/inference-api/config-object
import { isRecord } from "../../model/is-record.ts";
import type { Document } from "yaml";
import type { Parts } from "./assemble.ts";
import { convertDeployment } from "./deployment.ts";
import type { Values } from "./deployment.ts";
import { leftOut } from "./masked.ts";

/** The alias of a config that spreads requests over several targets: a config has no name. */
const ALIAS = "portkey";
const MAX_DEPTH = 20;

/** Why keys have no equivalent. */
const REASONS: Readonly<Record<string, string>> = {
  cache: "there is no cache of responses",
  input_guardrails: "`prompt_guards.input_guards.jailbreak` is the guard here",
  output_guardrails: "there are no guards for responses",
  before_request_hooks: "requests do not pass through other servers",
  after_request_hooks: "responses do not pass through other servers",
  forward_headers: "headers of clients pass as docs/endpoints.md lists them",
  virtual_key: "Portkey stores its key: put it into the variable of the entry",
  on_status_codes: "a fallback follows any failure; there are none for one kind of failure",
};

/** LiteLLM's words, which deployments have, by those of a target. */
const WORDS: Readonly<Record<string, string>> = {
  api_key: "api_key",
  custom_host: "api_base",
  aws_region: "aws_region_name",
  aws_access_key_id: "aws_access_key_id",
  aws_secret_access_key: "aws_secret_access_key",
  aws_session_token: "aws_session_token",
  vertex_project_id: "vertex_project",
  vertex_region: "vertex_location",
  vertex_service_account_json: "vertex_credentials",
  openai_organization: "organization",
  azure_api_version: "api_version",
  weight: "weight",
};
const READ = new Set(
  "strategy targets provider retry request_timeout override_params name azure_resource_name azure_deployment_id azure_model_name".split(
    " ",
  ),
);

interface Collected {
  deployments: Parts["deployments"];
  fallbacks: Map<string, readonly string[]>;
  notes: string[];
}

/** Returns the parts of a source; undefined if it names no provider. */
export function portkeyParts(_: Document, written: Values): Parts | undefined {
  const all = inSnakeCase(isRecord(written["config"]) ? written["config"] : written) as Values;
  if (providerOf(all) === undefined && !Array.isArray(all["targets"])) return undefined;
  const collected: Collected = { deployments: [], fallbacks: new Map(), notes: [] };
  collect(all, ALIAS, {}, collected, 0);
  const { deployments, fallbacks, notes } = collected;
  return {
    deployments,
    variables: [],
    fallbacks,
    aliases: new Map(),
    apiKeys: [],
    budgets: [],
    hasMetrics: false,
    moved: [
      ` A config of Portkey has no name: what its targets share is the alias "${ALIAS}", which clients name as their model.`,
      " Targets without a model in override_params are wildcards: clients write <provider>/<model>.",
    ],
    notes,
  };
}

/** `overrideParams` → `override_params`: Portkey accepts both. Keys below `override_params` are the provider's. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, name === "override_params" ? member : inSnakeCase(member)];
    }),
  );
}

function providerOf({ provider, virtual_key: key }: Values): string | undefined {
  if (typeof provider === "string") return provider.replace(/^@/, "");
  return typeof key === "string" ? key : undefined;
}

/** Adds a target, and the targets below it. `group`: the name of what they share; `above`: settings that they inherit. */
function collect(
  node: Values,
  group: string,
  above: Values,
  collected: Collected,
  depth: number,
): void {
  const { strategy, targets } = node;
  const inherited = { ...above, ...settingsOf(node) };
  addNotes(node, collected.notes);
  if (!Array.isArray(targets) || depth > MAX_DEPTH) {
    if (providerOf(node) !== undefined) addTarget(node, group, inherited, collected);
    return;
  }
  const mode = isRecord(strategy) ? strategy["mode"] : undefined;
  if (mode === "conditional")
    collected.notes.push(
      leftOut("clients choose the model by its name; there are no conditions", { strategy }),
    );
  const others: string[] = [];
  targets.filter(isRecord).forEach((target, index) => {
    const isApart = mode === "conditional" || (mode === "fallback" && index > 0);
    const name = isApart ? nameApart(target, `${group}-${String(index + 1)}`) : group;
    if (mode === "fallback" && index > 0) others.push(name);
    collect(target, name, inherited, collected, depth + 1);
  });
  if (others.length > 0) collected.fallbacks.set(group, others);
}

/** Returns the name of a group apart: a target alone is called by its model. `name`: of a group of several. */
function nameApart(target: Values, name: string): string {
  if (Array.isArray(target["targets"])) return name;
  const { entry } = convertDeployment(itemOf(target, name, {}));
  return typeof entry?.["model"] === "string" ? entry["model"] : name;
}

/** Settings of a node that its targets inherit. */
function settingsOf({ retry, request_timeout: timeout }: Values): Values {
  const attempts = isRecord(retry) ? retry["attempts"] : undefined;
  return {
    ...(attempts === undefined ? {} : { num_retries: attempts }),
    ...(typeof timeout === "number" ? { timeout: timeout / 1000 } : {}),
  };
}

function addNotes(node: Values, notes: string[]): void {
  for (const [key, value] of Object.entries(node)) {
    if (READ.has(key) || Object.hasOwn(WORDS, key)) continue;
    const reason = Object.hasOwn(REASONS, key) ? REASONS[key] : undefined;
    notes.push(leftOut(reason ?? "there is no such setting", { [key]: value }));
  }
}

function addTarget(node: Values, group: string, inherited: Values, collected: Collected): void {
  const deployment = convertDeployment(itemOf(node, group, inherited));
  collected.deployments.push({ deployment, source: node, comment: "" });
}

/** Returns the item that LiteLLM would have for a target. */
function itemOf(node: Values, group: string, inherited: Values): Values {
  const provider = providerOf(node) ?? "";
  const overrides = isRecord(node["override_params"]) ? node["override_params"] : {};
  const { model: named, ...rest } = overrides;
  const deploymentId = node["azure_deployment_id"] ?? node["azure_model_name"];
  const model = [deploymentId, named].find((one) => typeof one === "string") ?? "*";
  const words = Object.entries(node).flatMap(([key, value]) =>
    Object.hasOwn(WORDS, key) ? [[WORDS[key] ?? key, value] as const] : [],
  );
  const resource = node["azure_resource_name"];
  return {
    model_name: group,
    litellm_params: {
      model: `${provider.replaceAll("-", "_")}/${model}`,
      ...inherited,
      ...(typeof resource === "string" ? { api_base: `https://${resource}.openai.azure.com` } : {}),
      ...Object.fromEntries(words),
      ...rest,
    },
  };
}
