// Single bytes and beginnings of a run of bytes.
import { sameBytes, Span } from "./bytes";

/** Returns a byte, which must lie inside of the run. */
export function byteAt(pointer: usize, index: u32 = 0): u32 {
  return <u32>load<u8>(pointer + index);
}

/** Returns whether the bytes begin with a text. */
export function startsWith(pointer: usize, length: u32, text: Span): bool {
  return length >= text.length && sameBytes(pointer, text.length, text.pointer, text.length);
}

export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

/** Returns whether a byte is an ASCII letter. */
export function isLetter(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26;
}
