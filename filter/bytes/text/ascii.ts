// ASCII letters without regard to their case.
import { Span } from "./bytes";

/** Whether the bytes begin with those of `start`. */
export function startsWith(pointer: usize, length: u32, start: Span): bool {
  if (length < start.length) return false;
  for (let i: u32 = 0; i < start.length; i++) {
    if (lowerCaseAt(pointer, i) != lowerCaseAt(start.pointer, i)) return false;
  }
  return true;
}

/** Returns the byte at an offset; a letter in lower case. */
export function lowerCaseAt(pointer: usize, offset: u32): u32 {
  return lowerCase(load<u8>(pointer + offset));
}

function lowerCase(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}
