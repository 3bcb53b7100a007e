// Why a response ended. A dialect's finish-reason.ts maps its words to these reasons and back.
import { Span } from "../../bytes/text/bytes";
import { Tape } from "../../bytes/json/tape";

export const FINISH_NONE: i32 = 0;
export const FINISH_STOP: i32 = 1;
export const FINISH_STOP_SEQUENCE: i32 = 2;
export const FINISH_LENGTH: i32 = 3;
export const FINISH_TOOLS: i32 = 4;
export const FINISH_REFUSAL: i32 = 5;
/** Anthropic's pause_turn: the client has to send the turn again, because a server tool takes long. */
export const FINISH_PAUSE: i32 = 6;
export const FINISH_CONTEXT: i32 = 7;
/** The provider failed: some report it as a finish reason, others as an error. */
export const FINISH_FAULT: i32 = 8;
export const FINISH_UNKNOWN: i32 = 9;

/** A dialect's word for a reason. */
@unmanaged
export class FinishWord {
  constructor(
    public word: Span,
    public reason: i32,
  ) {}
}

/** Returns FINISH_NONE for a node that is missing, null or empty; FINISH_UNKNOWN for an unknown word. */
export function findReason(words: StaticArray<FinishWord>, tape: Tape, node: u32): i32 {
  if (!tape.isString(node) || tape.size(node) == 0) return FINISH_NONE;
  for (let i = 0; i < words.length; i++) {
    const candidate = unchecked(words[i]);
    if (tape.equals(node, candidate.word)) return candidate.reason;
  }
  return FINISH_UNKNOWN;
}
