// The first event of a stream that carries content.
import { KIND_ARRAY, KIND_NULL, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Returns whether a chunk has anything in a delta besides its role, or the reason why a choice ended. */
export function isFirstToken(tape: Tape): bool {
  const choices = tape.member(0, constant("choices"));
  if (!tape.isArray(choices)) return false;
  const end = tape.next(choices);
  for (let choice = tape.first(choices); choice < end; choice = tape.next(choice)) {
    if (tape.isString(tape.member(choice, constant("finish_reason")))) return true;
    if (hasText(tape, choice)) return true;
  }
  return false;
}

/** Azure reports on its content filter in choices without a delta. */
function hasText(tape: Tape, choice: u32): bool {
  const delta = tape.member(choice, constant("delta"));
  if (tape.isObject(delta)) return hasContent(tape, delta);
  return (
    tape.isPresent(tape.member(choice, constant("message"))) ||
    tape.isPresent(tape.member(choice, constant("text")))
  );
}

function hasContent(tape: Tape, delta: u32): bool {
  const end = tape.next(delta);
  for (let name = tape.first(delta); name < end; name = tape.next(name + 1)) {
    if (!tape.equals(name, constant("role")) && !isEmpty(tape, name + 1)) return true;
  }
  return false;
}

function isEmpty(tape: Tape, node: u32): bool {
  const kind = tape.kind(node);
  if (kind == KIND_NULL) return true;
  if (kind >= KIND_ARRAY) return tape.isEmpty(node);
  return tape.isString(node) && tape.size(node) == 0;
}
