// Masks secrets in bytes that clients or logs receive: finds them raw and JSON-escaped, and writes `***` instead.
import { hexValue } from "./at";
import { ByteBuffer, constant, scratchBuffer, Span } from "./bytes";
import { contains } from "./find";

/** Shorter values are placeholders (`none`, `ollama`) and are not masked. Bytes. */
export const MIN_SECRET: u32 = 8;

const BACKSLASH: u32 = 0x5c;
const SLASH: u32 = 0x2f;
const QUOTE: u32 = 0x22;
const LETTER_U: u32 = 0x75;
/** `…` in UTF-8: a text that was cut there may end within a secret. */
const ELLIPSIS: u32 = 0xa680e2;
/** The value of an escape that is not an ASCII character. */
const NO_BYTE: u32 = 0x100;

const masked = scratchBuffer();

/** Size in bytes of the escape or byte that `decode` has read. */
let decodedSize: u32 = 0;

/** Returns whether the bytes, with PADDING after them, may contain a secret. A fast check that is nearly always false. */
export function mayHold(pointer: usize, length: u32, secrets: Span[]): bool {
  if (secrets.length == 0 || length == 0) return false;
  for (let i = 0; i < secrets.length; i++) {
    if (contains(pointer, length, unchecked(secrets[i]))) return true;
  }
  return contains(pointer, length, constant("\\"));
}

/**
 * Writes the bytes to `out` with `***` in place of each secret. Returns false, with `out` empty, if there is no secret.
 * The beginning of a secret at the end, or before an ellipsis, is masked too: the text may have been cut.
 */
export function mask(pointer: usize, length: u32, secrets: Span[], out: ByteBuffer): bool {
  out.clear();
  const end = pointer + length;
  let rest = pointer;
  let isFound = false;
  for (let at = pointer; at < end;) {
    const size = longestAt(at, end, secrets);
    if (size == 0) {
      // An escaped backslash: its second half begins no escape.
      const isPair = load<u8>(at) == BACKSLASH && at + 1 < end && load<u8>(at + 1) == BACKSLASH;
      at += isPair ? 2 : 1;
      continue;
    }
    out.bytes(rest, <u32>(at - rest));
    out.text("***");
    at += size;
    rest = at;
    isFound = true;
  }
  if (isFound) out.bytes(rest, <u32>(end - rest));
  return isFound;
}

/** Masks secrets in a buffer. */
export function maskInPlace(buffer: ByteBuffer, secrets: Span[]): void {
  if (!mayHold(buffer.pointer, buffer.length, secrets)) return;
  if (mask(buffer.pointer, buffer.length, secrets, masked)) {
    buffer.clear();
    buffer.bytes(masked.pointer, masked.length);
  }
  masked.release();
}

/** Returns the size of the longest secret that begins at `at`, 0 if no secret does. */
function longestAt(at: usize, end: usize, secrets: Span[]): u32 {
  let longest: u32 = 0;
  for (let i = 0; i < secrets.length; i++)
    longest = max(longest, lengthAt(at, end, unchecked(secrets[i])));
  return longest;
}

function lengthAt(start: usize, end: usize, secret: Span): u32 {
  let at = start;
  for (let i: u32 = 0; i < secret.length; i++) {
    if (isCut(at, end)) return i >= MIN_SECRET ? <u32>(at - start) : 0;
    if (decode(at, end) != load<u8>(secret.pointer + i)) return 0;
    at += decodedSize;
  }
  return <u32>(at - start);
}

function isCut(at: usize, end: usize): bool {
  if (at >= end) return true;
  return end - at >= 3 && (load<u32>(at) & 0xffffff) == ELLIPSIS;
}

/** Returns the character at `at` with JSON escapes decoded; its size is in `decodedSize`. */
function decode(at: usize, end: usize): u32 {
  const byte = <u32>load<u8>(at);
  decodedSize = 1;
  if (byte != BACKSLASH || at + 1 >= end) return byte;
  const next = <u32>load<u8>(at + 1);
  decodedSize = 2;
  if (next == SLASH || next == QUOTE || next == BACKSLASH) return next;
  decodedSize = 6;
  if (next == LETTER_U && end - at >= 6) return codeUnit(at + 2);
  decodedSize = 1;
  return byte;
}

/** Returns the ASCII character of four hexadecimal digits, NO_BYTE if it is not one. */
function codeUnit(at: usize): u32 {
  let unit: u32 = 0;
  for (let i = 0; i < 4; i++) {
    const digit = hexValue(load<u8>(at + i));
    if (digit > 15) return NO_BYTE;
    unit = unit * 16 + digit;
  }
  return unit < 0x80 ? unit : NO_BYTE;
}
