// Values on their way into a URL: nothing in them can leave the path segment or the query value.
import { ByteBuffer, Span } from "./bytes";

const HEX = memory.data<u8>([48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 65, 66, 67, 68, 69, 70]);
const NONE = new Span(0, 0);
const DOT: u32 = 0x2e;
const SLASH: u32 = 0x2f;
const BACKSLASH: u32 = 0x5c;

/** Servers reject URLs with longer values. */
export const MAX_VALUE_BYTES: u32 = 2048;

/** Appends bytes percent-encoded: all but the unreserved characters (RFC 3986, section 2.3) and those of `plain`. */
export function percentEncode(
  pointer: usize,
  length: u32,
  out: ByteBuffer,
  plain: Span = NONE,
): void {
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (isUnreserved(byte) || isOneOf(byte, plain)) {
      out.byte(byte);
      continue;
    }
    out.byte(0x25);
    out.byte(load<u8>(HEX + (byte >> 4)));
    out.byte(load<u8>(HEX + (byte & 15)));
  }
}

function isOneOf(byte: u32, characters: Span): bool {
  for (let i: u32 = 0; i < characters.length; i++) {
    if (<u32>load<u8>(characters.pointer + i) == byte) return true;
  }
  return false;
}

function isUnreserved(byte: u32): bool {
  const isLetter = (byte | 0x20) - 0x61 < 26;
  return (
    isLetter || byte - 0x30 < 10 || byte == 0x2d || byte == 0x2e || byte == 0x5f || byte == 0x7e
  );
}

/**
 * Returns whether a value is allowed in a path. Some servers decode a path before they split it, so an encoded slash is a
 * slash there: it needs `allow_slashes`. A segment of dots alone means a folder in any encoding, an empty segment changes
 * the path, and no server needs control characters.
 */
export function isPathValue(pointer: usize, length: u32, allowsSlashes: bool): bool {
  let isFolder = true;
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte < 0x20 || byte == 0x7f) return false;
    if (byte == SLASH || byte == BACKSLASH) {
      if (isFolder || !allowsSlashes) return false;
      isFolder = true;
    } else if (byte != DOT) {
      isFolder = false;
    }
  }
  return !isFolder && length <= MAX_VALUE_BYTES;
}
