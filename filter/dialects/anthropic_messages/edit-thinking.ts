// Messages on both sides: thinking that the gateway itself marked as unsigned, in a conversation that began on another
// provider, is left out, because Anthropic answers 400 to it (docs/decisions/2026-11-21-reasoning-carrier.md).
import { UNSIGNED_MARK } from "../../hub/request";
import { Edits } from "../../bytes/json/edit";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { ListEdit } from "../list-edit";

const MESSAGES = constant("messages");
const CONTENT = constant("content");
const SIGNATURE = constant("signature");

const messages = new ListEdit();
const blocks = new ListEdit();

export function removeUnsignedThinking(tape: Tape, edits: Edits): void {
  if (!hasMark(tape)) return;
  const list = tape.member(0, MESSAGES);
  if (!tape.isArray(list)) return;
  messages.begin();
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    const next = tape.next(message);
    const nextStart = next < end ? tape.outerStart(next) : tape.outerEnd(message);
    const content = tape.member(message, CONTENT);
    // A message that holds nothing else goes as a whole.
    const isRemoved =
      countUnsigned(tape, content, false) > 0 && countUnsigned(tape, content, true) == 0;
    messages.item(tape.outerStart(message), tape.outerEnd(message), nextStart, isRemoved, edits);
    if (!isRemoved) removeBlocks(tape, content, edits);
  }
}

/** Nearly every conversation has none: one look at each string's length settles it. */
function hasMark(tape: Tape): bool {
  for (let node: u32 = 0; node < tape.count; node++) {
    if (tape.size(node) == UNSIGNED_MARK.length && tape.equals(node, UNSIGNED_MARK)) return true;
  }
  return false;
}

function isUnsigned(tape: Tape, block: u32): bool {
  return tape.equals(tape.member(block, SIGNATURE), UNSIGNED_MARK);
}

/** How many blocks are unsigned thinking, or with `others` how many are not. */
function countUnsigned(tape: Tape, content: u32, others: bool): u32 {
  let count: u32 = 0;
  if (!tape.isArray(content)) return 0;
  for (
    let block = tape.first(content), end = tape.next(content);
    block < end;
    block = tape.next(block)
  ) {
    if (isUnsigned(tape, block) != others) count++;
  }
  return count;
}

function removeBlocks(tape: Tape, content: u32, edits: Edits): void {
  if (countUnsigned(tape, content, false) == 0) return;
  blocks.begin();
  const end = tape.next(content);
  for (let block = tape.first(content); block < end; block = tape.next(block)) {
    const next = tape.next(block);
    const to = tape.outerEnd(block);
    blocks.item(
      tape.outerStart(block),
      to,
      next < end ? tape.outerStart(next) : to,
      isUnsigned(tape, block),
      edits,
    );
  }
}
