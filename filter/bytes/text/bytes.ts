// Bytes outside the collected heap: constant spans made once, and a growable buffer with one owner.
import { TextRuns } from "./text-runs";
import { freeBlock, resizeBlock, shrinkBlock, takeBlock } from "../../memory/blocks";

/**
 * A borrowed run of bytes. `pointer` may be 0 only when `length` is 0.
 * Unmanaged: the filter has hundreds as globals, and the collector's visitors for them would cost 50 KB of code. A span is
 * therefore never freed: create one at module start or while the configuration is read, never per request.
 */
@unmanaged
export class Span {
  constructor(
    public pointer: usize,
    public length: u32,
  ) {}

  /** Returns the bytes, which must be UTF-8, as a string. */
  toText(): string {
    return String.UTF8.decodeUnsafe(this.pointer, this.length);
  }
}

/** Constants are never freed, so they stand next to each other, in blocks of this size. Bytes. */
const CONSTANTS_BLOCK: u32 = 8 << 10;

/** Where the next constant goes, and the end of its block. */
let nextConstant: usize = 0;
let constantsEnd: usize = 0;

/** Returns the UTF-8 bytes of a constant, which are never freed. Only at module start and while the configuration is read. */
export function constant(text: string): Span {
  const length = <u32>String.UTF8.byteLength(text);
  const span = new Span(takeConstant(length), length);
  String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, span.pointer);
  return span;
}

/** Returns the place of a constant. PADDING follows the last one of a block. */
function takeConstant(length: u32): usize {
  if (nextConstant + length + PADDING > constantsEnd) {
    const size = max(CONSTANTS_BLOCK, length + PADDING);
    nextConstant = takeBlock(size);
    constantsEnd = nextConstant + size;
  }
  const place = nextConstant;
  nextConstant += length;
  return place;
}

/**
 * Room for the spans of constants; the first one is unused. scripts/constant-bytes.ts writes its size here, and addresses in it for
 * `constant`.
 */
export const CONSTANT_SPANS = memory.data(8);
/**
 * How many spans there are, where the first text begins, and of each one where its text begins, plus one: 0 is where the one
 * before that has a 0 ends. Most have a 0, which packs to nothing (scripts/pack-data.ts).
 */
const CONSTANT_PLACES = memory.data<u16>([0, 0]);
/** The length of each text. */
const CONSTANT_LENGTHS = memory.data<u8>([0]);
/** The texts of the program in UTF-8, written here by scripts/constant-bytes.ts. */
const CONSTANT_BYTES = memory.data<u8>([0]);

function placeConstants(): void {
  const count = <usize>load<u16>(CONSTANT_PLACES);
  let next = <usize>load<u16>(CONSTANT_PLACES, 2);
  for (let i: usize = 0; i < count; i++) {
    const place = <usize>load<u16>(CONSTANT_PLACES + i * 2, 4);
    const length = <u32>load<u8>(CONSTANT_LENGTHS + i);
    const span = CONSTANT_SPANS + (i + 1) * sizeof<usize>() * 2;
    store<usize>(span, CONSTANT_BYTES + (place == 0 ? next : place - 1));
    store<u32>(span, length, sizeof<usize>());
    if (place == 0) next += length;
  }
}

placeConstants();

/** Bytes that every block has after its length, so that a 16-byte load at its last byte stays inside. */
export const PADDING: u32 = 64;

/** Of a decimal integer of 64 bits. */
const MAX_DIGITS: u32 = 20;

/** `memory.copy` is a call out of the program, which costs as much as this many bytes: most runs that a writer appends are shorter. */
const SHORT: u32 = 256;

/** Copies bytes that have PADDING after them to where PADDING follows them; the runs must not overlap. */
// @ts-ignore: decorator
@inline
function copyBytes(to: usize, from: usize, length: u32): void {
  if (length > SHORT) {
    memory.copy(to, from, length);
    return;
  }
  // 32 at a time, up to 31 too many.
  for (const end = from + length; from < end; from += 32, to += 32) {
    const rest = v128.load(from, 16);
    v128.store(to, v128.load(from));
    v128.store(to, rest, 16);
  }
}

/** Returns whether two runs of bytes are equal. Wide loads that overlap at the end, because most runs are short names. */
export function sameBytes(a: usize, aLength: u32, b: usize, bLength: u32): bool {
  if (aLength != bLength) return false;
  if (aLength >= 16) return sameLongBytes(a, b, aLength);
  if (aLength >= 8) {
    const rest = aLength - 8;
    return load<u64>(a) == load<u64>(b) && load<u64>(a + rest) == load<u64>(b + rest);
  }
  if (aLength >= 4) {
    const rest = aLength - 4;
    return load<u32>(a) == load<u32>(b) && load<u32>(a + rest) == load<u32>(b + rest);
  }
  for (let i: u32 = 0; i < aLength; i++) {
    if (load<u8>(a + i) != load<u8>(b + i)) return false;
  }
  return true;
}

