// The first event of a stream that carries content.
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Anything but the start of the message: blocks of text have no start of their own. */
export function isFirstToken(tape: Tape): bool {
  return !tape.isString(tape.member(0, constant("role")));
}
