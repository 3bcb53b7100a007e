// Substring search.
import { Span } from "./bytes";

/** Returns whether `text` (not empty) occurs in `length` bytes at `pointer`, which have PADDING bytes behind them. */
export function contains(pointer: usize, length: u32, text: Span): bool {
  return find(pointer, length, text) != 0;
}

/**
 * Returns whether JSON has a member whose value begins with a byte, perhaps behind a blank. `end`: the end of its name with
 * the quote and the colon, such as `usage":`, which no string can hold unescaped. Only the first such member counts.
 */
export function hasMember(pointer: usize, length: u32, end: Span, first: u32): bool {
  const found = find(pointer, length, end);
  if (found == 0) return false;
  const value = found + end.length;
  const byte = <u32>load<u8>(value);
  return (byte == 0x20 ? <u32>load<u8>(value + 1) : byte) == first;
}

/** As `contains`. Returns the address of the first occurrence, 0 if there is none. */
export function find(pointer: usize, length: u32, text: Span): usize {
  if (length < text.length) return 0;
  // Sixteen positions at a time: only those where the first and the last byte match are compared.
  const reach = <usize>text.length - 1;
  const first = i8x16.splat(load<i8>(text.pointer));
  const last = i8x16.splat(load<i8>(text.pointer + reach));
  const end = pointer + length - reach;
  for (let at = pointer; at < end; at += 16) {
    let places = i8x16.bitmask(
      v128.and(i8x16.eq(v128.load(at), first), i8x16.eq(v128.load(at + reach), last)),
    );
    for (; places != 0; places &= places - 1) {
      const place = at + ctz(places);
      if (place < end && memory.compare(place, text.pointer, text.length) == 0) return place;
    }
  }
  return 0;
}

/** Returns the address of the first such byte from `at` up to `end`, 0 if there is none. */
export function findByte(at: usize, end: usize, byte: u32): usize {
  for (; at < end; at++) {
    if (load<u8>(at) == byte) return at;
  }
  return 0;
}
