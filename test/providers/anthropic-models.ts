// What single models of Anthropic refuse, in the words of the real API (issues of November 2025 to October 2026).
import type { AnthropicRequest } from "./anthropic-request.ts";

interface Family {
  name: RegExp;
  thinking: string[];
  efforts: string[];
  /** `temperature`, `top_p`, `top_k`: all, not both of the first two, or none but the defaults. */
  sampling: "any" | "one" | "none";
  refuses?: ("prefill" | "force" | "schema")[];
  mostTokens?: number;
}

const UP_TO_HIGH = ["low", "medium", "high"];
const ALL = [...UP_TO_HIGH, "xhigh", "max"];
const BUDGET = ["enabled", "disabled"];

/** The first that fits counts. */
const FAMILIES: Family[] = [
  {
    name: /^claude-3-7/,
    thinking: BUDGET,
    efforts: [],
    sampling: "any",
    refuses: ["schema"],
    mostTokens: 64_000,
  },
  {
    name: /^claude-3-5/,
    thinking: [],
    efforts: [],
    sampling: "any",
    refuses: ["schema"],
    mostTokens: 8192,
  },
  {
    name: /^claude-3-/,
    thinking: [],
    efforts: [],
    sampling: "any",
    refuses: ["schema"],
    mostTokens: 4096,
  },
  {
    name: /^claude-opus-4-5/,
    thinking: BUDGET,
    efforts: UP_TO_HIGH,
    sampling: "one",
    mostTokens: 64_000,
  },
  {
    name: /^claude-(?:sonnet|haiku)-4-5/,
    thinking: BUDGET,
    efforts: [],
    sampling: "one",
    mostTokens: 64_000,
  },
  { name: /^claude-opus-4-1/, thinking: BUDGET, efforts: [], sampling: "any", mostTokens: 32_000 },
  {
    name: /^claude-(?:opus|sonnet)-4-6/,
    thinking: [...BUDGET, "adaptive"],
    efforts: [...UP_TO_HIGH, "max"],
    sampling: "one",
    refuses: ["prefill"],
    mostTokens: 128_000,
  },
  {
    name: /^claude-opus-4-[78]|^claude-(?:opus|sonnet)-5(?!-5)|^claude-haiku-5/,
    thinking: ["adaptive", "disabled"],
    efforts: ALL,
    sampling: "none",
    refuses: ["prefill"],
    mostTokens: 128_000,
  },
  {
    name: /^claude-sonnet-5-5/,
    thinking: ["adaptive", "between_tools"],
    efforts: ALL,
    sampling: "none",
    refuses: ["prefill", "force"],
    mostTokens: 128_000,
  },
  {
    name: /^claude-opus-5-5|^claude-(?:fable|mythos)-5-1/,
    thinking: ["adaptive"],
    efforts: ALL,
    sampling: "none",
    refuses: ["prefill", "force"],
    mostTokens: 128_000,
  },
  {
    name: /^claude-(?:fable|mythos)/,
    thinking: ["adaptive"],
    efforts: ALL,
    sampling: "none",
    refuses: ["prefill"],
    mostTokens: 128_000,
  },
  {
    name: /^claude-(?:opus|sonnet)-4/,
    thinking: BUDGET,
    efforts: [],
    sampling: "any",
    refuses: ["schema"],
    mostTokens: 64_000,
  },
];

/** The message of the 400; undefined where the model takes the request, or where nobody knows the model. */
export function modelRefusal(request: AnthropicRequest): string | undefined {
  const family = FAMILIES.find(({ name }) => name.test(request.model));
  if (family === undefined) return undefined;
  return (
    thinkingRefusal(request, family) ??
    samplingRefusal(request, family) ??
    otherRefusal(request, family)
  );
}

function thinkingRefusal(request: AnthropicRequest, family: Family): string | undefined {
  const type = request.thinking?.type;
  if (type === "adaptive" && !family.thinking.includes(type))
    return "adaptive thinking is not supported on this model";
  if (type !== undefined && type !== "disabled" && family.thinking.length === 0)
    return "thinking: not supported on this model";
  if (type !== undefined && family.thinking.length > 0 && !family.thinking.includes(type))
    return `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;
  const effort = request.output_config?.effort;
  if (effort == null || family.efforts.includes(effort)) return undefined;
  return family.efforts.length === 0
    ? "This model does not support the effort parameter."
    : `output_config.effort: '${effort}' is not supported on this model. Supported levels: ${family.efforts.join(", ")}`;
}

function samplingRefusal(request: AnthropicRequest, { sampling }: Family): string | undefined {
  const { temperature, top_p: topP, top_k: topK } = request;
  if (sampling === "one" && temperature !== undefined && topP !== undefined)
    return "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
  if (sampling !== "none") return undefined;
  if (temperature !== undefined && temperature !== 1)
    return "`temperature` is deprecated for this model.";
  if (topP !== undefined && topP !== 1) return "`top_p` is deprecated for this model.";
  return topK === undefined ? undefined : "`top_k` is deprecated for this model.";
}

function otherRefusal(request: AnthropicRequest, family: Family): string | undefined {
  const refuses = family.refuses ?? [];
  if (refuses.includes("prefill") && request.messages.at(-1)?.role === "assistant")
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  const choice = request.tool_choice?.type;
  if (refuses.includes("force") && (choice === "any" || choice === "tool"))
    return 'tool_choice: type "tool" and "any" are not supported for this model.';
  if (refuses.includes("schema") && request.output_config?.format != null)
    return "output_config.format: not supported on this model";
  const { mostTokens } = family;
  if (mostTokens !== undefined && request.max_tokens > mostTokens)
    return `max_tokens: ${request.max_tokens} > ${mostTokens}, which is the maximum allowed number of output tokens for ${request.model}`;
  return undefined;
}
