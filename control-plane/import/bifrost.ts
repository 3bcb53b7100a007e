// A `config.json` of Bifrost in its parts: keys of providers become entries, virtual keys become keys of clients.
// https://docs.getbifrost.ai/deployment-guides/config-json/schema-reference
import { isRecord } from "../../model/is-record.ts";
import type { Document } from "yaml";
import type { Parts } from "./assemble.ts";
import { OTHER_PERIOD, budgetOf, convertDeployment } from "./deployment.ts";
import type { Values } from "./deployment.ts";
import { referredVariables } from "./litellm.ts";
import { leftOut } from "./masked.ts";

type Item = Parts["deployments"][number];

/** Why keys of the top level have no equivalent. */
const REASONS: Readonly<Record<string, string>> = {
  client: "the listeners, `limits` and `observability` have such settings",
  server: "the listeners and `limits` have such settings",
  config_store: "the configuration is this file",
  logs_store: "requests are recorded by `observability` and `access_log` (docs/observability.md)",
  vector_store: "there is no cache of responses",
  plugins: "`observability`, `tracing` and `prompt_guards` do what is built in",
  mcp: "the gateway's prompt targets are MCP tools (docs/mcp.md); other MCP servers are not proxied",
  framework: "prices are listed in the gateway; `pricing` replaces them",
  guardrails_config: "`prompt_guards.input_guards.jailbreak` is the guard here",
};
const IGNORED = new Set(["$schema", "providers", "governance"]);
const OF_PROVIDERS = new Set(["keys", "network_config", "custom_provider_config"]);
/** What a key may have; a batch is sent with the key of its model. */
const OF_KEYS = new Set(
  "id name value models weight enabled use_for_batch_api azure_key_config vertex_key_config bedrock_key_config bedrock_mantle_key_config deployments aliases".split(
    " ",
  ),
);
const OF_NETWORK = new Set([
  "base_url",
  "extra_headers",
  "default_request_timeout_in_seconds",
  "max_retries",
]);

/** Returns the parts of a source; undefined if it has no providers. */
export function bifrostParts(_: Document, written: Values): Parts | undefined {
  const all = withReferences(written) as Values;
  const { providers, governance } = all;
  if (!isRecord(providers)) return undefined;
  const notes: string[] = [];
  const deployments = Object.entries(providers).flatMap(([name, provider]) =>
    isRecord(provider) ? deploymentsOf(name, provider, notes) : [],
  );
  for (const [key, value] of Object.entries(all)) {
    if (IGNORED.has(key)) continue;
    const reason = Object.hasOwn(REASONS, key) ? REASONS[key] : undefined;
    notes.push(leftOut(reason ?? "there is no such setting", { [key]: value }));
  }
  return {
    deployments,
    variables: referredVariables(all),
    fallbacks: new Map(),
    aliases: new Map(),
    apiKeys: isRecord(governance) ? apiKeysOf(governance, notes) : [],
    budgets: [],
    hasMetrics: true,
    moved: [
      " Bifrost listens on port 8080; the gateway on port 12000 of this machine. `listeners.egress` has `port` and `address`.",
    ],
    notes,
  };
}

/** `env.NAME` → the reference that deployments have, at any depth. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, withReferences(member)]),
    );
  return typeof value === "string" ? value.replace(/^env\.(?=\w+$)/, "os.environ/") : value;
}

function listOf(value: unknown): Values[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns a deployment for each key and each of its models. */
function deploymentsOf(name: string, provider: Values, notes: string[]): Item[] {
  const network = isRecord(provider["network_config"]) ? provider["network_config"] : {};
  const custom = isRecord(provider["custom_provider_config"])
    ? provider["custom_provider_config"]
    : {};
  for (const [key, value] of Object.entries(provider))
    if (!OF_PROVIDERS.has(key))
      notes.push(leftOut("there is no such setting of a provider", { [name]: { [key]: value } }));
  for (const [key, value] of Object.entries(network))
    if (!OF_NETWORK.has(key))
      notes.push(
        leftOut("`upstream` and `retry` have such settings", { [name]: { [key]: value } }),
      );
  const keys = listOf(provider["keys"]);
  if (new Set(keys.map(({ weight = 1 }) => weight)).size > 1)
    notes.push(` Not imported: keys of ${name} for one model take turns; they have no weights.`);
  return (keys.length === 0 ? [{}] : keys).flatMap((key): Item[] => {
    const settings = {
      ...addressOf(name, network),
      ...(key["value"] === "" ? {} : { api_key: key["value"] }),
      extra_headers: network["extra_headers"],
      timeout: network["default_request_timeout_in_seconds"],
      num_retries: network["max_retries"],
      ...cloudOf(key),
    };
    if (key["enabled"] === false) {
      notes.push(leftOut("the key is disabled", { [name]: { keys: [key] } }));
      return [];
    }
    for (const [part, value] of Object.entries(key))
      if (!OF_KEYS.has(part))
        notes.push(leftOut("keys have no such setting", { [name]: { [part]: value } }));
    return modelsOf(key).map(([group, model]) => {
      const item = {
        model_name: `${name}/${group}`,
        litellm_params: { ...settings, model: `${name}/${model}` },
      };
      const deployment = convertDeployment(withoutAbsent(item));
      const base = custom["base_provider_type"];
      if (deployment.entry !== undefined && typeof base === "string")
        deployment.entry["provider_interface"] = base;
      return { deployment, source: { provider: name, model: group }, comment: "" };
    });
  });
}

