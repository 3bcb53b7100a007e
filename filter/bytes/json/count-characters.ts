// Counts the characters (Unicode code points) of an escaped text, for positions that one dialect gives in characters.

const BACKSLASH: u32 = 0x5c;

/** Returns the characters of a JSON string's raw content. A surrogate pair counts as one. */
export function countCharacters(pointer: usize, length: u32): u32 {
  if (length <= 16) {
    const bytes = v128.load(pointer);
    const inside = (1 << length) - 1;
    const escapes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x5c)));
    const inner = i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64)));
    if ((escapes & inside) == 0) return length - popcnt(inner & inside);
  }
  const end = pointer + length;
  let count: u32 = 0;
  while (pointer < end) {
    pointer = skipPlain(pointer, end);
    count += plainCount;
    if (pointer >= end) break;
    const c = <u32>load<u8>(pointer);
    if (c != BACKSLASH) {
      if ((c & 0xc0) != 0x80) count++;
      pointer++;
    } else if (pointer + 5 < end && load<u8>(pointer + 1) == 0x75) {
      if (!isLowSurrogate(pointer)) count++;
      pointer += 6;
    } else {
      count++;
      pointer += 2;
    }
  }
  return count;
}

let plainCount: u32 = 0;

/** Skips blocks of 16 bytes without an escape; sets `plainCount` to the number of characters that begin in them. */
function skipPlain(pointer: usize, end: usize): usize {
  plainCount = 0;
  while (pointer + 16 <= end) {
    const bytes = v128.load(pointer);
    if (v128.any_true(i8x16.eq(bytes, i8x16.splat(0x5c)))) return pointer;
    // Signed: continuation bytes, 0x80 to 0xbf, are those below -64.
    plainCount += 16 - popcnt(i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64))));
    pointer += 16;
  }
  return pointer;
}

/** Returns whether the escape is a low surrogate, \udc00 to \udfff. */
function isLowSurrogate(pointer: usize): bool {
  if ((load<u8>(pointer + 2) | 0x20) != 0x64) return false;
  const second = (<u32>load<u8>(pointer + 3)) | 0x20;
  return second >= 0x63 && second <= 0x66;
}
