// Removes thinking that the gateway marked as unsigned or as OpenAI's, what another provider ran, and Gemini's signatures from
// the ids of calls, in a conversation that began with another provider: Anthropic rejects them with 400
// (docs/decisions/2026-11-22-reasoning-between-three-dialects.md).
import { HOSTED_MARK, MARK_BYTES, hasMark, isCarrier } from "../../../../hub/reasoning-carrier";
import { UNSIGNED_MARK } from "../../../../hub/request/request";
import { Edits } from "../../../../bytes/json/edit";
import { Tape } from "../../../../bytes/json/tape";
import { firstBytes } from "../../../../bytes/text/at";
import { constant } from "../../../../bytes/text/bytes";
import { removeSignaturesIn } from "../../../edit-call-ids";
import { ListEdit } from "../../../list-edit";

const HOSTED_TYPE = constant("messages[].content[].type=server_tool_use");
const UNSIGNED_BYTES = firstBytes(UNSIGNED_MARK);

const messages = new ListEdit();
const blocks = new ListEdit();

export function removeForeignSignatures(tape: Tape, edits: Edits): void {
  if (!tape.hasBeginning(MARK_BYTES, UNSIGNED_BYTES)) return;
  const list = tape.member(0, constant("messages"));
  if (!tape.isArray(list)) return;
  messages.begin(tape, list);
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    const content = tape.member(message, constant("content"));
    const unsigned = countUnsigned(tape, content, edits);
    // A message with nothing else is removed as a whole.
    const isRemoved = unsigned > 0 && unsigned == countBlocks(tape, content);
    messages.item(tape, message, isRemoved, edits);
    if (isRemoved) continue;
    if (unsigned > 0) editBlocks(tape, content, edits);
    else removeSignaturesIn(tape, message, tape.next(message), edits);
  }
}

function isMark(tape: Tape, node: u32): bool {
  if (isCarrier(tape, node)) return true;
  return tape.size(node) == UNSIGNED_MARK.length && tape.equals(node, UNSIGNED_MARK);
}

/** Returns whether a block is a call or a result of what another provider ran: it has an id of the gateway. */
function isHosted(tape: Tape, block: u32): bool {
  return (
    hasMark(tape, tape.member(block, constant("id")), HOSTED_MARK) ||
    hasMark(tape, tape.member(block, constant("tool_use_id")), HOSTED_MARK)
  );
}

function isUnsigned(tape: Tape, block: u32): bool {
  return isMark(tape, tape.member(block, constant("signature"))) || isHosted(tape, block);
}

/** Counts the blocks to remove, and notes whether one of them is to be listed. */
function countUnsigned(tape: Tape, content: u32, edits: Edits): u32 {
  let count: u32 = 0;
  if (!tape.isArray(content)) return 0;
  const end = tape.next(content);
  for (let block = tape.first(content); block < end; block = tape.next(block)) {
    if (!isUnsigned(tape, block)) continue;
    count++;
    if (isHosted(tape, block)) edits.dropped = HOSTED_TYPE;
  }
  return count;
}

function countBlocks(tape: Tape, content: u32): u32 {
  let count: u32 = 0;
  const end = tape.next(content);
  for (let block = tape.first(content); block < end; block = tape.next(block)) count++;
  return count;
}

function editBlocks(tape: Tape, content: u32, edits: Edits): void {
  blocks.begin(tape, content);
  const end = tape.next(content);
  for (let block = tape.first(content); block < end; block = tape.next(block)) {
    const isRemoved = isUnsigned(tape, block);
    blocks.item(tape, block, isRemoved, edits);
    if (!isRemoved) removeSignaturesIn(tape, block, tape.next(block), edits);
  }
}
