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

  /** The bytes around the gaps, one piece after the other: one before each gap, and one behind the last. */
  private pieces: ByteBuffer = new ByteBuffer();
  /** Length of each piece. */
  private lengths: StaticArray<u32> = new StaticArray<u32>(MAX_GAPS);
  private gaps: StaticArray<i32> = new StaticArray<i32>(MAX_GAPS);
  private count: i32 = 0;
  private isSet: bool = false;
  private misses: u32 = 0;

  /** Learns a scanned text, unless it cannot repeat: then what comes next may look the same and mean something else. */
  learn(pointer: usize, length: u32, values: Repeatable): void {
    this.isSet = values.pointer != 0 && this.misses < MAX_MISSES;
    if (!this.isSet) return;
    this.count = 0;
    this.pieces.clear();
    let done = pointer;
    let used: u32 = 0;
    for (let gap = nextGap(values, used); gap >= 0; gap = nextGap(values, used)) {
      const start = gapStart(values, gap);
      used |= 1 << gap;
      const size = <u32>(start - done);
      unchecked((this.gaps[this.count] = gap));
      unchecked((this.lengths[this.count] = size));
      this.count++;
      this.pieces.bytes(done, size);
      done = start + gapLength(values, gap);
    }
    this.pieces.bytes(done, <u32>(pointer + length - done));
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
    this.pieces.release();
    this.isSet = false;
  }

  private match(pointer: usize, end: usize): bool {
    let at = pointer;
    let piece = this.pieces.pointer;
    for (let i = 0; i < this.count; i++) {
      const size = unchecked(this.lengths[i]);
      if (end - at < <usize>size || !sameBytes(at, size, piece, size)) return false;
      at += size;
      piece += size;
      const gap = unchecked(this.gaps[i]);
      const stop = gap == GAP_NUMBER ? numberEnd(at, end) : stringEnd(at, end);
      if (stop == 0) return false;
      if (gap == GAP_VALUE) {
        this.pointer = at;
        this.length = <u32>(stop - at);
      }
      at = stop;
    }
    const tail = <u32>(this.pieces.pointer + this.pieces.length - piece);
    return sameBytes(at, <u32>(end - at), piece, tail);
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
