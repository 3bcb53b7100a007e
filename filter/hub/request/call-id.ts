// The id of a tool call, for dialects that limit its length.
import { byteAt, isDigit, isLetter } from "../../bytes/text/at";
import { ByteBuffer, scratchBuffer } from "../../bytes/text/bytes";
import { appendHexadecimal, hash64, spread } from "../../bytes/text/hash";
import { writeString } from "./request-writing";

/** Makes a second, independent hash. */
const SECOND_BASIS: u64 = 0x6c62272e07bb0142;

/**
 * Writes an id, the inside of a JSON string, as a JSON string of at most `limit` bytes. A longer or empty one becomes a hash,
 * which is the same for a call and its result; cut ids with one beginning would be the same for two calls.
 */
export function writeCallId(pointer: usize, length: u32, limit: u32, out: ByteBuffer): void {
  if (length > 0 && length <= limit) {
    writeString(pointer, length, out);
    return;
  }
  out.byte(0x22);
  out.text("call_");
  writeHash(pointer, length, out);
  out.byte(0x22);
}

/** Mistral: "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9". */
const SHORT_ID: u32 = 9;

const digest = scratchBuffer();

/** Returns whether an id has nine letters and digits. */
export function isShortId(pointer: usize, length: u32): bool {
  if (length != SHORT_ID) return false;
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(pointer, i);
    if (!isLetter(byte) && !isDigit(byte)) return false;
  }
  return true;
}

/** Appends an id, the inside of a JSON string, as nine letters and digits: any other becomes a hash. */
export function appendShortId(pointer: usize, length: u32, out: ByteBuffer): void {
  if (isShortId(pointer, length)) {
    out.bytes(pointer, length);
    return;
  }
  digest.clear();
  writeHash(pointer, length, digest);
  out.bytes(digest.pointer, SHORT_ID);
}

/** Appends 32 hexadecimal digits. */
export function writeHash(pointer: usize, length: u32, out: ByteBuffer): void {
  appendHexadecimal(spread(hash64(pointer, length)), out);
  appendHexadecimal(spread(hash64(pointer, length, SECOND_BASIS)), out);
}
