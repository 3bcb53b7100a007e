// The words that LiteLLM and Plano have for providers, and what an entry of llm_providers has in their place.
import { OTHER_NAMES, PROVIDER_NAMES, UNSUPPORTED_PROVIDERS } from "../providers/registry.ts";
import { STARTERS } from "../providers/starters.ts";
import { suggestedVariable } from "../config/secrets.ts";

/** Providers without a row in the registry whose API is OpenAI's. */
const COMPATIBLE: Readonly<Record<string, string>> = {
  openrouter: "https://openrouter.ai/api/v1",
  fireworks_ai: "https://api.fireworks.ai/inference/v1",
  perplexity: "https://api.perplexity.ai",
  cerebras: "https://api.cerebras.ai/v1",
  nvidia_nim: "https://integrate.api.nvidia.com/v1",
  deepinfra: "https://api.deepinfra.com/v1/openai",
  sambanova: "https://api.sambanova.ai/v1",
  vercel: "https://ai-gateway.vercel.sh/v1",
  vercel_ai_gateway: "https://ai-gateway.vercel.sh/v1",
  digitalocean: "https://inference.do-ai.run/v1",
  github: "https://models.github.ai/inference",
  novita: "https://api.novita.ai/v3/openai",
};

/** Words for a provider of the registry that OTHER_NAMES does not have. */
const SAME: Readonly<Record<string, string>> = {
  ollama_chat: "ollama",
  hosted_vllm: "vllm",
  "text-completion-openai": "openai",
  moonshot: "moonshotai",
  dashscope: "qwen",
  zai: "zhipu",
  together: "together_ai",
  "bedrock-mantle": "bedrock_mantle",
  vertex_ai_beta: "vertex",
};

/** Words that stand for any server with OpenAI's API, at the address of the entry. */
const ANY_SERVER = [
  "custom_openai",
  "openai_like",
  "litellm_proxy",
  "lm_studio",
  "llamafile",
  "xinference",
];

export interface ImportedProvider {
  /** What stands before the slash of `model`. */
  name: string;
  /** For a provider without a row. */
  base_url?: string;
  provider_interface?: string;
}

/** Returns the provider for a word of another gateway; undefined if its API is not supported. */
export function importedProvider(word: string, hasAddress: boolean): ImportedProvider | undefined {
  if (PROVIDER_NAMES.includes(word)) return { name: word };
  const name = SAME[word] ?? OTHER_NAMES.get(word);
  if (name !== undefined) return { name };
  const url = COMPATIBLE[word] ?? UNSUPPORTED_PROVIDERS.get(word)?.baseUrl;
  if (url !== undefined) return { name: word, base_url: url, provider_interface: "openai" };
  const isServer = ANY_SERVER.includes(word) || hasAddress;
  return isServer ? { name: word, provider_interface: "openai" } : undefined;
}

/** Returns the variable in which users have the key of a provider. */
export function usualVariable(provider: string): string {
  const found = STARTERS.find((one) => one.provider === provider)?.variables[0];
  return found ?? suggestedVariable(provider);
}

/** Returns the resource of an address of Azure OpenAI; undefined for any other. */
export function azureResource(url: string): string | undefined {
  return /^https:\/\/([\w-]+)\.openai\.azure\.com\/?(?:openai\/?)?$/.exec(url)?.[1];
}

/** Returns the region of an address of Amazon Bedrock; undefined for any other. */
export function bedrockRegion(url: string): string | undefined {
  return /^https:\/\/bedrock-runtime\.([\w-]+)\.amazonaws\.com\/?$/.exec(url)?.[1];
}
