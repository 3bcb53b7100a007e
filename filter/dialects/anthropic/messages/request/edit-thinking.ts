// Removes thinking that the gateway marked as unsigned or as OpenAI's, what another provider ran and where its texts are from, and
// Gemini's signatures from the ids of calls, in a conversation that began with another provider: Anthropic rejects them with 400
// (docs/decisions/2026-11-22-reasoning-between-three-dialects.md).
import {
  HOSTED_BLOCK_MARK,
  HOSTED_MCP_MARK,
  MARK_BYTES,
  hasMark,
  isCarrier,
} from "../../../../hub/reasoning-carrier";
import { Edits } from "../../../../bytes/json/edit";
import { Tape } from "../../../../bytes/json/tape";
import { firstBytes } from "../../../../bytes/text/at";
import { constant } from "../../../../bytes/text/bytes";
import { removeSignaturesIn } from "../../../edit-call-ids";
import { ListEdit } from "../../../list-edit";

const HOSTED_TYPE = constant("messages[].content[].type=server_tool_use");
const CITATIONS = constant("citations");
const CITATIONS_PATH = constant("messages[].content[].citations");
const HOSTED_BYTES = firstBytes(HOSTED_BLOCK_MARK);

const messages = new ListEdit();
const members = new ListEdit();
const blocks = new ListEdit();

export function removeForeignSignatures(tape: Tape, edits: Edits): void {
  if (!tape.hasBeginning(MARK_BYTES, HOSTED_BYTES)) return;
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

/** Returns whether a block is a call or a result of what another provider ran: it has an id of the gateway. */
function isHosted(tape: Tape, block: u32): bool {
  return (
    isHostedId(tape, tape.member(block, constant("id"))) ||
    isHostedId(tape, tape.member(block, constant("tool_use_id")))
  );
}

function isHostedId(tape: Tape, node: u32): bool {
  return hasMark(tape, node, HOSTED_BLOCK_MARK) || hasMark(tape, node, HOSTED_MCP_MARK);
}

function isUnsigned(tape: Tape, block: u32): bool {
  return isCarrier(tape, tape.member(block, constant("signature"))) || isHosted(tape, block);
}

/** Removes the citations of a text of another provider: a text has only its own provider's. */
function removeCitations(tape: Tape, block: u32, edits: Edits): void {
  const citations = tape.member(block, CITATIONS);
  if (!tape.hasItems(citations)) return;
  const first = tape.first(citations);
  if (!isCarrier(tape, tape.member(first, constant("encrypted_index")))) return;
  members.begin(tape, block);
  const end = tape.next(block);
  for (let key = tape.first(block); key < end; key = tape.next(key + 1))
    members.item(tape, key, tape.equals(key, CITATIONS), edits);
  if (edits.dropped.length == 0) edits.dropped = CITATIONS_PATH;
}

/** Counts the blocks to remove, edits the others, and notes what is to be listed. */
function countUnsigned(tape: Tape, content: u32, edits: Edits): u32 {
  let count: u32 = 0;
  if (!tape.isArray(content)) return 0;
  const end = tape.next(content);
  for (let block = tape.first(content); block < end; block = tape.next(block)) {
    if (!isUnsigned(tape, block)) {
      removeCitations(tape, block, edits);
      continue;
    }
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
