// Kinds of ASCII characters, looked at 16 at a time. All runs have PADDING after them.

/** Returns whether there are only ASCII letters, digits and `-_.:/+=~@`. */
export function isPlainId(pointer: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i += 16) {
    const bytes = v128.load(pointer + i);
    const isLetter = isBetween(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26);
    // '-' '.' '/', the digits and ':' are neighbours in ASCII.
    const isDigitOrNeighbour = isBetween(bytes, 0x2d, 14);
    const isSign = v128.or(
      v128.or(is(bytes, 0x5f), is(bytes, 0x2b)),
      v128.or(is(bytes, 0x3d), v128.or(is(bytes, 0x7e), is(bytes, 0x40))),
    );
    const others = ~i8x16.bitmask(v128.or(v128.or(isLetter, isDigitOrNeighbour), isSign));
    if (i + <u32>ctz(others) < length && ctz(others) < 16) return false;
  }
  return true;
}

/** Returns whether there are only ASCII characters, and no capital letters. */
export function isLowerCase(pointer: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i += 16) {
    const bytes = v128.load(pointer + i);
    // The highest bit of a byte that is not ASCII is set.
    const others = i8x16.bitmask(v128.or(bytes, isBetween(bytes, 0x41, 26)));
    if (others != 0 && i + <u32>ctz(others) < length) return false;
  }
  return true;
}

/** Sets the bytes that are `first` or one of the `count - 1` after it. */
// @ts-ignore: decorator
@inline
function isBetween(bytes: v128, first: u8, count: u8): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(first)), i8x16.splat(count));
}

// @ts-ignore: decorator
@inline
function is(bytes: v128, byte: u8): v128 {
  return i8x16.eq(bytes, i8x16.splat(byte));
}
