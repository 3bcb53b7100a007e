// The attribution block of Claude Code: a text before its system prompt with its version, and what differs between conversations.
// api.anthropic.com takes it out, and the clouds' Claude reads it; in the prompt of any other model no two conversations, and with
// versions before 2.1.181 no two turns, would begin alike, so that nothing of a system prompt is read from a cache.
// @see https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block
import { ATTRIBUTION_BEGINNING } from "../../../../../contract/prompt-parts";
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { startsWith } from "../../../../bytes/text/at";
import { constant } from "../../../../bytes/text/bytes";
import { ListEdit } from "../../../list-edit";

const BEGINNING = constant(ATTRIBUTION_BEGINNING);
const SYSTEM = constant("system");
const TEXT = constant("text");

const listEdit = new ListEdit();

/** Returns whether a string of the system prompt is the block's text. */
export function isAttribution(tape: Tape, text: u32): bool {
  return tape.isString(text) && startsWith(tape.pointer(text), tape.size(text), BEGINNING);
}

/** Returns the block, which is the first of several; NO_NODE if there is none. */
export function attributionIn(tape: Tape): u32 {
  const system = tape.member(0, SYSTEM);
  if (!tape.hasItems(system)) return NO_NODE;
  const first = tape.first(system);
  const isFirst = tape.next(first) < tape.next(system);
  return isFirst && isAttribution(tape, tape.member(first, TEXT)) ? first : NO_NODE;
}

export function removeAttribution(tape: Tape, block: u32, edits: Edits): void {
  listEdit.begin(tape, tape.member(0, SYSTEM));
  listEdit.item(tape, block, true, edits);
}