export function sameSpan(a: Span, b: Span): bool {
  return sameBytes(a.pointer, a.length, b.pointer, b.length);
}

/** Returns whether two runs of bytes are equal, in a time that depends on the length alone: a multiple of 8. */
export function sameInConstantTime(a: usize, b: usize, length: u32): bool {
  let difference: u64 = 0;
  for (let i: u32 = 0; i < length; i += 8) difference |= load<u64>(a + i) ^ load<u64>(b + i);
  return difference == 0;
}

function sameLongBytes(a: usize, b: usize, length: u32): bool {
  if (length >= 64) {
    // Blocks, the last of which overlaps the one before it.
    const end = a + length - 64;
    const toOther = b - a;
    for (; a < end; a += 64) {
      if (!sameBlock(a, a + toOther)) return false;
    }
    return sameBlock(end, end + toOther);
  }
  // Vectors that overlap at the end.
  const last = length - 16;
  let same = v128.and(equal(a, b, 0), equal(a, b, last));
  if (length > 32) same = v128.and(same, v128.and(equal(a, b, 16), equal(a, b, last - 16)));
  return i8x16.bitmask(same) == ALL_LANES;
}

/** Of a vector's truth values: all of them are true. Half the instructions of `v128.any_true`. */
const ALL_LANES: i32 = 0xffff;

/** Returns whether 64 bytes are equal. */
// @ts-ignore: decorator
@inline
function sameBlock(a: usize, b: usize): bool {
  const one = v128.and(
    i8x16.eq(v128.load(a), v128.load(b)),
    i8x16.eq(v128.load(a, 16), v128.load(b, 16)),
  );
  const other = v128.and(
    i8x16.eq(v128.load(a, 32), v128.load(b, 32)),
    i8x16.eq(v128.load(a, 48), v128.load(b, 48)),
  );
  return i8x16.bitmask(v128.and(one, other)) == ALL_LANES;
}

/** Compares 16 bytes at an offset. */
// @ts-ignore: decorator
@inline
function equal(a: usize, b: usize, offset: u32): v128 {
  return i8x16.eq(v128.load(a + offset), v128.load(b + offset));
}

/** Returns whether two runs of bytes are equal. Both have PADDING after them. */
export function samePadded(a: usize, b: usize, length: usize): bool {
  if (length >= 16) return sameLongBytes(a, b, <u32>length);
  const behind = ALL_LANES << <i32>length;
  return (i8x16.bitmask(equal(a, b, 0)) | behind) == (ALL_LANES | behind);
}

/** Returns how many bytes at the beginning of two runs are equal. Both have PADDING after them. */
export function sameBeginning(a: usize, aLength: u32, b: usize, bLength: u32): u32 {
  const length = min(aLength, bLength);
  for (let i: u32 = 0; i < length; i += 16) {
    const same = i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i)));
    if (same != ALL_LANES) return min(length, i + ctz(~same));
  }
  return length;
}

/**
 * A growable run of bytes on the manual heap. Its owner calls `release` exactly once; `clear` keeps the block. Where the
 * VM has no room for more (filter/memory/blocks.ts), the appended bytes are dropped, and `wasRefused` reports it.
 */
export class ByteBuffer {
  pointer: usize = 0;
  length: u32 = 0;
  capacity: u32 = 0;

  /** `isScratch`: the bytes are not used after the callback has returned. */
  constructor(private isScratch: bool = false) {}

  /** Makes room for `extra` more bytes. Returns where they go, 0 if the block is refused. */
  reserve(extra: u32): usize {
    const needed = this.length + extra + PADDING;
    if (needed > this.capacity && !this.grow(needed)) return 0;
    return this.pointer + this.length;
  }

  bytes(pointer: usize, length: u32): void {
    if (length == 0) return;
    const to = this.reserve(length);
    if (to == 0) return;
    copyBytes(to, pointer, length);
    this.length += length;
  }

  /** Adds 1 to a decimal number by the offset of its last digit. Returns false, with zeros in its place, if it has too few digits. */
  increment(last: u32): bool {
    let at = this.pointer + last;
    while (at >= this.pointer && load<u8>(at) == 0x39) store<u8>(at--, 0x30);
    const digit = <u32>(at >= this.pointer ? load<u8>(at) : 0);
    if (digit - 0x30 > 8) return false;
    store<u8>(at, <u8>(digit + 1));
    return true;
  }

  span(span: Span): void {
    this.bytes(span.pointer, span.length);
  }

