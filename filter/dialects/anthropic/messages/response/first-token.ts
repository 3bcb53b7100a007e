// The first event of a stream that carries content.
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const TYPE = constant("type");

/** Anything but the start of the message, pings, and the start of a block that has nothing in it yet. */
export function isFirstToken(tape: Tape): bool {
  const type = tape.member(0, TYPE);
  if (tape.equals(type, constant("message_start")) || tape.equals(type, constant("ping")))
    return false;
  if (!tape.equals(type, constant("content_block_start"))) return true;
  const kind = tape.member(tape.member(0, constant("content_block")), TYPE);
  return !tape.equals(kind, constant("text")) && !tape.equals(kind, constant("thinking"));
}
