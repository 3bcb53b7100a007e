// Removes the signatures from the ids of tool calls in a body that keeps its dialect: they belong to another kind of provider,
// which began the conversation.
import { MARK_BYTES } from "../hub/reasoning-carrier";
import { plainId, readSignedId } from "../hub/request/signed-call-id";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";

/** Whether the configuration has a target that signs the ids of calls: only then a conversation can have such ids. */
let isAwaited: bool = false;

export function awaitSignatures(): void {
  isAwaited = true;
}

/** Edits the ids of a whole body. A body without one costs a comparison for each of its strings. */
export function removeSignatures(tape: Tape, edits: Edits): void {
  if (isAwaited && tape.hasBeginning(MARK_BYTES, MARK_BYTES))
    removeSignaturesIn(tape, 0, tape.count, edits);
}

/** Edits the ids of the nodes in [from, to). */
export function removeSignaturesIn(tape: Tape, from: u32, to: u32, edits: Edits): void {
  for (let node = from; node < to; node++) {
    if (!tape.isString(node) || !readSignedId(tape.pointer(node), tape.size(node))) continue;
    edits.replace(tape.start(node), tape.end(node), plainId);
  }
}
