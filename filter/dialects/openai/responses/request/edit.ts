// Edits of a Responses body that keeps its dialect. Every other byte stays.
import { HOSTED_MARK, MARK_BYTES, hasMark, isCarrier } from "../../../../hub/reasoning-carrier";
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { removeSignaturesIn } from "../../../edit-call-ids";
import { ListEdit } from "../../../list-edit";

const HOSTED_ITEMS = constant("input[].server_tools");
const QUOTE = constant('"');

const items = new ListEdit();

/** Puts the configured system prompt (the inside of a JSON string) before the client's instructions; both are kept. */
export function addInstructions(tape: Tape, prompt: Span, edits: Edits): void {
  const node = tape.member(0, constant("instructions"));
  if (tape.isString(node)) {
    edits.append(prompt);
    if (tape.size(node) > 0) edits.append(constant("\\n\\n"));
    edits.insertAppended(tape.start(node));
  } else if (node == NO_NODE) {
    edits.append(constant('"instructions":"'));
    edits.append(prompt);
    edits.append(QUOTE);
    if (!tape.isEmpty(0)) edits.append(constant(","));
    edits.insertAppended(tape.start(0) + 1);
  } else if (!tape.isPresent(node)) {
    edits.append(QUOTE);
    edits.append(prompt);
    edits.append(QUOTE);
    edits.replaceAppended(tape.start(node), tape.end(node));
  }
}

/**
 * Removes what another kind of provider signed or ran, reasoning, the ids of calls and items of its tools, in a conversation
 * that began there: OpenAI rejects it with 400 (docs/decisions/2026-11-22-reasoning-between-three-dialects.md).
 */
export function removeForeignReasoning(tape: Tape, edits: Edits): void {
  if (!tape.hasBeginning(MARK_BYTES, MARK_BYTES)) return;
  const list = tape.member(0, constant("input"));
  if (!tape.isArray(list)) return;
  items.begin(tape, list);
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    const isHosted = hasMark(tape, tape.member(item, constant("id")), HOSTED_MARK);
    if (isHosted) edits.dropped = HOSTED_ITEMS;
    const isRemoved = isHosted || isCarrier(tape, tape.member(item, constant("encrypted_content")));
    items.item(tape, item, isRemoved, edits);
    if (!isRemoved) removeSignaturesIn(tape, item, tape.next(item), edits);
  }
}
