// The key of a request's session, by which a provider sends the requests of one conversation to the same prompt cache.
import { SESSION_HEADERS, USER_SESSION_MARKS } from "../../../contract/session";
import { Tape } from "../../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";
import { find } from "../../bytes/text/find";
import { writeHash } from "./call-id";
import { PROMPT_CACHE_KEY } from "./features";
import { HubRequest } from "./request";

/** "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64". */
const MAX_KEY: u32 = 64;

export const SESSION_NAMES: Span[] = [];
for (let i = 0; i < SESSION_HEADERS.length; i++) SESSION_NAMES.push(constant(SESSION_HEADERS[i]));

const USER_MARKS: Span[] = [];
for (let i = 0; i < USER_SESSION_MARKS.length; i++)
  USER_MARKS.push(constant(USER_SESSION_MARKS[i]));

/**
 * Appends the key of the client's session; nothing if it names none. `session`: what a header names, else the request's own
 * `prompt_cache_key` or the user tells.
 */
export function writeSessionKey(session: Span, request: HubRequest, out: ByteBuffer): void {
  const own = request.features.node(PROMPT_CACHE_KEY);
  if (session.length > 0) writeId(session.pointer, session.length, out);
  else if (request.tape.isString(own))
    writeId(request.tape.pointer(own), request.tape.size(own), out);
  else writeUserSession(request.tape, request.user, out);
}

/** Appends an id, or a hash of one that is long or has other characters than ids have. */
function writeId(pointer: usize, length: u32, out: ByteBuffer): void {
  if (length <= MAX_KEY && plainLength(pointer, length) == length) out.bytes(pointer, length);
  else writeHash(pointer, length, out);
}

function writeUserSession(tape: Tape, user: u32, out: ByteBuffer): void {
  if (!tape.isString(user)) return;
  const pointer = tape.pointer(user);
  const end = pointer + tape.size(user);
  for (let i = 0; i < USER_MARKS.length; i++) {
    const mark = unchecked(USER_MARKS[i]);
    const at = find(pointer, <u32>(end - pointer), mark);
    if (at == 0) continue;
    const start = at + mark.length;
    writeId(start, plainLength(start, <u32>(end - start)), out);
    return;
  }
}

/** Returns how many characters at the start are letters, digits or `-_.:`. */
function plainLength(pointer: usize, length: u32): u32 {
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(pointer, i);
    const isSign = byte == 0x2d || byte == 0x5f || byte == 0x2e || byte == 0x3a;
    if (!isLetter(byte) && !isDigit(byte) && !isSign) return i;
  }
  return length;
}
