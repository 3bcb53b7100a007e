// Finds members of given names in JSON, or in a stream of JSON, without a scan: if a name stands in a string, its quotes are
// escaped.
import { Span } from "../text/bytes";

const SPACE: u32 = 0x20;
/** Bytes of a vector. */
const WIDTH: i32 = 16;
/** From a name's last byte to the colon. */
const TO_COLON: usize = 2;

// Constants of the vector code; string.ts explains why they are loaded from memory.
const COLONS = memory.data<u64>([0x3a3a3a3a3a3a3a3a, 0x3a3a3a3a3a3a3a3a]);

export class MemberFinder {
  /** The last byte of `name`, and of `other`, each sixteen times. */
  private lastBytes: StaticArray<u8> = new StaticArray<u8>(2 * WIDTH);

  /** Finds the members `name` and `other`, which may be the same, whose value begins with a byte. */
  constructor(
    /** With its quotes and the colon. */
    private name: Span,
    private first: u32,
    private other: Span,
    private otherFirst: u32,
  ) {
    const to = changetype<usize>(this.lastBytes);
    memory.fill(to, lastByte(name), WIDTH);
    memory.fill(to + WIDTH, lastByte(other), WIDTH);
  }

  /**
   * Returns the address of the colon of the first such member from `from` up to `end`; `end` if there is none. PADDING bytes
   * follow the end.
   */
  next(from: usize, end: usize): usize {
    const lastBytes = changetype<usize>(this.lastBytes);
    const last = v128.load(lastBytes);
    const otherLast = v128.load(lastBytes, WIDTH);
    const colons = v128.load(COLONS);
    for (let at = from; at < end; at += 64) {
      const a = match(at, last, otherLast, colons);
      const b = match(at + 16, last, otherLast, colons);
      const c = match(at + 32, last, otherLast, colons);
      const d = match(at + 48, last, otherLast, colons);
      if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
      let places = bits(a) | (bits(b) << 16) | (bits(c) << 32) | (bits(d) << 48);
      for (; places != 0; places &= places - 1) {
        const colon = at + <usize>ctz(places);
        if (colon >= end) return end;
        if (this.isMember(from, colon)) return colon;
      }
    }
    return end;
  }

  private isMember(from: usize, colon: usize): bool {
    let value = <u32>load<u8>(colon + 1);
    if (value == SPACE) value = load<u8>(colon + 2);
    return (
      (value == this.first && endsAt(this.name, from, colon)) ||
      (value == this.otherFirst && endsAt(this.other, from, colon))
    );
  }
}

/** Returns at which of 16 addresses a colon follows the end of a name. */
// @ts-ignore: decorator
@inline
function match(at: usize, last: v128, otherLast: v128, colons: v128): v128 {
  const bytes = v128.load(at - TO_COLON);
  const ends = v128.or(i8x16.eq(bytes, last), i8x16.eq(bytes, otherLast));
  return v128.and(i8x16.eq(v128.load(at), colons), ends);
}

/** Returns the truth values of a vector as bits. */
// @ts-ignore: decorator
@inline
function bits(vector: v128): u64 {
  return <u64>(<u32>i8x16.bitmask(vector));
}

/** Returns whether a name with its quotes and the colon ends at a colon. */
function endsAt(name: Span, from: usize, colon: usize): bool {
  const start = colon + 1 - name.length;
  return start >= from && memory.compare(start, name.pointer, name.length) == 0;
}

/** Returns the byte in front of the quote and the colon. */
function lastByte(name: Span): u8 {
  return load<u8>(name.pointer + name.length - 1 - TO_COLON);
}
