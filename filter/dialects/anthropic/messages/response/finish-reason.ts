// `stop_reason` of a message.
// @see https://docs.anthropic.com/en/api/handling-stop-reasons
import {
  FINISH_CONTEXT,
  FINISH_LENGTH,
  FINISH_PAUSE,
  FINISH_REFUSAL,
  FINISH_STOP,
  FINISH_STOP_SEQUENCE,
  FINISH_TOOLS,
  FinishWord,
} from "../../../../hub/response/finish-reason";
import { constant, Span } from "../../../../bytes/text/bytes";

const END_TURN = constant("end_turn");
const STOP_SEQUENCE = constant("stop_sequence");
const MAX_TOKENS = constant("max_tokens");
const TOOL_USE = constant("tool_use");
const REFUSAL = constant("refusal");
const PAUSE_TURN = constant("pause_turn");
const CONTEXT_EXCEEDED = constant("model_context_window_exceeded");

export const STOP_REASONS: StaticArray<FinishWord> = [
  new FinishWord(END_TURN, FINISH_STOP),
  new FinishWord(STOP_SEQUENCE, FINISH_STOP_SEQUENCE),
  new FinishWord(MAX_TOKENS, FINISH_LENGTH),
  new FinishWord(TOOL_USE, FINISH_TOOLS),
  new FinishWord(REFUSAL, FINISH_REFUSAL),
  new FinishWord(PAUSE_TURN, FINISH_PAUSE),
  new FinishWord(CONTEXT_EXCEEDED, FINISH_CONTEXT),
  // Of a stream at Amazon Bedrock (langchain-aws#937).
  new FinishWord(constant("guardrail_intervened"), FINISH_REFUSAL),
];

/**
 * Returns the word for a reason. Agents continue or stop by it, so it is `tool_use` if and only if there are tool calls: chat
 * providers send `stop` after a forced call, and `tool_calls` without one.
 */
export function stopReason(reason: i32, hasTools: bool): Span {
  if (reason == FINISH_LENGTH) return MAX_TOKENS;
  if (reason == FINISH_REFUSAL) return REFUSAL;
  if (reason == FINISH_PAUSE) return PAUSE_TURN;
  if (reason == FINISH_CONTEXT) return CONTEXT_EXCEEDED;
  if (hasTools) return TOOL_USE;
  return reason == FINISH_STOP_SEQUENCE ? STOP_SEQUENCE : END_TURN;
}
