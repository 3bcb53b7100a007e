// Recognises, without a scan, a JSON text that differs from an earlier one only inside a few strings and numbers.
//
// The events of a stream repeat a few hundred bytes around a few new ones. Bytes that are equal to those of a text that was
// scanned, with whole strings and numbers in between, are the same values: the result is as strict as a scan.
import { byteAt, isDigit } from "../text/at";
import { ByteBuffer, sameBytes } from "../text/bytes";
import { countOf, MAX_COUNT_DIGITS } from "./number";
import { stringEnd } from "./scan";

/** After this many texts in a row that did not fit, no more are learned: the stream does not repeat itself. */
const MAX_MISSES: u32 = 8;

/** So many counts of one text may change. */
const MAX_COUNTS: i32 = 3;

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
  /** The digits of numbers that the reader uses, each in a slot that the reader chooses, or 0. */
  private counts: StaticArray<usize> = new StaticArray<usize>(MAX_COUNTS);
  private countLengths: StaticArray<u32> = new StaticArray<u32>(MAX_COUNTS);
  private countValues: StaticArray<i64> = new StaticArray<i64>(MAX_COUNTS);

  clear(): void {
    this.pointer = 0;
    this.noise = 0;
    this.number = 0;
    for (let slot = 0; slot < MAX_COUNTS; slot++) unchecked((this.counts[slot] = 0));
  }

  set(pointer: usize, length: u32): void {
    this.pointer = pointer;
    this.length = length;
  }

  /** Adds a number. Without it the digits may not change. */
  setCount(slot: i32, pointer: usize, length: u32): void {
    if (<u32>slot >= <u32>MAX_COUNTS) return;
    unchecked((this.counts[slot] = pointer));
    unchecked((this.countLengths[slot] = length));
  }

  /** Returns the number in the text that fitted last, `before` if the slot has none. */
  countOr(slot: i32, before: i64): i64 {
    if (<u32>slot >= <u32>MAX_COUNTS || unchecked(this.counts[slot]) == 0) return before;
    return unchecked(this.countValues[slot]);
  }

  /** Returns where a kind of gap begins, 0 if the text has none. */
  gapStart(gap: i32): usize {
    if (gap >= GAP_COUNTS) return unchecked(this.counts[gap - GAP_COUNTS]);
    if (gap == GAP_VALUE) return this.pointer;
    return gap == GAP_NOISE ? this.noise : this.number;
  }

  /** Returns how many bytes that gap has. */
  gapLength(gap: i32): u32 {
    if (gap >= GAP_COUNTS) return unchecked(this.countLengths[gap - GAP_COUNTS]);
    if (gap == GAP_VALUE) return this.length;
    return gap == GAP_NOISE ? this.noiseLength : this.numberLength;
  }

  /** Keeps the digits of a count. Returns false if they are too many to be one. */
  readCount(gap: i32, pointer: usize, length: u32): bool {
    if (length > MAX_COUNT_DIGITS) return false;
    unchecked((this.countValues[gap - GAP_COUNTS] = countOf(pointer, length)));
    return true;
  }
}

const GAP_VALUE: i32 = 0;
const GAP_NOISE: i32 = 1;
const GAP_NUMBER: i32 = 2;
/** The first of one kind for each slot of a count. */
const GAP_COUNTS: i32 = 3;
const MAX_GAPS: i32 = GAP_COUNTS + MAX_COUNTS;

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

  /**
   * Learns a text that holds a scanned one, unless it cannot repeat (or `length` is 0): then what comes next may look the same
   * and mean something else.
   */
  learn(pointer: usize, length: u32, values: Repeatable): void {
    this.isSet = values.pointer != 0 && length > 0 && this.misses < MAX_MISSES;
    if (!this.isSet) return;
    this.count = 0;
    this.pieces.clear();
    let done = pointer;
    let used: u32 = 0;
    for (let gap = nextGap(values, used); gap >= 0; gap = nextGap(values, used)) {
      const start = values.gapStart(gap);
      used |= 1 << gap;
      const size = <u32>(start - done);
      unchecked((this.gaps[this.count] = gap));
      unchecked((this.lengths[this.count] = size));
      this.count++;
      this.pieces.bytes(done, size);
      done = start + values.gapLength(gap);
    }
    this.pieces.bytes(done, <u32>(pointer + length - done));
  }

  /**
   * Returns the end of the text at `pointer` that is the learned one except for its values; 0 if there is none before `end`.
   * Then `pointer` and `length` are the string, and the counts are in `values`, which must be those that `learn` was called
   * with. The block must be writable, with PADDING bytes behind its end.
   */
  fits(pointer: usize, end: usize, values: Repeatable): usize {
    if (!this.isSet) return 0;
    const stop = this.match(pointer, end, values);
    if (stop != 0) this.misses = 0;
    else if (++this.misses >= MAX_MISSES) this.isSet = false;
    return stop;
  }

  release(): void {
    this.pieces.release();
    this.isSet = false;
  }

  private match(pointer: usize, end: usize, values: Repeatable): usize {
    let at = pointer;
    let piece = this.pieces.pointer;
    for (let i = 0; i < this.count; i++) {
      const size = unchecked(this.lengths[i]);
      if (end - at < <usize>size || !sameBytes(at, size, piece, size)) return 0;
      at += size;
      piece += size;
      const gap = unchecked(this.gaps[i]);
      const stop = gap < GAP_NUMBER ? stringEnd(at, end) : numberEnd(at, end);
      if (stop == 0) return 0;
      if (gap == GAP_VALUE) {
        this.pointer = at;
        this.length = <u32>(stop - at);
      } else if (gap >= GAP_COUNTS && !values.readCount(gap, at, <u32>(stop - at))) {
        return 0;
      }
      at = stop;
    }
    const tail = <u32>(this.pieces.pointer + this.pieces.length - piece);
    return end - at >= <usize>tail && sameBytes(at, tail, piece, tail) ? at + tail : 0;
  }
}

/** Returns the kind of the first gap in the text that is not in `used`, a bit for each kind; -1 if there is none. */
function nextGap(values: Repeatable, used: u32): i32 {
  let found = -1;
  for (let gap = 0; gap < MAX_GAPS; gap++) {
    const start = values.gapStart(gap);
    if (start == 0 || (used & (1 << gap)) != 0) continue;
    if (found < 0 || start < values.gapStart(found)) found = gap;
  }
  return found;
}

/** Returns the end of the digits of a whole number; 0 if there is none. */
function numberEnd(pointer: usize, end: usize): usize {
  const length = <u32>(end - pointer);
  let i: u32 = 0;
  while (i < length && isDigit(byteAt(pointer, i))) i++;
  const hasLeadingZero = i > 1 && byteAt(pointer) == 0x30;
  return i == 0 || hasLeadingZero ? 0 : pointer + i;
}
