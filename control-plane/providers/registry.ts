// The one table of providers: where each listens, which wire format it speaks and how it takes its key. What their models
// refuse is in known-limits.ts.
import { DIALECT_ANTHROPIC, DIALECT_OPENAI } from "../../contract/words.ts";
import type { Address, AuthKind, Dialect } from "../ir/model.ts";

export interface Provider {
  /** What stands before the first slash of `model`. */
  name: string;
  /** For people: the company or project. */
  title: string;
  /** Absent: the user has to give one (`vllm`), or there is none (`demo`). */
  baseUrl?: string;
  /** The demonstration model, served by the control plane itself. */
  embedded?: true;
  dialect: Dialect;
  /** How the key is sent, when there is one. */
  auth: AuthKind;
  /** Whether `access_key` is required at the provider's own address. */
  needsKey: boolean;
  /**
   * Whether `stream_options.include_usage` may be asked for. False where the provider refuses it, or
   * where every stream ends in a usage chunk anyway.
   */
  asksForUsage: boolean;
}

/** A row of the usual kind: OpenAI's format, a bearer key, usage on request. */
function openaiCompatible(
  name: string,
  title: string,
  baseUrl: string | undefined,
  more: Partial<Provider> = {},
): Provider {
  return {
    name,
    title,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    dialect: DIALECT_OPENAI,
    auth: "bearer",
    needsKey: true,
    asksForUsage: true,
    ...more,
  };
}

export const PROVIDERS: readonly Provider[] = [
  openaiCompatible("openai", "OpenAI", "https://api.openai.com/v1"),
  {
    name: "anthropic",
    title: "Anthropic",
    baseUrl: "https://api.anthropic.com",
    dialect: DIALECT_ANTHROPIC,
    auth: "x_api_key",
    needsKey: true,
    asksForUsage: false,
  },
  // Refuses `stream_options.include_usage` with 422 (openai/openai-agents-python#442); usage comes unasked.
  openaiCompatible("mistral", "Mistral AI", "https://api.mistral.ai/v1", { asksForUsage: false }),
  openaiCompatible("groq", "Groq", "https://api.groq.com/openai/v1"),
  openaiCompatible("deepseek", "DeepSeek", "https://api.deepseek.com/v1"),
  openaiCompatible("xai", "xAI", "https://api.x.ai/v1"),
  openaiCompatible("together_ai", "Together AI", "https://api.together.xyz/v1"),
  openaiCompatible("moonshotai", "Moonshot AI", "https://api.moonshot.ai/v1"),
  // Every stream ends in a usage chunk; `stream_options` is not in its reference.
  openaiCompatible("zhipu", "Zhipu AI", "https://open.bigmodel.cn/api/paas/v4", {
    asksForUsage: false,
  }),
  openaiCompatible(
    "qwen",
    "Alibaba Cloud Model Studio",
    "https://dashscope.aliyuncs.com/compatible-mode/v1",
  ),
  openaiCompatible("ollama", "Ollama", "http://localhost:11434/v1", { needsKey: false }),
  openaiCompatible("vllm", "vLLM", undefined, { needsKey: false }),
  openaiCompatible("demo", "Demonstration model", undefined, {
    embedded: true,
    auth: "none",
    needsKey: false,
  }),
];

/** A word of `provider_interface`: which wire format and key header an address speaks. */
export interface ProviderInterface {
  dialect: Dialect;
  auth: AuthKind;
  asksForUsage: boolean;
}

/** The words of `provider_interface`: the provider names of the table, and `claude`. */
export const INTERFACES: ReadonlyMap<string, ProviderInterface> = new Map(
  [
    ...PROVIDERS.filter((provider) => provider.embedded !== true),
    { ...findProvider("anthropic"), name: "claude" } as Provider,
  ].map(({ name, dialect, auth, asksForUsage }) => [name, { dialect, auth, asksForUsage }]),
);

/** A provider whose native API the gateway does not support. */
export interface UnsupportedProvider {
  /** For people. */
  title: string;
  /** Its OpenAI-compatible endpoint, which works today; absent where there is none of its own. */
  baseUrl?: string;
}

const GEMINI: UnsupportedProvider = {
  title: "Gemini",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
};
const BEDROCK: UnsupportedProvider = { title: "Amazon Bedrock" };
const AZURE: UnsupportedProvider = {
  title: "Azure OpenAI",
  baseUrl: "https://<resource>.openai.azure.com/openai/v1",
};

/** By the word before the slash of `model`, or of `provider_interface`, that other gateways have for them. */
export const UNSUPPORTED_PROVIDERS: ReadonlyMap<string, UnsupportedProvider> = new Map([
  ["gemini", GEMINI],
  ["google", GEMINI],
  ["vertex_ai", { title: "Vertex AI" }],
  ["amazon_bedrock", BEDROCK],
  ["bedrock", BEDROCK],
  ["azure_openai", AZURE],
  ["azure", AZURE],
  ["cohere", { title: "Cohere", baseUrl: "https://api.cohere.ai/compatibility/v1" }],
  ["huggingface", { title: "Hugging Face", baseUrl: "https://router.huggingface.co/v1" }],
]);

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}

export interface Base {
  address: Address;
  /** `:authority`: the port only where it is not the scheme's own. */
  authority: string;
  /** Whole request path. */
  path: string;
}

/**
 * Where a request goes, from a base URL that `isBaseUrl` accepts.
 *
 * The URL's path becomes the prefix: OpenAI's format adds `/chat/completions` to it, Anthropic's
 * `/v1/messages` (a `/v1` at the prefix's end is not doubled). Without a path the prefix is `/v1`.
 */
export function baseOf(baseUrl: string, dialect: Dialect): Base {
  const url = new URL(baseUrl);
  const tls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (tls ? 443 : 80) : Number(url.port);
  const prefix = url.pathname.replace(/\/+$/, "");
  const path =
    dialect === DIALECT_ANTHROPIC
      ? `${prefix.replace(/\/v1$/, "")}/v1/messages`
      : `${prefix === "" ? "/v1" : prefix}/chat/completions`;
  return {
    address: { kind: "host", host, port, tls, serverName: host },
    authority: url.host,
    path,
  };
}
