// What a start without a configuration, and `gateway init`, know of providers: where their users have the key, and which model
// they get if they choose none. The models are those of November 2026.
import type { AddressKey } from "./cloud-address.ts";

export interface Starter {
  /** What stands before the first slash of `model`. */
  provider: string;
  title: string;
  /** Environment variables with the key, the provider's own first: the SDKs, LiteLLM and others use them. */
  variables: string[];
  /** The bare name of the model for `model: none` and for the aliases of coding agents: it accepts tools in the provider's first API. */
  model: string;
  /** The key of the entry that its users have in the environment too, and the variables. */
  address?: { key: AddressKey; variables: string[] };
  /** `provider_interface`, if the API depends on the model. */
  api?: string;
}

/** In the order in which one is chosen as the default. */
export const STARTERS: readonly Starter[] = [
  { provider: "openai", title: "OpenAI", variables: ["OPENAI_API_KEY"], model: "gpt-5.5" },
  {
    provider: "anthropic",
    title: "Anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    model: "claude-sonnet-5-5",
  },
  {
    provider: "gemini",
    title: "Gemini API",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    model: "gemini-3.5-flash",
  },
  {
    provider: "mistral",
    title: "Mistral AI",
    variables: ["MISTRAL_API_KEY"],
    model: "mistral-large-latest",
  },
  { provider: "xai", title: "xAI", variables: ["XAI_API_KEY"], model: "grok-4.5" },
  {
    provider: "deepseek",
    title: "DeepSeek",
    variables: ["DEEPSEEK_API_KEY"],
    model: "deepseek-chat",
  },
  {
    provider: "groq",
    title: "Groq",
    variables: ["GROQ_API_KEY"],
    model: "openai/gpt-oss-120b",
  },
  {
    provider: "together_ai",
    title: "Together AI",
    variables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"],
    model: "openai/gpt-oss-120b",
  },
  {
    provider: "moonshotai",
    title: "Moonshot AI",
    variables: ["MOONSHOT_API_KEY"],
    model: "kimi-k3",
  },
  {
    provider: "zhipu",
    title: "Zhipu AI",
    variables: ["ZHIPUAI_API_KEY", "ZHIPU_API_KEY", "ZAI_API_KEY"],
    model: "glm-5.2",
  },
  {
    provider: "qwen",
    title: "Alibaba Cloud Model Studio",
    variables: ["DASHSCOPE_API_KEY"],
    model: "qwen-plus",
  },
  {
    provider: "openrouter",
    title: "OpenRouter",
    variables: ["OPENROUTER_API_KEY", "OR_API_KEY"],
    model: "openai/gpt-5.5",
  },
  {
    provider: "fireworks_ai",
    title: "Fireworks AI",
    variables: ["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"],
    model: "accounts/fireworks/models/gpt-oss-120b",
  },
  {
    provider: "cerebras",
    title: "Cerebras",
    variables: ["CEREBRAS_API_KEY"],
    model: "gpt-oss-120b",
  },
  {
    provider: "nvidia_nim",
    title: "NVIDIA NIM",
    variables: ["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"],
    model: "openai/gpt-oss-120b",
  },
  {
    provider: "huggingface",
    title: "Hugging Face",
    variables: ["HF_TOKEN", "HUGGINGFACE_API_KEY"],
    model: "openai/gpt-oss-120b",
  },
  {
    provider: "deepinfra",
    title: "DeepInfra",
    variables: ["DEEPINFRA_API_KEY"],
    model: "openai/gpt-oss-120b",
  },
  {
    provider: "sambanova",
    title: "SambaNova",
    variables: ["SAMBANOVA_API_KEY"],
    model: "gpt-oss-120b",
  },
  {
    provider: "vercel",
    title: "Vercel AI Gateway",
    variables: ["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"],
    model: "openai/gpt-5.5",
  },
  {
    provider: "cohere",
    title: "Cohere",
    variables: ["COHERE_API_KEY", "CO_API_KEY"],
    model: "command-a-03-2025",
  },
  {
    provider: "perplexity",
    title: "Perplexity",
    variables: ["PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY", "PPLX_API_KEY"],
    model: "sonar-pro",
  },
  {
    provider: "bedrock",
    title: "Amazon Bedrock",
    variables: ["AWS_BEARER_TOKEN_BEDROCK"],
    model: "openai.gpt-oss-120b-1:0",
    address: { key: "region", variables: ["AWS_REGION", "AWS_DEFAULT_REGION"] },
    api: "converse",
  },
];

/** Returns the usual model of a provider; undefined if there is none. */
export function usualModelOf(provider: string): string | undefined {
  return STARTERS.find((starter) => starter.provider === provider)?.model;
}
