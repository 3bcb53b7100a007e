// Removes the signatures from the ids of tool calls in a body that keeps its dialect: they belong to another kind of provider,
// which began the conversation. So do carried parts, which only the dialects know.
import { MARK_BYTES } from "../hub/reasoning-carrier";
import { plainId, readSignedId } from "../hub/request/signed-call-id";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";

/** Whether the configuration has a target that leaves marks with chat clients: only then a conversation can have them. */
let isAwaited: bool = false;

export function awaitMarks(): void {
  isAwaited = true;
}

/** Returns whether a chat body may have a mark. A body without one costs a comparison for each of its values. */
export function mayHaveMarks(tape: Tape): bool {
  return isAwaited && tape.hasBeginning(MARK_BYTES, MARK_BYTES);
}

/** Edits the ids of the nodes in [from, to). */
export function removeSignaturesIn(tape: Tape, from: u32, to: u32, edits: Edits): void {
  for (let node = from; node < to; node++) {
    if (!tape.isString(node) || !readSignedId(tape.pointer(node), tape.size(node))) continue;
    edits.replace(tape.start(node), tape.end(node), plainId);
  }
}
