// What is known of one item of a response while it is read.
import { NO_COUNT } from "../../../../bytes/json/number";
import { Tape } from "../../../../bytes/json/tape";
import { hash64 } from "../../../../bytes/text/hash";

/** What OpenAI's servers did besides searches, and unknown items. */
export const ITEM_OTHER: i32 = 0;
export const ITEM_MESSAGE: i32 = 1;
export const ITEM_REASONING: i32 = 2;
export const ITEM_CALL: i32 = 3;
export const ITEM_CUSTOM: i32 = 4;
export const ITEM_SEARCH: i32 = 5;

export class Item {
  /** The hub's number of a call, -1 until it has begun. */
  slot: i32 = -1;
  /** Bytes of its text, reasoning or arguments so far. */
  received: u32 = 0;
  hasCitations: bool = false;
  hasLogprobs: bool = false;
  isDone: bool = false;
  /** Reasoning: whether its text is the summary, and the index of the part that was read last. */
  isSummary: bool = false;
  part: i64 = NO_COUNT;
  private id: u64 = 0;
  private callId: u64 = 0;

  constructor(
    /** `output_index`; NO_COUNT if the provider sends none. */
    public index: i64,
    public kind: i32,
  ) {}

  get isCall(): bool {
    return this.kind == ITEM_CALL || this.kind == ITEM_CUSTOM;
  }

  /** Whether it is text or reasoning: a block of the response, which ends before the next one. */
  get isBlock(): bool {
    return this.kind == ITEM_MESSAGE || this.kind == ITEM_REASONING;
  }

  setIds(tape: Tape, id: u32, callId: u32): void {
    this.id = hashOf(tape, id);
    this.callId = hashOf(tape, callId);
  }

  /** Returns whether an `item_id` is the item's; some providers send the call's id there. */
  hasId(tape: Tape, node: u32): bool {
    const hash = hashOf(tape, node);
    return hash != 0 && (hash == this.id || hash == this.callId);
  }
}

function hashOf(tape: Tape, node: u32): u64 {
  return tape.isString(node) ? hash64(tape.pointer(node), tape.size(node)) : 0;
}
