// White space in the inside of a JSON string, where tabs and line ends are escaped.
import { byteAt } from "../text/at";

/** Returns whether the inside of a JSON string is empty or only white space. */
export function isBlank(pointer: usize, length: u32): bool {
  const end = pointer + length;
  while (pointer < end) {
    const size = blankSize(pointer, end);
    if (size == 0) return false;
    pointer += size;
  }
  return true;
}

/** Returns the bytes of the white space at `pointer`: a space, or an escaped tab or line end. 0 for anything else. */
function blankSize(pointer: usize, end: usize): u32 {
  const c = byteAt(pointer);
  if (c == 0x20) return 1;
  if (c != 0x5c || pointer + 1 >= end) return 0;
  const letter = byteAt(pointer, 1);
  return letter == 0x6e || letter == 0x74 || letter == 0x72 || letter == 0x66 ? 2 : 0;
}

/** Returns the length of the inside of a JSON string without the white space at its end. */
export function trimmedLength(pointer: usize, length: u32): u32 {
  let kept: u32 = 0;
  let at: u32 = 0;
  while (at < length) {
    const size = blankSize(pointer + at, pointer + length);
    if (size != 0) {
      at += size;
      continue;
    }
    at += byteAt(pointer, at) == 0x5c ? 2 : 1;
    kept = at;
  }
  return min(kept, length);
}
