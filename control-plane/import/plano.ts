// A configuration of Plano, or of archgw as it was called: the keys are nearly the same, so the document stays what it is, comments
// included, with the words that differ replaced. What is left without an equivalent is taken out by prune.ts.
import { isMap, isScalar, isSeq } from "yaml";
import type { Document, YAMLMap } from "yaml";
import { vendorOf } from "../providers/model-vendors.ts";
import { PROVIDER_NAMES } from "../providers/registry.ts";
import { parseReferences } from "../config/reference.ts";
import { takeOutAt } from "./prune.ts";
import type { Reasons } from "./prune.ts";
import {
  azureResource,
  bedrockRegion,
  importedProvider,
  usualVariable,
} from "./imported-providers.ts";

/** What the gateway does not have, by key. */
export const PLANO_REASONS: Reasons = {
  agents: "the gateway calls models and APIs, not agents",
  filters: "requests do not pass through other servers",
  input_filters: "requests do not pass through other servers",
  output_filters: "responses do not pass through other servers",
  routing_preferences:
    "no model is chosen by the prompt; write model_aliases, which clients choose",
  model_metrics_sources:
    "the gateway measures itself: `balance` of an alias is latency, load or cost",
  routing: "a conversation is not kept at one model; each request is routed by its model name",
  prompt_caching: "cache marks of clients pass; the gateway adds none",
  state_storage: "the gateway stores no conversations; providers of the Responses API do",
};

const MAX_ATTEMPTS = 5;
const LISTS = ["llm_providers", "model_providers"];
/** Types of parameters in JSON Schema. */
const TYPES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  array: "list",
  object: "dict",
};

/** Rewrites the document. */
export function convertPlano(document: Document): void {
  if (document.has("version")) document.set("version", "v0.1.0");
  const renamed = new Map<string, string>();
  for (const list of LISTS)
    for (const entry of mapsIn(document.get(list))) convertEntry(entry, renamed);
  for (const target of mapsIn(document.get("prompt_targets")))
    for (const parameter of mapsIn(target.get("parameters"))) convertType(parameter);
  for (const limit of mapsIn(document.get("ratelimits"))) convertLimit(limit, renamed);
  convertListeners(document);
  const timeout: unknown = document.getIn(["overrides", "upstream_connect_timeout"]);
  if (timeout !== undefined && !document.has("upstream")) {
    document.set("upstream", document.createNode({ connect_timeout: timeout }));
    document.deleteIn(["overrides", "upstream_connect_timeout"]);
    const overrides = document.get("overrides");
    if (isMap(overrides) && overrides.items.length === 0) document.delete("overrides");
  }
  const aliases = document.get("model_aliases");
  if (!isMap(aliases)) return;
  for (const { value } of aliases.items) {
    if (isMap(value)) rename(value, "target", renamed);
  }
}

/** Agents have listeners of their own; the attempts of a listener are those of all models. */
function convertListeners(document: Document): void {
  const list = document.get("listeners");
  if (!isSeq(list)) return;
  for (let index = list.items.length - 1; index >= 0; index--) {
    const listener = list.items[index];
    if (!isMap(listener)) continue;
    if (listener.get("type") === "agent") {
      takeOutAt(document, ["listeners", index], PLANO_REASONS["agents"] ?? "");
      continue;
    }
    const retries = listener.get("max_retries");
    if (typeof retries !== "number" || document.has("retry")) continue;
    document.set("retry", document.createNode({ attempts: Math.min(retries + 1, MAX_ATTEMPTS) }));
    listener.delete("max_retries");
  }
}

function mapsIn(list: unknown): YAMLMap[] {
  return isSeq(list) ? list.items.filter((item) => isMap(item)) : [];
}

function textIn(map: YAMLMap, key: string): string | undefined {
  const value = map.get(key);
  return typeof value === "string" ? value : undefined;
}

function convertEntry(entry: YAMLMap, renamed: Map<string, string>): void {
  const model = textIn(entry, "model");
  if (model === undefined) return;
  const own = textIn(entry, "provider") ?? textIn(entry, "provider_interface") ?? vendorOf(model);
  if (!model.includes("/") && own !== undefined) {
    // As archgw had it at first, and as Plano renders it.
    entry.delete("provider");
    if (PROVIDER_NAMES.includes(own)) entry.delete("provider_interface");
    if (textIn(entry, "name") === `${own}/${model}`) entry.delete("name");
    replace(entry, "model", `${own}/${model}`);
    convertEntry(entry, renamed);
    return;
  }
  const slash = model.indexOf("/");
  const word = model.slice(0, slash);
  const provider = slash < 0 ? undefined : importedProvider(word, entry.has("base_url"));
  if (provider !== undefined) {
    if (provider.name !== word) {
      const name = `${provider.name}/${model.slice(slash + 1)}`;
      replace(entry, "model", name);
      renamed.set(model, name);
      if (!entry.has("name") && !name.endsWith("*")) entry.set("name", model);
    }
    if (provider.base_url !== undefined && !entry.has("base_url"))
      entry.set("base_url", provider.base_url);
    if (provider.provider_interface !== undefined && !entry.has("provider_interface"))
      entry.set("provider_interface", provider.provider_interface);
    convertAddress(entry, provider.name);
  }
  convertKey(entry, provider?.name ?? word);
}

/** The address of a cloud is made from keys here, which also select the API. */
function convertAddress(entry: YAMLMap, provider: string): void {
  const url = textIn(entry, "base_url");
  if (url === undefined) return;
  const resource = provider === "azure_openai" ? azureResource(url) : undefined;
  const region = provider === "bedrock" ? bedrockRegion(url) : undefined;
  if (resource !== undefined) entry.set("resource", resource);
  if (region !== undefined) entry.set("region", region);
  if ((resource ?? region) !== undefined) entry.delete("base_url");
}

/** A key in the file becomes a variable, whose value the user has to set. */
function convertKey(entry: YAMLMap, provider: string): void {
  const key = textIn(entry, "access_key");
  if (key === undefined || parseReferences(key).names.length > 0) return;
  replace(
    entry,
    "access_key",
    `$${usualVariable(provider)}`,
    " the key was in the file: put it into this variable",
  );
}

/** Sets the value of a key, and keeps the comments at it. */
function replace(map: YAMLMap, key: string, value: string, comment?: string): void {
  const node = map.get(key, true);
  if (!isScalar(node)) return;
  node.value = value;
  if (comment !== undefined) node.comment = comment;
}

function convertType(parameter: YAMLMap): void {
  const type = TYPES[textIn(parameter, "type") ?? ""];
  if (type !== undefined) replace(parameter, "type", type);
}

function convertLimit(limit: YAMLMap, renamed: ReadonlyMap<string, string>): void {
  rename(limit, "model", renamed);
  const selector = limit.get("selector");
  if (isMap(selector) && selector.get("value") === "*") selector.delete("value");
}

function rename(map: YAMLMap, key: string, renamed: ReadonlyMap<string, string>): void {
  const name = renamed.get(textIn(map, key) ?? "");
  if (name !== undefined) replace(map, key, name);
}
