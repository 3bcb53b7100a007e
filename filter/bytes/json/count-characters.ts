// How many characters (Unicode code points) an escaped text has, for places that one dialect counts and another does not.

const BACKSLASH: u32 = 0x5c;

/** Of the raw inside of a JSON string. Two escapes that make one character together count as one. */
export function countCharacters(pointer: usize, length: u32): u32 {
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

/** Passes over blocks of 16 bytes without an escape; plainCount is how many characters begin in them. */
function skipPlain(pointer: usize, end: usize): usize {
  plainCount = 0;
  while (pointer + 16 <= end) {
    const bytes = v128.load(pointer);
    if (v128.any_true(i8x16.eq(bytes, i8x16.splat(0x5c)))) return pointer;
    // Signed: the bytes that go on with a character, 0x80 to 0xbf, are those below -64.
    plainCount += 16 - popcnt(i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64))));
    pointer += 16;
  }
  return pointer;
}

/** \udc00 – \udfff: the second half of a character. */
function isLowSurrogate(pointer: usize): bool {
  if ((load<u8>(pointer + 2) | 0x20) != 0x64) return false;
  const second = (<u32>load<u8>(pointer + 3)) | 0x20;
  return second >= 0x63 && second <= 0x66;
}
