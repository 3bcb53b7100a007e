// Extracts a short readable text from an unknown body: an HTML page, plain text, or bytes that are not text.
import { ByteBuffer } from "./bytes";

const LESS: u32 = 0x3c;
const GREATER: u32 = 0x3e;

/**
 * Appends the text of `length` bytes at `pointer`, at most `limit` bytes: without tags, scripts and styles, white space
 * collapsed, a question mark for each byte that is not UTF-8, and an ellipsis where it was cut.
 */
export function appendReadable(pointer: usize, length: u32, limit: u32, out: ByteBuffer): void {
  const end = pointer + length;
  const start = out.length;
  let needsSpace = false;
  while (pointer < end) {
    const c = <u32>load<u8>(pointer);
    if (c == LESS && isTag(pointer, end)) {
      pointer = behindTag(pointer, end);
      needsSpace = true;
      continue;
    }
    if (c <= 0x20 || c == 0x7f) {
      pointer++;
      needsSpace = true;
      continue;
    }
    if (out.length - start + 8 > limit) {
      out.text("…");
      return;
    }
    if (needsSpace && out.length > start) out.byte(0x20);
    needsSpace = false;
    const size = characterSize(pointer, end);
    if (size == 0) out.byte(0x3f);
    else out.bytes(pointer, size);
    pointer += max<u32>(size, 1);
  }
}

/** Cuts a buffer of valid UTF-8 to at most `limit` bytes and an ellipsis, never inside a character. */
export function shorten(buffer: ByteBuffer, limit: u32): void {
  if (buffer.length <= limit) return;
  let length = limit;
  while (length > 0 && (load<u8>(buffer.pointer + length) & 0xc0) == 0x80) length--;
  buffer.length = length;
  buffer.text("…");
}

/**
 * Returns how many of the first `limit` bytes are before a control character (with `isAscii` also before one that is not
 * ASCII), without half a character at the end. `length`: of all bytes, which are UTF-8 unless `isAscii`.
 */
export function printableLength(pointer: usize, limit: u32, length: u32, isAscii: bool): u32 {
  let stop = limit;
  for (let i: u32 = 0; i < stop; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte < 0x20 || byte == 0x7f || (isAscii && byte >= 0x80)) stop = i;
  }
  while (stop > 0 && stop < length && (load<u8>(pointer + stop) & 0xc0) == 0x80) stop--;
  return stop;
}

/** Returns whether the first byte that is not JSON's white space is `byte`. */
export function beginsWith(pointer: usize, length: u32, byte: u32): bool {
  for (const end = pointer + length; pointer < end; pointer++) {
    const c = <u32>load<u8>(pointer);
    if (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09) return c == byte;
  }
  return false;
}

/** Returns the size of the UTF-8 character at `pointer` in bytes, 0 if it is not valid. */
function characterSize(pointer: usize, end: usize): u32 {
  const first = <u32>load<u8>(pointer);
  if (first < 0x80) return 1;
  const size: u32 = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || pointer + size > end) return 0;
  for (let i: u32 = 1; i < size; i++) {
    if ((load<u8>(pointer + i) & 0xc0) != 0x80) return 0;
  }
  const second = <u32>load<u8>(pointer + 1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
  return size;
}

/** Returns whether a letter, a slash or an exclamation mark follows `<`. */
function isTag(pointer: usize, end: usize): bool {
  if (pointer + 1 >= end) return false;
  const next = <u32>load<u8>(pointer + 1);
  return (next | 0x20) - 0x61 < 26 || next == 0x2f || next == 0x21;
}

/** Returns the address after the tag at `pointer`; of a script or style after its closing tag. */
function behindTag(pointer: usize, end: usize): usize {
  const isHidden = isScriptOrStyle(pointer + 1, end);
  let at = behindByte(pointer, end);
  while (isHidden && at < end) {
    if (load<u8>(at) == LESS && at + 1 < end && load<u8>(at + 1) == 0x2f) {
      if (isScriptOrStyle(at + 2, end)) return behindByte(at, end);
    }
    at++;
  }
  return at;
}

/** Returns whether a name begins with "scri" or "styl", in any case. */
function isScriptOrStyle(pointer: usize, end: usize): bool {
  if (pointer + 4 > end) return false;
  const letters = load<u32>(pointer) | 0x20202020;
  return letters == 0x69726373 || letters == 0x6c797473;
}

function behindByte(pointer: usize, end: usize): usize {
  while (pointer < end && load<u8>(pointer) != GREATER) pointer++;
  return pointer < end ? pointer + 1 : end;
}
