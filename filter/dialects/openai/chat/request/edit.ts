// Edits of a chat completions body that keeps its dialect. Every other byte stays.
import { isCarrier } from "../../../../hub/reasoning-carrier";
import { Edits } from "../../../../bytes/json/edit";
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { removeSignaturesIn } from "../../../edit-call-ids";
import { ListEdit } from "../../../list-edit";
import { paths } from "../paths";

const details = new ListEdit();

/** Puts the configured system prompt (the inside of a JSON string) before the client's messages; all are kept. */
export function addSystemPrompt(tape: Tape, prompt: Span, edits: Edits): void {
  const messages = tape.member(0, constant("messages"));
  if (!tape.isArray(messages)) return;
  edits.append(constant('{"role":"system","content":"'));
  edits.append(prompt);
  edits.append(constant('"}'));
  if (!tape.isEmpty(messages)) edits.append(constant(","));
  edits.insertAppended(tape.start(messages) + 1);
}

/** Removes what another provider's tools did, and its signatures from the ids of calls: only that provider can read them. */
export function removeMarks(tape: Tape, edits: Edits): void {
  const messages = tape.member(0, constant("messages"));
  if (tape.isArray(messages)) {
    const end = tape.next(messages);
    for (let message = tape.first(messages); message < end; message = tape.next(message))
      removeParts(tape, tape.member(message, constant("reasoning_details")), edits);
  }
  removeSignaturesIn(tape, 0, tape.count, edits);
}

function removeParts(tape: Tape, list: u32, edits: Edits): void {
  if (!tape.isArray(list)) return;
  details.begin(tape, list);
  const end = tape.next(list);
  for (let item = tape.first(list); item < end; item = tape.next(item)) {
    const isRemoved = isCarrier(tape, tape.member(item, constant("data")));
    details.item(tape, item, isRemoved, edits);
    if (isRemoved) edits.dropped = paths.redacted;
  }
}
