// Single bytes and beginnings of a run of bytes.
import { sameBytes, Span } from "./bytes";

/** Returns a byte, which must lie inside of the run. */
// @ts-ignore: decorator
@inline
export function byteAt(pointer: usize, index: u32 = 0): u32 {
  return <u32>load<u8>(pointer + index);
}

/** Returns whether the bytes begin with a text. */
export function startsWith(pointer: usize, length: u32, text: Span): bool {
  return length >= text.length && sameBytes(pointer, text.length, text.pointer, text.length);
}

/** Returns whether a text ends with `text`. */
export function endsWith(pointer: usize, length: u32, text: Span): bool {
  const from = length - text.length;
  return length >= text.length && sameBytes(pointer + from, text.length, text.pointer, text.length);
}

/** Returns the first three bytes of a text, as a little-endian number; 0 in place of those that it lacks. */
export function firstBytes(text: Span): u32 {
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < min<u32>(text.length, 3); i++)
    bytes |= (<u32>load<u8>(text.pointer + i)) << (i * 8);
  return bytes;
}

// @ts-ignore: decorator
@inline
export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

/** Returns the value of a hexadecimal digit, 16 or more for any other byte. */
export function hexValue(byte: u32): u32 {
  if (byte - 0x30 < 10) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** Returns whether a byte is an ASCII letter. */
export function isLetter(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26;
}

/** Returns the byte at an offset; a letter in lower case. */
export function lowerCaseAt(pointer: usize, offset: u32): u32 {
  const byte = byteAt(pointer, offset);
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}

/** Returns whether the bytes begin with a text, ignoring the case of ASCII letters. */
export function startsWithIgnoringCase(pointer: usize, length: u32, text: Span): bool {
  if (length < text.length) return false;
  for (let i: u32 = 0; i < text.length; i++) {
    if (lowerCaseAt(pointer, i) != lowerCaseAt(text.pointer, i)) return false;
  }
  return true;
}
