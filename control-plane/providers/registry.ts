// The table of providers with one API: where each listens, which wire format it speaks and how it takes its key. Those with
// several are in clouds.ts; what their models refuse is in known-limits.ts.
import type { CredentialKind } from "../../contract/credentials.ts";
import { NO_CREDENTIAL } from "../../contract/credentials.ts";
import type { DialectRow } from "../../contract/dialects.ts";
import { ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES } from "../../contract/dialects.ts";
import type { Address } from "../../model/model.ts";
import { CLOUDS, wordsOf } from "./clouds.ts";

export interface Provider {
  /** What stands before the first slash of `model`. */
  name: string;
  /** For people: the company or project. */
  title: string;
  /** Absent: the user has to give one (`vllm`), or there is none (`demo`). */
  baseUrl?: string;
  /** What precedes the dialect's endpoint at an address without a path, if it is not the dialect's. */
  basePath?: string;
  /** The demonstration model, served by the control plane itself. */
  embedded?: true;
  dialect: DialectRow;
  /** Whether it also serves the Responses API at its own address. */
  servesResponses?: true;
  /** How the key is sent, if there is one. */
  auth: CredentialKind;
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
    dialect: OPENAI_CHAT,
    auth: OPENAI_CHAT.credential,
    needsKey: true,
    asksForUsage: OPENAI_CHAT.asksForUsage,
    ...more,
  };
}

export const PROVIDERS: readonly Provider[] = [
  openaiCompatible("openai", "OpenAI", "https://api.openai.com/v1", { servesResponses: true }),
  {
    name: "anthropic",
    title: "Anthropic",
    baseUrl: "https://api.anthropic.com",
    dialect: ANTHROPIC_MESSAGES,
    auth: ANTHROPIC_MESSAGES.credential,
    needsKey: true,
    asksForUsage: ANTHROPIC_MESSAGES.asksForUsage,
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
  openaiCompatible("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
  openaiCompatible("fireworks_ai", "Fireworks AI", "https://api.fireworks.ai/inference/v1"),
  openaiCompatible("cerebras", "Cerebras", "https://api.cerebras.ai/v1"),
  // Its path has no /v1 (docs.perplexity.ai, "Chat completions"); every stream has usage.
  openaiCompatible("perplexity", "Perplexity", "https://api.perplexity.ai", {
    basePath: "",
    asksForUsage: false,
  }),
  openaiCompatible("nvidia_nim", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1"),
  openaiCompatible("deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai"),
  openaiCompatible("sambanova", "SambaNova", "https://api.sambanova.ai/v1"),
  openaiCompatible("vercel", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1"),
  // Its OpenAI-compatible endpoint, which rejects `stream_options`.
  openaiCompatible("cohere", "Cohere", "https://api.cohere.ai/compatibility/v1", {
    asksForUsage: false,
  }),
  openaiCompatible("huggingface", "Hugging Face", "https://router.huggingface.co/v1"),
  openaiCompatible("ollama", "Ollama", "http://localhost:11434/v1", { needsKey: false }),
  openaiCompatible("vllm", "vLLM", undefined, { needsKey: false }),
  openaiCompatible("demo", "Demonstration model", undefined, {
    embedded: true,
    auth: NO_CREDENTIAL,
    needsKey: false,
  }),
];

/** A word of `provider_interface`: which wire format and key header an address speaks. */
export interface ProviderInterface {
  dialect: DialectRow;
  auth: CredentialKind;
  asksForUsage: boolean;
}

/** The words of `provider_interface`: the provider names of the table, `claude`, and `openai_responses`. */
export const INTERFACES: ReadonlyMap<string, ProviderInterface> = new Map(
  [
    ...PROVIDERS.filter((provider) => provider.embedded !== true),
    { ...findProvider("anthropic"), name: "claude" } as Provider,
    {
      ...findProvider("openai"),
      name: OPENAI_RESPONSES.name,
      dialect: OPENAI_RESPONSES,
    } as Provider,
  ].map(({ name, dialect, auth, asksForUsage }) => [name, { dialect, auth, asksForUsage }]),
);

/** All words of `provider_interface`, those of clouds included. */
export const INTERFACE_WORDS: readonly string[] = [
  ...new Set([
    ...INTERFACES.keys(),
    ...CLOUDS.map(({ name }) => name),
    ...CLOUDS.flatMap((cloud) => wordsOf(cloud)),
  ]),
];

/** The names of all built-in providers. */
export const PROVIDER_NAMES: readonly string[] = [...PROVIDERS, ...CLOUDS].map(({ name }) => name);

/** The names of built-in providers by the words that other gateways have for them. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["google", "gemini"],
  ["google_ai_studio", "gemini"],
  ["googleai", "gemini"],
  ["vertex_ai", "vertex"],
  ["google_vertex", "vertex"],
  ["vertexai", "vertex"],
  ["gcp", "vertex"],
  ["amazon_bedrock", "bedrock"],
  ["aws_bedrock", "bedrock"],
  ["aws", "bedrock"],
  ["azure", "azure_openai"],
  ["azureopenai", "azure_openai"],
  ["azure_ai", "azure_foundry"],
  ["foundry", "azure_foundry"],
  ["fireworks", "fireworks_ai"],
  ["nvidia", "nvidia_nim"],
  ["perplexity_ai", "perplexity"],
  ["hugging_face", "huggingface"],
  ["vercel_ai_gateway", "vercel"],
  ["mistral_ai", "mistral"],
  ["mistralai", "mistral"],
  ["x_ai", "xai"],
  ["together", "together_ai"],
  ["moonshot", "moonshotai"],
  ["dashscope", "qwen"],
  ["alibaba", "qwen"],
  ["zai", "zhipu"],
  ["z_ai", "zhipu"],
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

/** What stands behind the address of a provider, where it is not the dialect's own. */
export interface OwnPath {
  /** The path of a base URL without one. */
  basePath?: string;
  endpoint?: string | undefined;
}

/**
 * Returns where a request goes, from a base URL that `isBaseUrl` accepts.
 *
 * The URL's path replaces the `basePath`: `/chat/completions` of OpenAI's format is added to it, `/v1/messages` of
 * Anthropic's (a `/v1` at its end is not doubled).
 */
export function baseOf(baseUrl: string, dialect: DialectRow, ownPath: OwnPath = {}): Base {
  const { basePath = dialect.basePath, endpoint = dialect.path.slice(dialect.basePath.length) } =
    ownPath;
  const url = new URL(baseUrl);
  const tls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (tls ? 443 : 80) : Number(url.port);
  const own = url.pathname.replace(/\/+$/, "");
  const prefix = own === "" ? basePath : own;
  const path = `${endpoint.startsWith("/v1/") ? prefix.replace(/\/v1$/, "") : prefix}${endpoint}`;
  return {
    address: { kind: "host", host, port, tls, serverName: host },
    authority: url.host,
    path,
  };
}