  /** Appends bytes between two others. */
  between(before: ByteBuffer, pointer: usize, length: u32, behind: usize, behindLength: u32): void {
    const start = this.reserve(before.length + length + behindLength);
    if (start == 0) return;
    copyBytes(start, before.pointer, before.length);
    const to = start + before.length;
    copyBytes(to, pointer, length);
    copyBytes(to + length, behind, behindLength);
    this.length += before.length + length + behindLength;
  }

  /** Appends each of some texts between two others. */
  eachBetween(before: ByteBuffer, texts: TextRuns, behind: usize, behindLength: u32): void {
    const start = before.pointer;
    const startLength = before.length;
    const added = texts.count * (startLength + behindLength) + texts.bytes;
    let to = this.reserve(added);
    if (to == 0) return;
    for (let i: u32 = 0; i < texts.count; i++) {
      const length = texts.length(i);
      copyBytes(to, start, startLength);
      to += startLength;
      copyBytes(to, texts.pointer(i), length);
      to += length;
      copyBytes(to, behind, behindLength);
      to += behindLength;
    }
    this.length += added;
  }

  byte(value: u32): void {
    const to = this.reserve(1);
    if (to == 0) return;
    store<u8>(to, <u8>value);
    this.length += 1;
  }

  /** Appends the 8 bytes of a number, little-endian. */
  long(value: u64): void {
    const to = this.reserve(8);
    if (to == 0) return;
    store<u64>(to, value);
    this.length += 8;
  }

  /** Appends zero bytes. */
  zeros(count: u32): void {
    const to = this.reserve(count);
    if (to == 0) return;
    memory.fill(to, 0, count);
    this.length += count;
  }

  /** Appends a string of the program as UTF-8. For rare paths: a constant span is cheaper. */
  text(text: string): void {
    const length = <u32>String.UTF8.byteLength(text);
    const to = this.reserve(length);
    if (to == 0) return;
    String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, to);
    this.length += length;
  }

  /** Appends a decimal integer, without a string in between: streams write an index with every event. */
  integer(value: i64): void {
    if (value < 0) this.byte(0x2d);
    let rest: u64 = value < 0 ? 0 - <u64>value : <u64>value;
    const start = this.reserve(MAX_DIGITS);
    if (start == 0) return;
    const end = start + MAX_DIGITS;
    let first = end;
    do {
      store<u8>(--first, <u8>(0x30 + (rest % 10)));
      rest /= 10;
    } while (rest > 0);
    const digits = <u32>(end - first);
    // One step of 32 bytes, so the two may overlap.
    copyBytes(start, first, digits);
    this.length += digits;
  }

  /** Points `span` at the bytes, which it has until they change, and returns it. */
  view(span: Span): Span {
    span.pointer = this.pointer;
    span.length = this.length;
    return span;
  }

  /** Returns the bytes, which must be UTF-8, as a string. */
  toText(): string {
    return String.UTF8.decodeUnsafe(this.pointer, this.length);
  }

  // @ts-ignore: decorator
  @inline
  clear(): void {
    this.length = 0;
  }

  release(): void {
    freeBlock(this.pointer, this.isScratch);
    this.pointer = 0;
    this.length = 0;
    this.capacity = 0;
  }

  /** Returns a copy of the bytes that is never freed. Only while the configuration is read. */
  keep(): Span {
    const span = new Span(takeConstant(this.length), this.length);
    memory.copy(span.pointer, this.pointer, this.length);
    return span;
  }

  /** Returns the unused part of a large block to the heap. */
  trim(): void {
    if (this.capacity <= MAX_KEPT || this.length > this.capacity / 4) return;
    this.capacity = this.length + PADDING;
    this.pointer = shrinkBlock(this.pointer, this.capacity);
  }

  private grow(needed: u32): bool {
    const capacity = max(max(this.capacity * 2, 256), needed);
    const block = resizeBlock(this.pointer, capacity, this.isScratch);
    if (block == 0) return false;
    this.pointer = block;
    this.capacity = capacity;
    return true;
  }
}

/** Capacity that is kept for reuse, in bytes: by a stream's buffer, and by a scratch buffer. */
const MAX_KEPT: u32 = 64 << 10;
const MAX_SCRATCH: u32 = 4 << 20;

const scratch: ByteBuffer[] = [];

/** Returns a buffer whose bytes are not used after the callback has returned. Only at module start. */
export function scratchBuffer(): ByteBuffer {
  const buffer = new ByteBuffer(true);
  scratch.push(buffer);
  return buffer;
}

/** Frees the scratch buffers that have grown large. Only between callbacks. */
export function trimScratch(): void {
  for (let i = 0; i < scratch.length; i++) {
    const buffer = unchecked(scratch[i]);
    if (buffer.capacity > MAX_SCRATCH) buffer.release();
  }
}
