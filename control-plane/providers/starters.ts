// What a start without a configuration, and `gateway init`, know of providers: where their users have the key, and which model
// they get if they choose none. The models are those of November 2026.
import type { AddressKey } from "./cloud-address.ts";
import { CLOUDS } from "./clouds.ts";
import { PROVIDERS } from "./registry.ts";

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

/** Those of clouds. */
const OF_CLOUDS: readonly Omit<Starter, "title">[] = [
  {
    provider: "gemini",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    model: "gemini-3.5-flash",
  },
  {
    provider: "bedrock",
    variables: ["AWS_BEARER_TOKEN_BEDROCK"],
    model: "openai.gpt-oss-120b-1:0",
    address: { key: "region", variables: ["AWS_REGION", "AWS_DEFAULT_REGION"] },
    api: "converse",
  },
  {
    provider: "databricks",
    variables: ["DATABRICKS_TOKEN", "DATABRICKS_API_KEY"],
    model: "databricks-gpt-oss-120b",
    address: { key: "workspace", variables: ["DATABRICKS_HOST"] },
  },
  {
    provider: "snowflake",
    variables: ["SNOWFLAKE_CORTEX_PAT", "SNOWFLAKE_TOKEN"],
    model: "openai-gpt-5.5",
    address: { key: "account", variables: ["SNOWFLAKE_ACCOUNT", "SNOWFLAKE_ACCOUNT_ID"] },
  },
  {
    provider: "cloudflare_workers_ai",
    variables: ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"],
    model: "@cf/openai/gpt-oss-120b",
    address: { key: "account", variables: ["CLOUDFLARE_ACCOUNT_ID"] },
  },
  {
    provider: "oci",
    variables: ["OCI_GENAI_API_KEY"],
    model: "openai.gpt-oss-120b",
    address: { key: "region", variables: ["OCI_REGION"] },
  },
];

/** The first ones in the order in which one is chosen as the default; the others follow in the order of the tables. */
const FIRST = [
  "openai",
  "anthropic",
  "gemini",
  "mistral",
  "xai",
  "deepseek",
  "groq",
  "together_ai",
  "moonshotai",
  "zhipu",
  "zai",
  "qwen",
  "openrouter",
  "fireworks_ai",
  "cerebras",
  "nvidia_nim",
  "huggingface",
  "deepinfra",
  "sambanova",
  "vercel",
  "cohere",
  "perplexity",
  "bedrock",
];

/** Rows without a usual model have none: their variable belongs to another provider first, or to more than models. */
export const STARTERS: readonly Starter[] = [
  ...PROVIDERS.flatMap(({ name, title, variables, usualModel }) =>
    variables === undefined || usualModel === undefined
      ? []
      : [{ provider: name, title, variables: [...variables], model: usualModel }],
  ),
  ...OF_CLOUDS.map((row) => ({
    title: CLOUDS.find(({ name }) => name === row.provider)?.title ?? row.provider,
    ...row,
  })),
].sort((one, other) => rankOf(one) - rankOf(other));

function rankOf({ provider }: Starter): number {
  const rank = FIRST.indexOf(provider);
  return rank < 0 ? FIRST.length : rank;
}

/** Returns whether it is one of those that `gateway init` proposes if it has no key. */
export function isProposed({ provider }: Starter): boolean {
  return FIRST.includes(provider);
}

/** Returns the usual model of a provider; undefined if there is none. */
export function usualModelOf(provider: string): string | undefined {
  return STARTERS.find((starter) => starter.provider === provider)?.model;
}
