// `finish_reason` of a choice, and what providers of this format send besides.
// @see https://platform.openai.com/docs/api-reference/chat/object#chat/object-choices
// @see https://docs.mistral.ai/api/#tag/chat (model_length, error)
// @see https://api-docs.deepseek.com/api/create-chat-completion (insufficient_system_resource)
// @see https://docs.bigmodel.cn/api-reference (sensitive, network_error)
// @see https://docs.together.ai/reference/chat-completions-1 (eos)
// @see https://openrouter.ai/docs/api-reference/overview (error)
import {
  FINISH_CONTEXT,
  FINISH_FAULT,
  FINISH_LENGTH,
  FINISH_PAUSE,
  FINISH_REFUSAL,
  FINISH_STOP,
  FINISH_TOOLS,
  FinishWord,
} from "../../../../hub/response/finish-reason";
import { constant, Span } from "../../../../bytes/text/bytes";

const STOP = constant("stop");
const LENGTH = constant("length");
const TOOL_CALLS = constant("tool_calls");
const CONTENT_FILTER = constant("content_filter");
const FUNCTION_CALL = constant("function_call");

export const FINISH_REASONS: StaticArray<FinishWord> = [
  new FinishWord(STOP, FINISH_STOP),
  new FinishWord(TOOL_CALLS, FINISH_TOOLS),
  new FinishWord(LENGTH, FINISH_LENGTH),
  new FinishWord(CONTENT_FILTER, FINISH_REFUSAL),
  new FinishWord(FUNCTION_CALL, FINISH_TOOLS),
  new FinishWord(constant("eos"), FINISH_STOP),
  new FinishWord(constant("end_turn"), FINISH_STOP),
  new FinishWord(constant("max_tokens"), FINISH_LENGTH),
  new FinishWord(constant("model_length"), FINISH_CONTEXT),
  new FinishWord(constant("model_context_window_exceeded"), FINISH_CONTEXT),
  new FinishWord(constant("sensitive"), FINISH_REFUSAL),
  new FinishWord(constant("error"), FINISH_FAULT),
  new FinishWord(constant("insufficient_system_resource"), FINISH_FAULT),
  new FinishWord(constant("network_error"), FINISH_FAULT),
];

/** Returns the word for a reason. `isFunction`: whether a call is a `function_call`. */
export function finishReason(reason: i32, hasTools: bool, isFunction: bool): Span {
  if (reason == FINISH_LENGTH || reason == FINISH_CONTEXT) return LENGTH;
  if (reason == FINISH_REFUSAL) return CONTENT_FILTER;
  if (!hasTools || reason == FINISH_PAUSE) return STOP;
  return isFunction ? FUNCTION_CALL : TOOL_CALLS;
}
