// What a model does not take: the columns of the known limits (known-limits.ts) and of `limits` in the configuration.
import { ANTHROPIC_MESSAGES, DIALECTS, OPENAI_CHAT } from "../../contract/dialects.ts";
import type { DialectRow } from "../../contract/dialects.ts";
import type { Effort, ModelLimits } from "./model.ts";

/** From the least to the most. */
export const EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly Effort[];

export type LimitName = keyof ModelLimits;

/** What happens anyway where a column is not said. A column without an entry changes something whenever it is said. */
const DEFAULTS: ModelLimits = {
  default_max_tokens: 4096,
  max_tokens_member: "any",
  sampling: "any",
  stop: true,
  user: true,
  top_k: false,
  system_role: "anywhere",
  developer_role: true,
  system_messages: false,
  reasons_by_default: true,
  reasoning_with_tools: true,
  thinking_off: "disabled",
  reasoning_content: false,
  reasoning_details: false,
  forced_tools: "all",
  output_schema: true,
  prefill: true,
  cache_control: false,
};

/** The columns that only one of the formats has a member for. */
const COLUMNS_OF = new Map<DialectRow, readonly LimitName[]>([
  [
    OPENAI_CHAT,
    [
      "max_tokens_member",
      "user",
      "top_k",
      "system_role",
      "developer_role",
      "reasons_by_default",
      "reasoning_with_tools",
      "reasoning_content",
      "reasoning_details",
      "cache_control",
      "stream_usage",
    ],
  ],
  [
    ANTHROPIC_MESSAGES,
    ["default_max_tokens", "system_messages", "thinking", "thinking_off", "prefill"],
  ],
]);

/** The format that alone has such a column; undefined for a column of both. */
export function dialectOf(name: LimitName): DialectRow | undefined {
  return DIALECTS.find((dialect) => COLUMNS_OF.get(dialect)?.includes(name));
}

/** Only the columns that change something; undefined when none does. */
export function effectiveLimits(limits: ModelLimits): ModelLimits | undefined {
  const changing = Object.entries(limits).filter(
    ([name, value]) =>
      value !== undefined && name !== "stream_usage" && DEFAULTS[name as LimitName] !== value,
  );
  return changing.length === 0 ? undefined : Object.fromEntries(changing);
}
