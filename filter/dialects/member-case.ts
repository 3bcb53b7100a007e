// Finds members whose names differ only in case from a member of the request, which a provider may read differently.
//
// Go's encoding/json, and so servers such as Ollama, matches names without regard to case, by Unicode's simple folding
// (https://pkg.go.dev/encoding/json#Unmarshal). Beside `model`, `Model` would choose a model that is not configured;
// `Messages` would pass the guard, and `Stream` the count of a rate limit.
import { Fault } from "../hub/faults/fault";
import { unescape } from "../bytes/json/text";
import { Tape } from "../bytes/json/tape";
import { isLowerCase } from "../bytes/text/ascii";
import { byteAt, startsWith } from "../bytes/text/at";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { ClientDialect } from "./client-dialect";

/** A longer name, even if all of it is escaped, is not one of a request's. */
const MAX_NAME_BYTES: u32 = 256;

/** U+212A in UTF-8: the Kelvin sign, which folds to k. */
const KELVIN = constant("\u212a");

const plain = scratchBuffer();
const folded = scratchBuffer();
const name = new Span(0, 0);

/** Returns a 400 that names the member which the request writes in another case, or null. `tape` holds an object. */
export function caseFault(tape: Tape, dialect: ClientDialect): Fault | null {
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1)) {
    const size = tape.size(key);
    if (size > MAX_NAME_BYTES) continue;
    // Nearly all names are in lower case.
    if (!tape.isEscaped(key) && isLowerCase(tape.pointer(key), size)) continue;
    fold(tape, key);
    if (!dialect.members.has(name) || tape.equals(key, name)) continue;
    const known = name.toText();
    const message =
      "A member of the request differs from '" + known + "' only in case; write '" + known + "'.";
    return new Fault(400, message).at(known);
  }
  return null;
}

/** Points `name` at the lower-case form of a member's name. Only U+017F and U+212A fold to ASCII letters. */
function fold(tape: Tape, key: u32): void {
  plain.clear();
  unescape(tape.pointer(key), tape.size(key), plain);
  folded.clear();
  for (let i: u32 = 0; i < plain.length; i++) {
    const byte = byteAt(plain.pointer, i);
    const rest = plain.length - i;
    if (byte - 0x41 < 26) {
      folded.byte(byte + 0x20);
    } else if (byte == 0xc5 && rest > 1 && byteAt(plain.pointer, i + 1) == 0xbf) {
      folded.byte(0x73);
      i += 1;
    } else if (rest > 2 && startsWith(plain.pointer + i, rest, KELVIN)) {
      folded.byte(0x6b);
      i += 2;
    } else {
      folded.byte(byte);
    }
  }
  name.pointer = folded.pointer;
  name.length = folded.length;
}
