// The known limits of providers: what each model family refuses, by provider, with where that is said.
//
// A row is there only for what a provider's documentation, its error messages or the AI SDK of November 2026 says; each
// names its source. Looked up on 2026-11-21: the SDK packages, the issues, models.dev (state of 2026-07-02) and, of the
// providers' own pages, what search engines and those sources quote of them. No row was tried with a real key. A model
// that no row names has no limits: it may be newer than this table.
import type { DialectRow } from "../../contract/dialects.ts";
import { OPENAI_CHAT } from "../../contract/dialects.ts";
import type { ModelLimits } from "../../model/model-limits.ts";
import type { ProviderLimits } from "./limits/model-families.ts";
import { matchesPattern } from "./clouds.ts";
import {
  ANTHROPIC,
  ANTHROPIC_ON_BEDROCK,
  ANTHROPIC_ON_MANTLE,
  ANTHROPIC_ON_VERTEX,
} from "./limits/anthropic.ts";
import { BEDROCK } from "./limits/bedrock.ts";
import { CEREBRAS } from "./limits/cerebras.ts";
import { DEEPSEEK } from "./limits/deepseek.ts";
import { GEMINI, GEMINI_API, GEMINI_CHAT } from "./limits/gemini.ts";
import { GROQ } from "./limits/groq.ts";
import { MISTRAL } from "./limits/mistral.ts";
import { MOONSHOT } from "./limits/moonshot.ts";
import { OLLAMA } from "./limits/ollama.ts";
import { OPENAI, OPENAI_AT_HOME } from "./limits/openai.ts";
import { OTHER_LIMITS } from "./limits/others.ts";
import { OPENROUTER } from "./limits/openrouter.ts";
import { QWEN } from "./limits/qwen.ts";
import { TOGETHER } from "./limits/together.ts";
import { VLLM } from "./limits/vllm.ts";
import { XAI } from "./limits/xai.ts";
import { ZHIPU } from "./limits/zhipu.ts";

/**
 * By the name of the provider, of `provider_interface`, or of a dialect that only providers use; of a cloud: of its models of
 * Anthropic, or of OpenAI.
 */
export const KNOWN_LIMITS: Readonly<Record<string, ProviderLimits>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  claude: ANTHROPIC,
  vertex: ANTHROPIC_ON_VERTEX,
  bedrock: ANTHROPIC_ON_BEDROCK,
  bedrock_mantle: ANTHROPIC_ON_MANTLE,
  azure_openai: OPENAI_AT_HOME,
  mistral: MISTRAL,
  groq: GROQ,
  deepseek: DEEPSEEK,
  xai: XAI,
  together_ai: TOGETHER,
  moonshotai: MOONSHOT,
  zhipu: ZHIPU,
  qwen: QWEN,
  ollama: OLLAMA,
  vllm: VLLM,
  bedrock_converse: BEDROCK,
  gemini: GEMINI,
  openrouter: OPENROUTER,
  cerebras: CEREBRAS,
  ...OTHER_LIMITS,
};

/** By the name of a provider whose own dialect others have too, with less. */
export const LIMITS_AT_HOME: Readonly<Record<string, ProviderLimits>> = { gemini: GEMINI_API };

/** By the end of the host in `base_url`: they are known whatever the provider is called. */
export const LIMITS_BY_HOST: Readonly<Record<string, ProviderLimits>> = {
  "openrouter.ai": OPENROUTER,
  "api.openai.com": OPENAI_AT_HOME,
  "openai.azure.com": OPENAI_AT_HOME,
  "generativelanguage.googleapis.com": GEMINI_CHAT,
  "cerebras.ai": CEREBRAS,
  "api.z.ai": ZHIPU,
  "aliyuncs.com": QWEN,
};

/** Returns the table of a host; those of `LIMITS_BY_HOST` are of OpenAI's APIs. */
export function limitsOfHost(host: string, dialect: DialectRow): ProviderLimits | undefined {
  if (dialect.vendor !== OPENAI_CHAT.vendor) return undefined;
  return Object.entries(LIMITS_BY_HOST).find(
    ([end]) => host === end || host.endsWith(`.${end}`),
  )?.[1];
}

/**
 * Returns the name of a cloud's model as its vendor has it: `claude-sonnet-4-5-20250929` of
 * `arn:…:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0` and of `claude-sonnet-4-5@20250929`.
 */
export function familyName(model: string): string {
  return model
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z-]+\.)?(?:anthropic|openai)\./, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/@default$/, "")
    .replace("@", "-");
}

/** Returns patterns of a cloud's names for the models that a pattern of their vendor's names means, as `familyName`. */
export function cloudPatterns(pattern: string): string[] {
  return [pattern, `${pattern}@*`, `*.${pattern}`, `*.${pattern}-v*`];
}

/** What is known of a model, by its bare name; empty when nothing is. */
export function limitsIn(table: ProviderLimits | undefined, model: string): ModelLimits {
  return { ...table?.everyModel?.limits, ...familyIn(table, model)?.limits };
}

/** Returns whether a row is for the model's family. */
export function hasFamily(table: ProviderLimits | undefined, model: string): boolean {
  return familyIn(table, model) !== undefined;
}

function familyIn(table: ProviderLimits | undefined, model: string) {
  return table?.families?.find(({ models }) =>
    models.some((pattern) => matchesPattern(pattern, model)),
  );
}
