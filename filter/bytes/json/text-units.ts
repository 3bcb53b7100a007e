// The text of a JSON string in units: what one character is in the bytes around it. An edit of the text finds its place in the
// bytes by them, so that all other bytes stay as they are. `depth` 2 is a string of JSON in a string of JSON, as the arguments
// of a tool call are: its escapes are escaped again, and an event may end inside of one.
import { hexValue } from "../text/at";
import { findByte } from "../text/find";
import { ByteBuffer } from "../text/bytes";
import { unescapedByte } from "./text";

const BACKSLASH: u32 = 0x5c;
const LETTER_U: u32 = 0x75;
const REPLACEMENT: u32 = 0xfffd;
/** Set on a unit of UTF-16: without it a unit of 0x80 and more is a byte of UTF-8. */
const UTF16: u32 = 0x10000;
/** The text ends inside of a unit. */
const CUT: u32 = 0xffffffff;

/** Where the next unit begins, and where the bytes end. */
let at: usize = 0;
let end: usize = 0;

/** Reads the next unit. */
function unit(depth: i32): u32 {
  if (at >= end) return CUT;
  if (depth == 0) return <u32>load<u8>(at++);
  const first = unit(depth - 1);
  if (first != BACKSLASH) return first;
  const letter = unit(depth - 1);
  if (letter != LETTER_U) return letter == CUT ? CUT : unescapedByte(letter);
  let value: u32 = 0;
  for (let i = 0; i < 4; i++) {
    const digit = unit(depth - 1);
    if (digit == CUT) return CUT;
    value = (value << 4) | (hexValue(digit) & 15);
  }
  return value < 0x80 ? value : value | UTF16;
}

/** Reads the next character: a code point with UTF16 set, or a byte. Halves that do not make a pair are U+FFFD each. */
function character(depth: i32): u32 {
  const high = unit(depth);
  if (high == CUT || (high & 0x1f800) != 0x1d800) return high;
  const after = at;
  const low = high < 0x1dc00 ? unit(depth) : 0;
  if (low == CUT) return CUT;
  if ((low & 0x1fc00) == 0x1dc00)
    return (0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff)) | CHARACTER;
  at = after;
  return REPLACEMENT | UTF16;
}

/** Set on a code point beyond 0xffff. */
const CHARACTER: u32 = 0x1000000;

/** Returns how many bytes a character has in UTF-8. */
function sizeOf(value: u32): u32 {
  if (value < 0x100) return 1;
  if (value >= CHARACTER) return 4;
  return (value & 0xffff) < 0x800 ? 2 : 3;
}

function put(value: u32, out: ByteBuffer): void {
  if (value < 0x100) {
    out.byte(value);
    return;
  }
  const size = sizeOf(value);
  const point = value >= CHARACTER ? value & 0xffffff : value & 0xffff;
  let shift = (size - 1) * 6;
  out.byte(((0xf00 >> size) & 0xff) | (point >> shift));
  for (; shift > 0;) {
    shift -= 6;
    out.byte(0x80 | ((point >> shift) & 63));
  }
}

/**
 * Appends the text of the bytes inside of a string, which the scanner has accepted. Returns how many of them it has read: all, unless
 * they end inside of a unit and `isFinal` is false.
 */
export function readUnits(
  pointer: usize,
  length: u32,
  depth: i32,
  isFinal: bool,
  out: ByteBuffer,
): u32 {
  at = pointer;
  end = pointer + length;
  while (at < end) {
    const escape = findByte(at, end, BACKSLASH);
    const plainEnd = escape == 0 ? end : escape;
    out.bytes(at, <u32>(plainEnd - at));
    at = plainEnd;
    if (escape == 0) break;
    const value = character(depth);
    if (value != CUT) {
      put(value, out);
      continue;
    }
    if (!isFinal) return <u32>(escape - pointer);
    // Nothing completes it: it stands for itself.
    put(REPLACEMENT | UTF16, out);
    at = end;
  }
  return length;
}

/** Goes from an offset in the text to the offset of the same place in the bytes, forward only. */
export class UnitPlaces {
  private pointer: usize = 0;
  private next: usize = 0;
  private end: usize = 0;
  private depth: i32 = 1;
  private offset: u32 = 0;

  /** The bytes that `readUnits` has read. */
  begin(pointer: usize, length: u32, depth: i32): void {
    this.pointer = pointer;
    this.next = pointer;
    this.end = pointer + length;
    this.depth = depth;
    this.offset = 0;
  }

  /** Returns the offset of the last unit that begins at or before an offset in the text. */
  to(offset: u32): u32 {
    at = this.next;
    end = this.end;
    let reached = this.offset;
    while (at < end && reached < offset) {
      const escape = findByte(at, min(end, at + (offset - reached)), BACKSLASH);
      const plain = <u32>((escape == 0 ? min(end, at + (offset - reached)) : escape) - at);
      at += plain;
      reached += plain;
      if (escape == 0) continue;
      const value = character(this.depth);
      const size = value == CUT ? 3 : sizeOf(value);
      if (value == CUT) at = end;
      if (reached + size > offset) {
        at = escape;
        break;
      }
      reached += size;
    }
    this.next = at;
    this.offset = reached;
    return <u32>(at - this.pointer);
  }
}