/** Bifrost adds `/v1/…` to the base URL of a provider with OpenAI's API; here a path replaces that. */
function addressOf(name: string, { base_url: url }: Values): Values {
  if (typeof url !== "string" || url === "") return {};
  const hasPath = /^\w+:\/\/[^/]+\/[^/]/.test(url) && !/\/v\d\w*\/?$/.test(url);
  const isOpenai = !["anthropic", "gemini", "vertex", "bedrock", "azure"].includes(name);
  return { api_base: hasPath && isOpenai ? `${url.replace(/\/+$/, "")}/v1` : url };
}

/** What a key has for a cloud: LiteLLM's words for it. */
function cloudOf(key: Values): Values {
  const [azure, vertex, bedrock] = [
    key["azure_key_config"],
    key["vertex_key_config"],
    key["bedrock_key_config"] ?? key["bedrock_mantle_key_config"],
  ].map((one) => (isRecord(one) ? one : {})) as [Values, Values, Values];
  return {
    ...(azure["endpoint"] === undefined
      ? {}
      : { api_base: azure["endpoint"], api_version: azure["api_version"] }),
    vertex_project: vertex["project_id"],
    vertex_location: vertex["region"],
    vertex_credentials: vertex["auth_credentials"],
    aws_region_name: bedrock["region"],
    aws_access_key_id: bedrock["access_key"],
    aws_secret_access_key: bedrock["secret_key"],
    aws_session_token: bedrock["session_token"],
    aws_role_name: bedrock["role_arn"] ?? bedrock["arn"],
  };
}

/** Returns the names for clients, each with the model or deployment; `*` stands for all models. */
function modelsOf(key: Values): [group: string, model: string][] {
  const configs = ["azure_key_config", "bedrock_key_config", "vertex_key_config"];
  const deployments = [...configs.map((name) => key[name]), key]
    .map((one) => (isRecord(one) ? (one["deployments"] ?? one["aliases"]) : undefined))
    .find(isRecord);
  if (deployments !== undefined)
    return Object.entries(deployments).map(([name, model]) => [
      name,
      typeof model === "string" ? model : name,
    ]);
  const models = Array.isArray(key["models"]) ? key["models"] : [];
  const names = models.filter((one): one is string => typeof one === "string");
  return (names.length === 0 ? ["*"] : names).map((name) => [name, name]);
}

function withoutAbsent({ model_name: group, litellm_params: parameters }: Values): Values {
  const present = Object.entries(isRecord(parameters) ? parameters : {}).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  return { model_name: group, litellm_params: Object.fromEntries(present) };
}

/** Virtual keys → keys of clients. */
function apiKeysOf(governance: Values, notes: string[]): Values[] {
  const budgets = listOf(governance["budgets"]);
  const keys = listOf(governance["virtual_keys"]).flatMap((virtual, index) => {
    const { name: title, value, is_active: isActive, provider_configs: configs } = virtual;
    const name = (typeof title === "string" ? title : "").replaceAll(/[^\w.-]+/g, "-");
    if (isActive === false) {
      notes.push(leftOut("the virtual key is inactive", { virtual_keys: [virtual] }));
      return [];
    }
    const isReference = typeof value === "string" && value.startsWith("os.environ/");
    const variable = isReference
      ? value.slice("os.environ/".length)
      : `GATEWAY_KEY_${String(index + 1)}`;
    if (!isReference)
      notes.push(` The virtual key ${name} was in the file: put it into the variable ${variable}.`);
    for (const part of ["rate_limit_id", "rate_limit", "team_id", "customer_id", "mcp_configs"])
      if (virtual[part] !== undefined && virtual[part] !== null)
        notes.push(
          leftOut("write `ratelimits` of the key (docs/budgets.md)", {
            name,
            [part]: virtual[part],
          }),
        );
    const models = allowedModels(listOf(configs));
    const own = budgets.filter(
      ({ id, virtual_key_id: of }) => of === virtual["id"] || id === (virtual["budget_id"] ?? ""),
    );
    const amounts = own.flatMap((budget) => {
      const found = budgetOf(budget["max_limit"], budget["reset_duration"]);
      if (found === undefined) notes.push(leftOut(OTHER_PERIOD, budget));
      return found ?? [];
    });
    return [
      {
        key: `$${variable}`,
        ...(name === "" ? {} : { name }),
        ...(models.length === 0 ? {} : { models }),
        ...(amounts.length === 0 ? {} : { budget: amounts }),
      },
    ];
  });
  const rest = Object.entries(governance).filter(
    ([key]) => key !== "virtual_keys" && key !== "budgets",
  );
  for (const [key, value] of rest)
    notes.push(
      leftOut("keys are entries of `api_keys` (docs/budgets.md)", { governance: { [key]: value } }),
    );
  return keys;
}

/** Returns `models` of a key; empty: all. The providers' names are those of the deployments. */
function allowedModels(configs: readonly Values[]): string[] {
  return configs.flatMap(({ provider, allowed_models: models }) => {
    if (typeof provider !== "string") return [];
    const names = Array.isArray(models) ? models.filter((one) => typeof one === "string") : [];
    const entry = (model: string) => {
      const { entry: found } = convertDeployment({
        litellm_params: { model: `${provider}/${model}`, api_base: "https://imported.example" },
      });
      return typeof found?.["model"] === "string" ? [found["model"]] : [];
    };
    return (names.length === 0 ? ["*"] : names).flatMap(entry);
  });
}
