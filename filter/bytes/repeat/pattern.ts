// Recognises, without a scan, a JSON text that differs from an earlier one only inside a few strings and numbers.
//
// The events of a stream repeat a few hundred bytes around a few new ones. Bytes that are equal to those of a text that was
// scanned, with whole strings and numbers in between, are the same values: the result is as strict as a scan.
import { ByteBuffer, samePadded } from "../text/bytes";
import { TextRuns } from "../text/text-runs";
import { findChanges } from "./changes";
import { numberEnd } from "../json/number";
import { GAP_COUNTS, GAP_NUMBER, GAP_VALUE, MAX_GAPS, Repeatable } from "./repeatable";
import { stringEnd } from "../json/scan";

/** After this many texts in a row that did not match, no more are remembered: the stream does not repeat itself. */
const MAX_MISSES: u32 = 8;

/** A text that nobody scans is not remembered if it is longer. Bytes. */
const MAX_REMEMBERED: u32 = 16 << 10;

export class Pattern {
  /** Inside of the string of the text that matched last. */
  pointer: usize = 0;
  length: u32 = 0;
  /** Whether counts are among the values: those of each text that matches are in `values`. */
  hasCounts: bool = false;
  /** How many texts matched in the last `matchesEach`. */
  matched: u32 = 0;

  /** The bytes around the gaps, one piece after the other: one before each gap, and one after the last. */
  private pieces: ByteBuffer = new ByteBuffer();
  /** Length of each piece. */
  private lengths: StaticArray<u32> = new StaticArray<u32>(MAX_GAPS);
  private gaps: StaticArray<i32> = new StaticArray<i32>(MAX_GAPS);
  private count: i32 = 0;

  private isSet: bool = false;
  private misses: u32 = 0;
  /** Whether `pieces` is a whole text, with which `rememberChange` compares the next one. */
  private hasText: bool = false;

  /**
   * Remembers a text that holds a scanned one, unless it cannot repeat (or `length` is 0): then what comes next may look the same
   * and mean something else.
   */
  remember(pointer: usize, length: u32, values: Repeatable): void {
    this.isSet = values.pointer != 0 && length > 0 && this.misses < MAX_MISSES;
    if (!this.isSet) return;
    this.count = 0;
    this.hasCounts = false;
    this.hasText = false;
    this.pieces.clear();
    let done = pointer;
    let used: u32 = 0;
    for (let gap = nextGap(values, used); gap >= 0; gap = nextGap(values, used)) {
      const start = values.gapStart(gap);
      used |= 1 << gap;
      if (gap >= GAP_COUNTS) this.hasCounts = true;
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
   * Remembers a text that nobody has scanned, by what differs in it from the one before. A text that repeats it has the same
   * members, with other values of the same kinds, or neither of them is valid.
   * @param value the string of interest, if that is known; 0: the first one that differs
   */
  rememberChange(pointer: usize, length: u32, values: Repeatable, value: usize): void {
    const pieces = this.pieces;
    this.isSet = false;
    if (length == 0 || length > MAX_REMEMBERED || this.misses >= MAX_MISSES) {
      this.hasText = false;
    } else if (
      this.hasText &&
      findChanges(pieces.pointer, pieces.length, pointer, length, values)
    ) {
      if (value != 0 && values.ignored == value) values.swapStrings();
      this.remember(pointer, length, values);
    } else {
      // Streams that never repeat are compared a few times only.
      this.misses++;
      this.hasText = true;
      pieces.clear();
      pieces.bytes(pointer, length);
    }
  }

  /**
   * Returns the end of the text at `pointer` that is the remembered one except for its values; 0 if there is none before `end`.
   * Then `pointer` and `length` are the string, and the counts are in `values`, which must be those that `remember` was called
   * with. The block must be writable, with PADDING bytes after its end.
   */
  matches(pointer: usize, end: usize, values: Repeatable): usize {
    if (!this.isSet) return 0;
    const stop = this.match(pointer, end, values);
    if (stop != 0) this.misses = 0;
    else if (++this.misses >= MAX_MISSES) this.isSet = false;
    return stop;
  }

  /**
   * As `matches` for one text after the other, as many as `texts` has room for, to which it adds their strings. Returns the end of the
   * last one, and sets `matched`. The counts in `values` are those of the last one.
   */
  matchesEach(pointer: usize, end: usize, values: Repeatable, texts: TextRuns): usize {
    texts.clear();
    this.matched = 0;
    let at = pointer;
    let last = pointer;
    while (at < end && !texts.isFull) {
      const stop = this.matched == 0 ? this.matches(at, end, values) : this.match(at, end, values);
      if (stop == 0) break;
      texts.add(this.pointer, this.length);
      this.matched++;
      last = at;
      at = stop;
    }
    // A text that does not fit may have left its counts.
    if (this.hasCounts && this.matched > 0) this.match(last, end, values);
    return this.matched > 0 ? at : 0;
  }

  release(): void {
    this.pieces.release();
    this.isSet = false;
    this.hasText = false;
  }

  private match(pointer: usize, end: usize, values: Repeatable): usize {
    const count = this.count;
    let at = pointer;
    let piece = this.pieces.pointer;
    const piecesEnd = piece + this.pieces.length;
    for (let i = 0; i < count; i++) {
      const size = <usize>unchecked(this.lengths[i]);
      if (end - at < size || !samePadded(at, piece, size)) return 0;
      at += size;
      piece += size;
      const gap = unchecked(this.gaps[i]);
      const stop = gap < GAP_NUMBER ? stringEnd(at, end) : numberEnd(at, end);
      if (stop == 0) return 0;
      if (gap == GAP_VALUE) {
        this.pointer = at;
        this.length = <u32>(stop - at);
      } else if (gap >= GAP_COUNTS && !values.noteCount(gap, at, <u32>(stop - at))) {
        return 0;
      }
      at = stop;
    }
    const tail = piecesEnd - piece;
    return end - at >= tail && samePadded(at, piece, tail) ? at + tail : 0;
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
