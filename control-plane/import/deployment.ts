// One deployment of a model, in the words of LiteLLM: the entry of llm_providers that does the same, and what it has without an equivalent.
import { isRecord } from "../../model/is-record.ts";
import { vendorOf } from "../providers/model-vendors.ts";
import {
  azureResource,
  importedProvider,
  usualVariable,
  variableOfHost,
} from "./imported-providers.ts";

export type Values = Record<string, unknown>;

export interface Deployment {
  /** The entry, its keys in the order in which people write them; undefined if it has no equivalent. */
  entry?: Values;
  /** Why there is no entry. */
  reason?: string;
  /** What a client asks for. */
  group: string;
  /** Share of the requests of the group. */
  weight?: number;
  /** Per minute. */
  limit?: { requests?: number; tokens?: number };
  /** US dollars per million tokens. */
  price?: Values;
  /** `amount` and `per`. */
  budget?: Values;
  /** The key, if it was in the file; `access_key` refers to the usual variable. */
  literalKey?: string;
  /** Parts without an equivalent, each with the reason. */
  leftOut: { reason: string; part: Values }[];
}

/** Parameters that clients send themselves. */
const OF_REQUESTS =
  /^(?:temperature|top_p|max_tokens|max_completion_tokens|n|seed|stop|stream|user|reasoning_effort|thinking|frequency_penalty|presence_penalty|response_format|tools|tool_choice)$/;
const KNOWN = new Set(
  "model api_key api_base base_url api_version rpm tpm timeout stream_timeout max_retries num_retries input_cost_per_token output_cost_per_token cache_read_input_token_cost cache_creation_input_token_cost extra_headers organization weight aws_region_name region_name aws_bedrock_runtime_endpoint vertex_project vertex_location vertex_ai_project vertex_ai_location drop_params custom_llm_provider max_budget budget_duration".split(
    " ",
  ),
);

const OF_ITEMS = new Set(["model_name", "litellm_params", "rpm", "tpm"]);
const NO_SUCH_SETTING = "there is no such setting";

/** `os.environ/NAME` → `$NAME`; any other text stays as it is. */
export function referenceOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.startsWith("os.environ/") ? `$${value.slice("os.environ/".length)}` : value;
}

/** Returns what one item of `model_list` becomes. */
export function convertDeployment(item: Values): Deployment {
  const parameters = isRecord(item["litellm_params"]) ? item["litellm_params"] : {};
  const written = referenceOf(parameters["model"]) ?? "";
  const group = typeof item["model_name"] === "string" ? item["model_name"] : written;
  const result: Deployment = { group, leftOut: [] };
  const { word, model, region, api } = splitModel(written, parameters["custom_llm_provider"]);
  const url = referenceOf(parameters["api_base"] ?? parameters["base_url"]);
  const provider = word === undefined ? undefined : importedProvider(word, url !== undefined);
  if (provider === undefined || model === "") {
    result.reason = reasonWithoutEntry(written, word, model);
    return result;
  }
  const { name, ...own } = provider;
  const entry: Values = { model: `${name}/${model}`, ...own };
  addAddress(entry, name, url, parameters, region);
  if (api !== undefined && entry["provider_interface"] === undefined)
    entry["provider_interface"] = api;
  addKey(entry, name, url !== undefined, parameters, result);
  addHeaders(entry, parameters);
  addRetry(entry, parameters, result);
  addNumbers({ rpm: item["rpm"], tpm: item["tpm"], ...parameters }, result);
  addBudget(parameters, result);
  for (const [key, value] of Object.entries(parameters)) addLeftOut(key, value, result);
  for (const [key, value] of Object.entries(item)) {
    if (OF_ITEMS.has(key) || value === null) continue;
    const reason =
      key === "model_info"
        ? "descriptions of models are not a part of the configuration"
        : NO_SUCH_SETTING;
    result.leftOut.push({ reason, part: { [key]: value } });
  }
  result.entry = entry;
  return result;
}

/** Returns why an item without a usable model has no entry. `word`: of the provider. */
function reasonWithoutEntry(written: string, word: string | undefined, model: string): string {
  if (written === "") return "it has no litellm_params.model";
  if (written.startsWith("$"))
    return `the model is in the variable ${written.slice(1)}; write its name here: <provider>/<model>`;
  if (written === "*")
    return "one entry for all providers has no equivalent; write one for each, such as openai/*";
  if (word === undefined)
    return `the provider of ${written} is not known; write <provider>/<model>`;
  if (model === "") return `${written} names no model`;
  return `${word} is no provider of the gateway; with base_url and provider_interface: openai it can be one`;
}

