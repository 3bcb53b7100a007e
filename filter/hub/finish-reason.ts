// Why a response ended: the one table between the hub and both dialects.
import { constant, Span } from "../bytes/text/bytes";
import { Tape } from "../bytes/json/tape";

export const FINISH_NONE: i32 = 0;
export const FINISH_STOP: i32 = 1;
export const FINISH_STOP_SEQUENCE: i32 = 2;
export const FINISH_LENGTH: i32 = 3;
export const FINISH_TOOLS: i32 = 4;
export const FINISH_REFUSAL: i32 = 5;
/** Anthropic's pause_turn: a server tool wants the turn to be sent again. */
export const FINISH_PAUSE: i32 = 6;
export const FINISH_CONTEXT: i32 = 7;
/** A word that stands for a failure of the provider, where others send an error. */
export const FINISH_FAULT: i32 = 8;
export const FINISH_UNKNOWN: i32 = 9;

class Word {
  constructor(
    public text: Span,
    public reason: i32,
  ) {}
}

function word(text: string, reason: i32): Word {
  return new Word(constant(text), reason);
}

/**
 * `stop_reason` of a message.
 * @see https://docs.anthropic.com/en/api/handling-stop-reasons
 */
const ANTHROPIC_WORDS: StaticArray<Word> = [
  word("end_turn", FINISH_STOP),
  word("stop_sequence", FINISH_STOP_SEQUENCE),
  word("max_tokens", FINISH_LENGTH),
  word("tool_use", FINISH_TOOLS),
  word("refusal", FINISH_REFUSAL),
  word("pause_turn", FINISH_PAUSE),
  word("model_context_window_exceeded", FINISH_CONTEXT),
];

/**
 * `finish_reason` of a choice, and what providers of this format send besides.
 * @see https://platform.openai.com/docs/api-reference/chat/object#chat/object-choices
 * @see https://docs.mistral.ai/api/#tag/chat (model_length, error)
 * @see https://api-docs.deepseek.com/api/create-chat-completion (insufficient_system_resource)
 * @see https://docs.bigmodel.cn/api-reference (sensitive, network_error)
 * @see https://docs.together.ai/reference/chat-completions-1 (eos)
 * @see https://openrouter.ai/docs/api-reference/overview (error)
 */
const OPENAI_WORDS: StaticArray<Word> = [
  word("stop", FINISH_STOP),
  word("tool_calls", FINISH_TOOLS),
  word("length", FINISH_LENGTH),
  word("content_filter", FINISH_REFUSAL),
  word("function_call", FINISH_TOOLS),
  word("eos", FINISH_STOP),
  word("end_turn", FINISH_STOP),
  word("max_tokens", FINISH_LENGTH),
  word("model_length", FINISH_CONTEXT),
  word("model_context_window_exceeded", FINISH_CONTEXT),
  word("sensitive", FINISH_REFUSAL),
  word("error", FINISH_FAULT),
  word("insufficient_system_resource", FINISH_FAULT),
  word("network_error", FINISH_FAULT),
];

/** FINISH_NONE for a node that is missing, null or empty; FINISH_UNKNOWN for an unknown word. */
export function finishFromAnthropic(tape: Tape, node: u32): i32 {
  return lookUp(ANTHROPIC_WORDS, tape, node);
}

/** As `finishFromAnthropic`. */
export function finishFromOpenai(tape: Tape, node: u32): i32 {
  return lookUp(OPENAI_WORDS, tape, node);
}

function lookUp(words: StaticArray<Word>, tape: Tape, node: u32): i32 {
  if (!tape.isString(node) || tape.size(node) == 0) return FINISH_NONE;
  for (let i = 0; i < words.length; i++) {
    const candidate = unchecked(words[i]);
    if (tape.equals(node, candidate.text)) return candidate.reason;
  }
  return FINISH_UNKNOWN;
}

const END_TURN = constant("end_turn");
const STOP_SEQUENCE = constant("stop_sequence");
const MAX_TOKENS = constant("max_tokens");
const TOOL_USE = constant("tool_use");
const REFUSAL = constant("refusal");
const PAUSE_TURN = constant("pause_turn");
const CONTEXT_EXCEEDED = constant("model_context_window_exceeded");

/**
 * The word for a messages client. Agents go on or stop by it, so whether it says `tool_use` depends on whether there
 * are tool calls: OpenAI says `stop` after a forced call, others say `tool_calls` without one.
 */
export function anthropicFinish(reason: i32, hasTools: bool): Span {
  if (reason == FINISH_LENGTH) return MAX_TOKENS;
  if (reason == FINISH_REFUSAL) return REFUSAL;
  if (reason == FINISH_PAUSE) return PAUSE_TURN;
  if (reason == FINISH_CONTEXT) return CONTEXT_EXCEEDED;
  if (hasTools) return TOOL_USE;
  return reason == FINISH_STOP_SEQUENCE ? STOP_SEQUENCE : END_TURN;
}

const STOP = constant("stop");
const LENGTH = constant("length");
const TOOL_CALLS = constant("tool_calls");
const CONTENT_FILTER = constant("content_filter");

/** The word for a chat client. */
export function openaiFinish(reason: i32, hasTools: bool): Span {
  if (reason == FINISH_LENGTH || reason == FINISH_CONTEXT) return LENGTH;
  if (reason == FINISH_REFUSAL) return CONTENT_FILTER;
  return hasTools && reason != FINISH_PAUSE ? TOOL_CALLS : STOP;
}

/** Whether the reason is said in other words than the provider's: pause_turn and unknown ones have no chat form. */
export function isInexact(reason: i32): bool {
  return reason == FINISH_PAUSE || reason == FINISH_CONTEXT || reason == FINISH_UNKNOWN;
}
