// The first event of a stream that carries content.
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const TYPE = constant("type");
const MESSAGE_START = constant("message_start");
const PING = constant("ping");
const BLOCK_START = constant("content_block_start");
const CONTENT_BLOCK = constant("content_block");
const TEXT = constant("text");
const THINKING = constant("thinking");

/** Anything but the start of the message, pings, and the start of a block that has nothing in it yet. */
export function isFirstToken(tape: Tape): bool {
  const type = tape.member(0, TYPE);
  if (tape.equals(type, MESSAGE_START) || tape.equals(type, PING)) return false;
  if (!tape.equals(type, BLOCK_START)) return true;
  const kind = tape.member(tape.member(0, CONTENT_BLOCK), TYPE);
  return !tape.equals(kind, TEXT) && !tape.equals(kind, THINKING);
}
