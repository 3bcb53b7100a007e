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
  return facts === undefined ? {} : limitsOfFacts(facts, dialect);
}

export function limitsOfFacts(facts: ModelFacts, dialect: DialectRow): ModelLimits {
  if (facts.kind !== undefined) return {};
  const efforts = effortsOf(facts, dialect);
  return {
    ...sizeOf(facts),
    ...(facts.sampling === false ? { sampling: "none" as const } : {}),
    ...(efforts === undefined ? {} : { efforts }),
    ...(doesNotReason(facts) && dialect.vendor === OPENAI_CHAT.vendor
      ? { reasons_by_default: false }
      : {}),
    ...(dialect === ANTHROPIC_MESSAGES ? thinkingOf(facts) : {}),
  };
}

/** A maximum of the whole window is none: the input needs a part of it. */
function sizeOf({ maxOutputTokens: output, contextWindow = Infinity }: ModelFacts): ModelLimits {
  return output === undefined || output >= contextWindow ? {} : { max_output_tokens: output };
}

/** OpenAI's own models alone: elsewhere a catalogue may not know yet that a model reasons, or servers ignore the effort. */
function doesNotReason({ reasons, provider }: ModelFacts): boolean {
  return reasons === false && (provider === "openai" || provider === "azure_openai");
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
