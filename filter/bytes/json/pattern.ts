// Recognises, without a scan, a JSON text that differs from an earlier one only inside a few strings and numbers.
//
// The events of a stream repeat a few hundred bytes around a few new ones. Bytes that are equal to those of a text that was
// scanned, with whole strings and numbers in between, are the same values: the result is as strict as a scan.
import { byteAt, isDigit } from "../text/at";
import { ByteBuffer, sameBytes } from "../text/bytes";
import { stringEnd } from "./scan";

/** After this many texts in a row that did not fit, no more are learned: the stream does not repeat itself. */
const MAX_MISSES: u32 = 8;

/** The values of a text that may change. */
export class Repeatable {
  /** The inside of a string. 0: the text cannot repeat. */
  pointer: usize = 0;
  length: u32 = 0;
  /** The inside of a string without meaning (padding against traffic analysis), or 0. */
  noise: usize = 0;
  noiseLength: u32 = 0;
  /** The digits of a number without meaning (the event's place in its stream), or 0. */
  number: usize = 0;
  numberLength: u32 = 0;

  clear(): void {
    this.pointer = 0;
    this.noise = 0;
    this.number = 0;
  }

  set(pointer: usize, length: u32): void {
    this.pointer = pointer;
    this.length = length;
  }
}

const GAP_VALUE: i32 = 0;
const GAP_NOISE: i32 = 1;
const GAP_NUMBER: i32 = 2;
const MAX_GAPS: i32 = 3;

export class Pattern {
  /** Inside of the string of the text that fitted last. */
  pointer: usize = 0;
  length: u32 = 0;

  /** The bytes before each gap, and those behind the last one. */
  private pieces: StaticArray<ByteBuffer> = [
    new ByteBuffer(),
    new ByteBuffer(),
    new ByteBuffer(),
    new ByteBuffer(),
  ];
  private gaps: StaticArray<i32> = new StaticArray<i32>(MAX_GAPS);
  private count: i32 = 0;
  private isSet: bool = false;
  private misses: u32 = 0;

  /** Learns a scanned text, unless it cannot repeat: then what comes next may look the same and mean something else. */
  learn(pointer: usize, length: u32, values: Repeatable): void {
    this.isSet = values.pointer != 0 && this.misses < MAX_MISSES;
    if (!this.isSet) return;
    this.count = 0;
    let done = pointer;
    let used: u32 = 0;
    for (let gap = nextGap(values, used); gap >= 0; gap = nextGap(values, used)) {
      const start = gapStart(values, gap);
      used |= 1 << gap;
      unchecked((this.gaps[this.count] = gap));
      this.fill(this.count++, done, start);
      done = start + gapLength(values, gap);
    }
    this.fill(this.count, done, pointer + length);
  }

  /** Returns whether a text is the learned one except for its values; then `pointer` and `length` are the string. */
  fits(pointer: usize, length: u32): bool {
    if (!this.isSet) return false;
    if (this.match(pointer, pointer + length)) {
      this.misses = 0;
      return true;
    }
    if (++this.misses >= MAX_MISSES) this.isSet = false;
    return false;
  }

  release(): void {
    for (let i = 0; i <= MAX_GAPS; i++) unchecked(this.pieces[i]).release();
    this.isSet = false;
  }

  private match(pointer: usize, end: usize): bool {
    let at = pointer;
    for (let i = 0; i < this.count; i++) {
      const piece = unchecked(this.pieces[i]);
      if (end - at < <usize>piece.length) return false;
      if (!sameBytes(at, piece.length, piece.pointer, piece.length)) return false;
      at += piece.length;
      const gap = unchecked(this.gaps[i]);
      const stop = gap == GAP_NUMBER ? numberEnd(at, end) : stringEnd(at, end);
      if (stop == 0) return false;
      if (gap == GAP_VALUE) {
        this.pointer = at;
        this.length = <u32>(stop - at);
      }
      at = stop;
    }
    const tail = unchecked(this.pieces[this.count]);
    return sameBytes(at, <u32>(end - at), tail.pointer, tail.length);
  }

  private fill(index: i32, start: usize, end: usize): void {
    const piece = unchecked(this.pieces[index]);
    piece.clear();
    piece.bytes(start, <u32>(end - start));
  }
}

/** Returns the kind of the first gap in the text that is not in `used`, a bit for each kind; -1 if there is none. */
function nextGap(values: Repeatable, used: u32): i32 {
  let found = -1;
  for (let gap = 0; gap < MAX_GAPS; gap++) {
    const start = gapStart(values, gap);
    if (start == 0 || (used & (1 << gap)) != 0) continue;
    if (found < 0 || start < gapStart(values, found)) found = gap;
  }
  return found;
}

function gapStart(values: Repeatable, gap: i32): usize {
  if (gap == GAP_VALUE) return values.pointer;
  return gap == GAP_NOISE ? values.noise : values.number;
}

function gapLength(values: Repeatable, gap: i32): u32 {
  if (gap == GAP_VALUE) return values.length;
  return gap == GAP_NOISE ? values.noiseLength : values.numberLength;
}

/** Returns the end of the digits of a whole number; 0 if there is none. */
function numberEnd(pointer: usize, end: usize): usize {
  const length = <u32>(end - pointer);
  let i: u32 = 0;
  while (i < length && isDigit(byteAt(pointer, i))) i++;
  const hasLeadingZero = i > 1 && byteAt(pointer) == 0x30;
  return i == 0 || hasLeadingZero ? 0 : pointer + i;
}
