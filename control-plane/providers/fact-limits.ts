// The limits that follow from the facts of a model, where our own rows (known-limits.ts) are silent.
import type { DialectRow } from "../../contract/dialects.ts";
import { ANTHROPIC_MESSAGES, GEMINI, OPENAI_CHAT } from "../../contract/dialects.ts";
import { modelFacts } from "../../model/facts/model-facts.ts";
import type { ModelFacts } from "../../model/facts/model-facts.ts";
import { EFFORTS } from "../../model/model-limits.ts";
import type { Effort, ModelLimits } from "../../model/model-limits.ts";

/** Returns the limits of a model by its facts; empty if it has none. */
export function limitsByFacts(provider: string, model: string, dialect: DialectRow): ModelLimits {
  const facts = modelFacts(provider, model);
  if (facts === undefined) return {};
  return { ...limitsOfFacts(facts, dialect), ...fastModeOf(facts, provider) };
}

function limitsOfFacts(facts: ModelFacts, dialect: DialectRow): ModelLimits {
  if (facts.kind !== undefined) return {};
  const efforts = effortsOf(facts, dialect);
  return {
    ...sizeOf(facts),
    ...(facts.sampling === false ? { sampling: "none" as const } : {}),
    ...(efforts === undefined ? {} : { efforts }),
    ...(readsTextOnly(facts) ? { images: false } : {}),
    ...(doesNotReason(facts) && dialect.vendor === OPENAI_CHAT.vendor
      ? { reasons_by_default: false }
      : {}),
    ...(dialect === ANTHROPIC_MESSAGES ? thinkingOf(facts) : {}),
  };
}

/**
 * The tier of each provider's prices that its fast mode costs. Others have words of their own (Fireworks), or a header (Vertex AI).
 * @see https://platform.claude.com/docs/en/build-with-claude/fast-mode
 * @see https://developers.openai.com/api/docs/guides/fast-mode
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/concepts/priority-processing
 * @see https://ai.google.dev/gemini-api/docs/priority-inference
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html
 */
const FAST_TIERS: Readonly<Record<string, string>> = {
  anthropic: "fast",
  openai: "priority",
  azure_openai: "priority",
  gemini: "priority",
  bedrock: "priority",
};

/** A price of another provider does not count: Claude has no fast mode on Amazon Bedrock. */
function fastModeOf(facts: ModelFacts, provider: string): ModelLimits {
  const tier = facts.provider === provider ? FAST_TIERS[provider] : undefined;
  const has = tier !== undefined && facts.price?.v?.[tier] !== undefined;
  return has ? { fast_mode: true } : {};
}

/**
 * Returns what a model of OpenAI that is newer than our rows needs: its API, and that it reasons beside tools in the Responses API
 * alone, as all of its models since GPT-5.4 do.
 */
export function limitsOfNewModel(provider: string, model: string): ModelLimits {
  if (!OF_OPENAI.has(provider)) return {};
  const { kind, chat, responses, reasons, reasoningStyle } = modelFacts(provider, model) ?? {};
  if (kind !== undefined || responses !== true) return {};
  if (chat === false) return { apis: "responses" };
  return reasons === true && reasoningStyle === "effort" ? { reasoning_with_tools: false } : {};
}

const OF_OPENAI: ReadonlySet<string> = new Set(["openai", "azure_openai"]);

/** Mistral reads PDFs for models without vision too (https://docs.mistral.ai/capabilities/document_ai/document_qna/). */
const READS_DOCUMENTS: ReadonlySet<string> = new Set(["mistral"]);

function readsTextOnly({ inputs, provider }: ModelFacts): boolean {
  return inputs?.length === 0 && !READS_DOCUMENTS.has(provider);
}

/** A maximum of the whole window is none: the input needs a part of it. */
function sizeOf({ maxOutputTokens: output, contextWindow = Infinity }: ModelFacts): ModelLimits {
  return output === undefined || output >= contextWindow ? {} : { max_output_tokens: output };
}

/** OpenAI's own models alone: elsewhere a catalogue may not know yet that a model reasons, or servers ignore the effort. */
function doesNotReason({ reasons, provider }: ModelFacts): boolean {
  return reasons === false && OF_OPENAI.has(provider);
}

/** Other styles have words of their own, which are rows of the provider. */
const STYLES_WITH_EFFORTS: ReadonlySet<string> = new Set(["effort", "adaptive", "both"]);

function effortsOf(facts: ModelFacts, dialect: DialectRow): Effort[] | undefined {
  if (doesNotReason(facts)) return [];
  const { reasoningStyle: style, efforts = [] } = facts;
  if (efforts.length === 0) return undefined;
  if (style !== undefined && !STYLES_WITH_EFFORTS.has(style)) return undefined;
  if (style === undefined && dialect !== GEMINI) return undefined;
  return EFFORTS.filter((effort) => efforts.includes(effort));
}

function thinkingOf({ reasoningStyle: style }: ModelFacts): ModelLimits {
  return style === "adaptive" || style === "both" ? { thinking: style } : {};
}
