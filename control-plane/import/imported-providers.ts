// The words that LiteLLM and Plano have for providers, and what an entry of llm_providers has in their place.
import { builtInName, findProvider } from "../providers/registry.ts";
import { STARTERS } from "../providers/starters.ts";
import { suggestedVariable } from "../report/secrets.ts";

/** Words that stand for any server with OpenAI's API, at the address of the entry. */
const ANY_SERVER = ["custom_openai", "openai_like"];

export interface ImportedProvider {
  /** What stands before the slash of `model`. */
  name: string;
  /** For a provider without a row. */
  base_url?: string;
  provider_interface?: string;
}

/** Returns the provider for a word of another gateway; undefined if its API is not supported. */
export function importedProvider(word: string, hasAddress: boolean): ImportedProvider | undefined {
  const name = word === "text-completion-openai" ? "openai" : builtInName(word);
  if (name !== undefined) return { name };
  const isServer = ANY_SERVER.includes(word) || hasAddress;
  return isServer ? { name: word, provider_interface: "openai" } : undefined;
}

/** Returns the variable in which users have the key of a provider. */
export function usualVariable(provider: string): string {
  const found = STARTERS.find((one) => one.provider === provider)?.variables;
  return (found ?? findProvider(provider)?.variables ?? [])[0] ?? suggestedVariable(provider);
}

/** Returns the variable for the key of a server at another address than the provider's: `http://gpu:8000/v1` → GPU_8000_KEY. */
export function variableOfHost(url: string): string {
  const host = /^\w+:\/\/([^/?#]+)/.exec(url)?.[1] ?? "";
  const words = host
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
  return `${/^[A-Z]/.test(words) ? words : `HOST_${words}`.replace(/_$/, "")}_KEY`;
}

/** Returns the resource of an address of Azure OpenAI; undefined for any other. */
export function azureResource(url: string): string | undefined {
  return /^https:\/\/([\w-]+)\.openai\.azure\.com\/?(?:openai\/?)?$/.exec(url)?.[1];
}

/** Returns the region of an address of Amazon Bedrock; undefined for any other. */
export function bedrockRegion(url: string): string | undefined {
  return /^https:\/\/bedrock-runtime\.([\w-]+)\.amazonaws\.com\/?$/.exec(url)?.[1];
}
