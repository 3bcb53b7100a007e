// Substring search.
import { Span } from "./bytes";

// Of the text that is searched; json/string.ts explains why the loops load them from memory.
const FIRST_BYTES = memory.data(16);
const LAST_BYTES = memory.data(16);

/** Sets the vectors of the text's first and last byte. Returns the offset of the last one. */
function setVectors(text: Span): usize {
  const reach = <usize>text.length - 1;
  v128.store(FIRST_BYTES, i8x16.splat(load<i8>(text.pointer)));
  v128.store(LAST_BYTES, i8x16.splat(load<i8>(text.pointer + reach)));
  return reach;
}

/** Returns whether `text` (not empty) occurs in `length` bytes at `pointer`, which have PADDING bytes after them. */
export function contains(pointer: usize, length: u32, text: Span): bool {
  return find(pointer, length, text) != 0;
}

/** As `contains`. Returns the address of the first occurrence, 0 if there is none. */
export function find(pointer: usize, length: u32, text: Span): usize {
  if (length < text.length) return 0;
  // Sixteen positions at a time: only those where the first and the last byte match are compared.
  const reach = setVectors(text);
  const first = v128.load(FIRST_BYTES);
  const last = v128.load(LAST_BYTES);
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

/** As `find`, for the last occurrence. */
export function findLast(pointer: usize, length: u32, text: Span): usize {
  if (length < text.length) return 0;
  const reach = setVectors(text);
  const first = v128.load(FIRST_BYTES);
  const last = v128.load(LAST_BYTES);
  let end = pointer + length - reach;
  while (end > pointer) {
    const at = max(pointer, end - 16);
    let places = i8x16.bitmask(
      v128.and(i8x16.eq(v128.load(at), first), i8x16.eq(v128.load(at + reach), last)),
    );
    const count = <i32>(end - at);
    // Positions from `end` on have been compared.
    places &= (1 << count) - 1;
    for (; places != 0; places ^= 1 << (31 - clz(places))) {
      const place = at + (31 - clz(places));
      if (memory.compare(place, text.pointer, text.length) == 0) return place;
    }
    end = at;
  }
  return 0;
}
