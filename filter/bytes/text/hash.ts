// Hashes, and numbers as hexadecimal digits.
import { hexValue } from "./at";
import { ByteBuffer, Span } from "./bytes";

/** FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
const FNV_PRIME: u64 = 0x00000100000001b3;
const FNV_BASIS: u64 = 0xcbf29ce484222325;

/** Returns the hash of the bytes; another basis makes an independent hash. */
export function hash64(pointer: usize, length: u32, basis: u64 = FNV_BASIS): u64 {
  let value = basis;
  for (let i: u32 = 0; i < length; i++) value = (value ^ load<u8>(pointer + i)) * FNV_PRIME;
  return value;
}

/** The last bytes hardly reach the upper bits of a hash: the finalizer of MurmurHash3 spreads them. */
export function spread(hash: u64): u64 {
  const value = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  return value ^ (value >> 33);
}

/** Of a long text, its length and so many bytes at both ends count: most texts of a prompt differ there. */
const ENDS: u32 = 1024;

/** Returns a hash of a text and of what was hashed before it, of eight bytes at a time. The text has PADDING after it. */
export function textHash(pointer: usize, length: u32, before: u64): u64 {
  const first = min(length, ENDS);
  const last = min(length - first, ENDS);
  const hash = wordsHash(pointer, first, (before ^ length) * FNV_PRIME);
  return wordsHash(pointer + length - last, last, hash);
}

function wordsHash(pointer: usize, length: u32, value: u64): u64 {
  const end = pointer + length;
  for (; pointer < end; pointer += 8) {
    let word = load<u64>(pointer);
    const left = <u32>(end - pointer);
    // What follows the text is not part of it.
    if (left < 8) word &= ((<u64>1) << (left * 8)) - 1;
    value = rotl<u64>((value ^ word) * 0x9e3779b97f4a7c15, 29);
  }
  return value;
}

/** Of a text that is longer than two of them, its length and so many bytes at both ends count. */
const LONG_ENDS: u32 = 64 << 10;

/** As `textHash`, of nearly every text as a whole. */
export function longHash(pointer: usize, length: u32, before: u64): u64 {
  const seed = (before ^ length) * FNV_PRIME + FNV_BASIS;
  if (length <= 2 * LONG_ENDS) return wideHash(pointer, length, seed);
  const hash = wideHash(pointer, LONG_ENDS, seed);
  return wideHash(pointer + length - LONG_ENDS, LONG_ENDS, hash);
}

/** Sixteen bytes at a time: each lane is multiplied, then its bytes move on to the others. */
function wideHash(pointer: usize, length: u32, value: u64): u64 {
  if (length < 16) return wordsHash(pointer, length, value);
  const factor = i32x4.splat(<i32>0x9e3779b1);
  const end = pointer + (length & ~15);
  let lanes = v128.xor(i64x2.splat(value), i64x2(0, 0x5851f42d4c957f2d));
  for (; pointer < end; pointer += 16) {
    const mixed = i32x4.mul(v128.xor(lanes, v128.load(pointer)), factor);
    // prettier-ignore
    lanes = i8x16.shuffle(mixed, mixed, 3, 6, 9, 12, 7, 10, 13, 0, 11, 14, 1, 4, 15, 2, 5, 8);
  }
  const first = i64x2.extract_lane(lanes, 0);
  const second = i64x2.extract_lane(lanes, 1);
  return wordsHash(pointer, length & 15, spread(first) ^ rotl<u64>(second, 17));
}

/** Returns a hash of 24 bits of such a hash and of what was hashed before; the control plane computes the same. */
export function fold24(before: u32, hash: u32): u32 {
  const value = (before ^ hash) * 0x9e3779b1;
  return (value ^ (value >> 15)) & 0xffffff;
}

/** Appends 16 hexadecimal digits. */
export function appendHexadecimal(value: u64, out: ByteBuffer): void {
  for (let i = 0; i < 16; i++) {
    value = rotl<u64>(value, 4);
    const digit = (<u32>value) & 15;
    out.byte(digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
}

/** Returns the number that 16 hexadecimal digits are; 0 for any other text. */
export function readHexadecimal(text: Span): u64 {
  if (text.length != 16) return 0;
  let value: u64 = 0;
  for (let i: u32 = 0; i < 16; i++) {
    const digit = hexValue(<u32>load<u8>(text.pointer + i));
    if (digit > 15) return 0;
    value = (value << 4) | digit;
  }
  return value;
}

/** Appends the bytes that hexadecimal digits are; clears `out` if there is any other character. */
export function readDigits(pointer: usize, count: u32, out: ByteBuffer): void {
  for (let i: u32 = 0; i < count; i++) {
    const high = hexValue(<u32>load<u8>(pointer + 2 * i));
    const low = hexValue(<u32>load<u8>(pointer + 2 * i + 1));
    if ((high | low) > 15) return out.clear();
    out.byte((high << 4) | low);
  }
}
