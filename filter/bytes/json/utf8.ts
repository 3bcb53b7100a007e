// UTF-8 as RFC 3629, section 4, has it: no overlong form, no surrogate, nothing above U+10FFFF.
//
// The vector check is that of Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2021). Every
// wrong pair of neighbours is one of seven mistakes; three tables tell which of them the halves of the two bytes would
// allow, and what all three allow is one. Only the third and fourth bytes of a character are counted besides. Mistakes:
//   1 too short    2 too long    4 overlong in three bytes    8 above U+10FFFF    16 surrogate    32 overlong in two
//   64 overlong in four, or far above U+10FFFF    128 two continuation bytes (right after a long lead byte only)

/** Allowed by the high half of the first byte. */
const FIRST_HIGH = memory.data<u64>([0x0202020202020202, 0x4915012180808080]);
/** Allowed by the low half of the first byte. */
const FIRST_LOW = memory.data<u64>([0xcbcbcb8b8383a3e7, 0xcbcbdbcbcbcbcbcb]);
/** Allowed by the high half of the second byte. */
const SECOND_HIGH = memory.data<u64>([0x0101010101010101, 0x01010101babaaee6]);
const LOW_HALVES = memory.data<u64>([0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f]);
const HIGH_BITS = memory.data<u64>([0x8080808080808080, 0x8080808080808080]);
/** Less than the lead bytes of three (0xe0) and of four (0xf0) by 0x80: subtracting leaves them the high bit. */
const BELOW_THREE = memory.data<u64>([0x6060606060606060, 0x6060606060606060]);
const BELOW_FOUR = memory.data<u64>([0x7070707070707070, 0x7070707070707070]);

/**
 * Returns whether those of the 64 bytes at `p` are UTF-8 whose bit is set in `inside` (all below one of them). They begin with a
 * character's first byte. A character that byte 63 cuts off is no mistake; one that the end of `inside` cuts off is.
 */
export function isUtf8(p: usize, inside: u64): bool {
  const zero = i8x16.splat(0);
  const a = v128.load(p);
  const b = v128.load(p, 16);
  const c = v128.load(p, 32);
  const d = v128.load(p, 48);
  const first = mistakes(a, zero);
  const second = mistakes(b, a);
  const third = mistakes(c, b);
  const fourth = mistakes(d, c);
  if (!v128.any_true(v128.or(v128.or(first, second), v128.or(third, fourth)))) return true;
  const wrong =
    notZero(first) | (notZero(second) << 16) | (notZero(third) << 32) | (notZero(fourth) << 48);
  // A character that is too short shows in the lane after it.
  return (wrong & ((inside << 1) | 1)) == 0;
}

/** What is wrong in each lane, given the sixteen bytes before. */
// @ts-ignore: decorator
@inline
function mistakes(bytes: v128, before: v128): v128 {
  const half = v128.load(LOW_HALVES);
  const back1 = i8x16.shuffle(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  const back2 = i8x16.shuffle(before, bytes, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  const back3 = i8x16.shuffle(before, bytes, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28);
  const pairs = v128.and(
    v128.and(
      i8x16.swizzle(v128.load(FIRST_HIGH), v128.and(i16x8.shr_u(back1, 4), half)),
      i8x16.swizzle(v128.load(FIRST_LOW), v128.and(back1, half)),
    ),
    i8x16.swizzle(v128.load(SECOND_HIGH), v128.and(i16x8.shr_u(bytes, 4), half)),
  );
  const continued = v128.or(
    i8x16.sub_sat_u(back2, v128.load(BELOW_THREE)),
    i8x16.sub_sat_u(back3, v128.load(BELOW_FOUR)),
  );
  return v128.xor(v128.and(continued, v128.load(HIGH_BITS)), pairs);
}

// @ts-ignore: decorator
@inline
function notZero(bytes: v128): u64 {
  return <u64>(<u32>i8x16.bitmask(i8x16.ne(bytes, i8x16.splat(0))));
}

/** Returns the size of the character beyond ASCII at `p`, 0 if it is not valid. No continuation byte may follow the text. */
export function characterLength(p: usize): usize {
  const a = <u32>load<u8>(p);
  const b = <u32>load<u8>(p + 1);
  if (a < 0xc2 || a > 0xf4 || !continues(b)) return 0;
  if (a < 0xe0) return 2;
  if (!continues(load<u8>(p + 2))) return 0;
  if (a < 0xf0) return (a == 0xe0 && b < 0xa0) || (a == 0xed && b >= 0xa0) ? 0 : 3;
  if (!continues(load<u8>(p + 3))) return 0;
  return (a == 0xf0 && b < 0x90) || (a == 0xf4 && b >= 0x90) ? 0 : 4;
}

// @ts-ignore: decorator
@inline
function continues(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}