/** Takes the words of LiteLLM out of a name: `bedrock/converse/…`, `bedrock/us-west-2/…`, `azure/…`, `gpt-4o`. */
function splitModel(
  written: string,
  custom: unknown,
): { word: string | undefined; model: string; region?: string; api?: string } {
  const slash = written.indexOf("/");
  const first = written.slice(0, Math.max(slash, 0));
  if (typeof custom === "string" && first !== custom) return { word: custom, model: written };
  if (slash < 0) return { word: vendorOf(written), model: written };
  const model = written.slice(slash + 1);
  if (first === "bedrock_converse") return { word: "bedrock", model, api: "converse" };
  if (first !== "bedrock" && first !== "vertex_ai") return { word: first, model };
  const [, region] = /^([a-z]{2}-[a-z]+-\d)\//.exec(model) ?? [];
  const rest = region === undefined ? model : model.slice(region.length + 1);
  const [, way] = /^(converse|invoke|converse_like)\//.exec(rest) ?? [];
  const plain = way === undefined ? rest : rest.slice(way.length + 1);
  // A wildcard of a cloud needs to know its API.
  const isWildcard = plain.endsWith("*");
  const api =
    way?.startsWith("converse") === true || (isWildcard && first === "bedrock")
      ? "converse"
      : undefined;
  return {
    word: first,
    model: plain,
    ...(region === undefined ? {} : { region }),
    ...(api === undefined ? {} : { api }),
  };
}

function addAddress(
  entry: Values,
  provider: string,
  url: string | undefined,
  parameters: Values,
  region: string | undefined,
): void {
  const resource =
    url === undefined || provider !== "azure_openai" ? undefined : azureResource(url);
  if (resource !== undefined) entry["resource"] = resource;
  else if (url !== undefined) entry["base_url"] = withPath(url, provider);
  const version = referenceOf(parameters["api_version"]);
  if (version !== undefined && provider === "azure_openai") entry["api_version"] = version;
  if (provider === "bedrock" || provider === "bedrock_mantle") {
    const place = referenceOf(parameters["aws_region_name"] ?? parameters["region_name"]) ?? region;
    entry["region"] = place ?? "$AWS_REGION";
    const endpoint = referenceOf(parameters["aws_bedrock_runtime_endpoint"]);
    if (endpoint !== undefined) entry["base_url"] = endpoint;
  }
  if (provider === "vertex") {
    entry["project"] =
      referenceOf(parameters["vertex_project"] ?? parameters["vertex_ai_project"]) ??
      "$GOOGLE_CLOUD_PROJECT";
    const location = referenceOf(parameters["vertex_location"] ?? parameters["vertex_ai_location"]);
    if (location !== undefined) entry["location"] = location;
  }
}

/** Without a path LiteLLM adds `/chat/completions` to it, and the gateway `/v1/chat/completions`; servers mean the latter. */
function withPath(url: string, provider: string): string {
  const plain = url.replace(/\/(?:chat\/completions|v1\/messages)?\/*$/, "");
  return provider === "ollama" && /^https?:\/\/[^/]+$/.test(plain) ? `${plain}/v1` : plain;
}

/** Texts that people write where a server requires no key. */
const PLACEHOLDER =
  /^(?:|-|none|null|empty|any|anything|dummy|fake|fake-key|no-?key|not-?(?:needed|required|used)|sk-no-key-required|placeholder|x+|ollama|vllm|lm-?studio|llama\.?cpp|local)$/i;

function addKey(
  entry: Values,
  provider: string,
  hasOwnAddress: boolean,
  parameters: Values,
  result: Deployment,
): void {
  const key = referenceOf(parameters["api_key"]);
  const isKeyless = ["ollama", "vllm", "demo"].includes(provider);
  const hasLogin = LOGINS.includes(provider);
  const url = entry["base_url"];
  if (key?.startsWith("$") === true) entry["access_key"] = key;
  else if (key !== undefined && !PLACEHOLDER.test(key)) {
    // The usual variable has the key of the provider's own address, which no other host may get.
    entry["access_key"] =
      `$${hasOwnAddress && typeof url === "string" ? variableOfHost(url) : usualVariable(provider)}`;
    result.literalKey = key;
  } else if (!isKeyless && !(hasLogin && key === undefined) && url === undefined)
    entry["access_key"] = `$${usualVariable(provider)}`;
}

/** Providers that need no key: the machine has a login. */
const LOGINS = ["bedrock", "bedrock_mantle", "vertex", "azure_openai", "azure_foundry"];

function addHeaders(entry: Values, parameters: Values): void {
  const headers: Values = isRecord(parameters["extra_headers"])
    ? { ...parameters["extra_headers"] }
    : {};
  const organization = referenceOf(parameters["organization"]);
  if (organization !== undefined) headers["openai-organization"] = organization;
  const shown = Object.entries(headers).map(([name, value]) => [name, referenceOf(value) ?? value]);
  if (shown.length > 0) entry["headers"] = Object.fromEntries(shown);
}

const MAX_ATTEMPTS = 5;

/** Returns `attempts` for a number of retries. */
export function attemptsOf(retries: number): number {
  return Math.min(retries + 1, MAX_ATTEMPTS);
}

/** Returns whether there are more retries than the gateway makes. */
export function isCapped(retries: unknown): boolean {
  return typeof retries === "number" && retries + 1 > MAX_ATTEMPTS;
}

export const CAPPED_RETRIES = `a request has at most ${String(MAX_ATTEMPTS)} attempts, the first included`;

function addRetry(entry: Values, parameters: Values, result: Deployment): void {
  const retry: Values = {};
  const [timeout, stream] = [parameters["timeout"], parameters["stream_timeout"]];
  const retries = parameters["num_retries"] ?? parameters["max_retries"];
  if (typeof retries === "number") retry["attempts"] = attemptsOf(retries);
  if (isCapped(retries))
    result.leftOut.push({ reason: CAPPED_RETRIES, part: { num_retries: retries } });
  if (typeof timeout === "number" && timeout >= 1)
    retry["per_try_timeout"] = `${String(Math.ceil(timeout))}s`;
  if (typeof stream === "number" && stream >= 1)
    retry["first_byte_timeout"] = `${String(Math.ceil(stream))}s`;
  else if (stream !== undefined)
    result.leftOut.push({
      reason: "a timeout is one second or more",
      part: { stream_timeout: stream },
    });
  if (Object.keys(retry).length > 0) entry["retry"] = retry;
}

function addNumbers(parameters: Values, result: Deployment): void {
  const { rpm, tpm, weight } = parameters;
  const limit = {
    ...(typeof rpm === "number" ? { requests: rpm } : {}),
    ...(typeof tpm === "number" ? { tokens: tpm } : {}),
  };
  if (Object.keys(limit).length > 0) result.limit = limit;
  if (typeof weight === "number") result.weight = weight;
  const prices = Object.entries(RATES).flatMap(([key, name]) => {
    const rate = parameters[key];
    return typeof rate === "number" ? [[name, Number((rate * 1e6).toPrecision(12))] as const] : [];
  });
  if (prices.length > 0) result.price = Object.fromEntries(prices);
}

/** LiteLLM's rates are US dollars a token. One that is not set is the listed price, as in LiteLLM. */
const RATES: Readonly<Record<string, string>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  cache_read_input_token_cost: "cache_read",
  cache_creation_input_token_cost: "cache_write",
};

function addBudget(parameters: Values, result: Deployment): void {
  const { max_budget: amount, budget_duration: duration } = parameters;
  const part = {
    max_budget: amount,
    ...(duration === undefined ? {} : { budget_duration: duration }),
  };
  if (amount === undefined) return;
  const budget = budgetOf(amount, duration);
  if (budget !== undefined) result.budget = budget;
  else result.leftOut.push({ reason: OTHER_PERIOD, part });
}

export const OTHER_PERIOD =
  "a budget is US dollars a day, week, month or year of the calendar, or in total (docs/budgets.md)";

/** By the duration of LiteLLM (`budget_duration`) or Bifrost (`reset_duration`). It counts from the first request; here a period is one of the calendar. */
const PERIODS: Readonly<Record<string, string>> = {
  "24h": "day",
  "1d": "day",
  daily: "day",
  "7d": "week",
  weekly: "week",
  "30d": "month",
  "1M": "month",
  "1w": "week",
  "1Y": "year",
  "31d": "month",
  "1mo": "month",
  monthly: "month",
  "365d": "year",
};

/** Returns a budget; undefined if it has no equivalent. */
export function budgetOf(amount: unknown, duration: unknown): Values | undefined {
  const isTotal = duration === undefined || duration === null;
  const per = isTotal ? "total" : typeof duration === "string" ? PERIODS[duration] : undefined;
  if (typeof amount !== "number" || !(amount > 0) || per === undefined) return undefined;
  return { amount: `${String(Number(amount.toFixed(9)))} USD`, per };
}

function addLeftOut(key: string, value: unknown, result: Deployment): void {
  if (KNOWN.has(key)) return;
  const part = { [key]: referenceOf(value) ?? value };
  if (OF_REQUESTS.test(key))
    result.leftOut.push({ reason: "clients set it in their requests", part });
  else if (key.startsWith("aws_"))
    result.leftOut.push({
      reason:
        "AWS credentials come from the environment, or from `credential` of the entry (docs/credentials.md)",
      part,
    });
  else if (key.startsWith("vertex_"))
    result.leftOut.push({
      reason:
        "Google's credentials come from the environment, or from `credential` of the entry (docs/credentials.md)",
      part,
    });
  else if (/tenant|client_id|client_secret|azure_ad/.test(key))
    result.leftOut.push({
      reason: "write `credential: {type: entra_id, …}` (docs/credentials.md)",
      part,
    });
  else result.leftOut.push({ reason: NO_SUCH_SETTING, part });
}
