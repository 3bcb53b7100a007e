// The values of a JSON text that may change from one text to the next (pattern.ts): strings, and whole numbers.
import { countOf, MAX_COUNT_DIGITS } from "../json/number";

/** So many counts of one text may change. */
export const MAX_COUNTS: i32 = 3;

/** The values of a text that may change. */
export class Repeatable {
  /** The inside of a string. 0: the text cannot repeat. */
  pointer: usize = 0;
  length: u32 = 0;
  /** The inside of a string without meaning (padding against traffic analysis), or 0. */
  ignored: usize = 0;
  ignoredLength: u32 = 0;
  /** The digits of a number without meaning (the event's place in its stream), or 0. */
  number: usize = 0;
  numberLength: u32 = 0;
  /** The digits of numbers that the reader uses, each in a slot that the reader chooses, or 0. */
  private counts: StaticArray<usize> = new StaticArray<usize>(MAX_COUNTS);
  private countLengths: StaticArray<u32> = new StaticArray<u32>(MAX_COUNTS);
  /** The same in the text that matched last. */
  private digits: StaticArray<usize> = new StaticArray<usize>(MAX_COUNTS);
  private digitLengths: StaticArray<u32> = new StaticArray<u32>(MAX_COUNTS);

  clear(): void {
    this.pointer = 0;
    this.ignored = 0;
    this.number = 0;
    for (let slot = 0; slot < MAX_COUNTS; slot++) unchecked((this.counts[slot] = 0));
  }

  set(pointer: usize, length: u32): void {
    this.pointer = pointer;
    this.length = length;
  }

  /** Adds a string: the one of interest, or the one without meaning. Returns false if there are both already. */
  addString(pointer: usize, length: u32): bool {
    if (this.pointer == 0) {
      this.set(pointer, length);
      return true;
    }
    const isFree = this.ignored == 0;
    this.ignored = pointer;
    this.ignoredLength = length;
    return isFree;
  }

  /** Makes the string without meaning the one of interest. */
  swapStrings(): void {
    const pointer = this.pointer;
    const length = this.length;
    this.set(this.ignored, this.ignoredLength);
    this.ignored = pointer;
    this.ignoredLength = length;
  }

  /** Adds a number. Without it the digits may not change. */
  setCount(slot: i32, pointer: usize, length: u32): void {
    if (<u32>slot >= <u32>MAX_COUNTS) return;
    unchecked((this.counts[slot] = pointer));
    unchecked((this.countLengths[slot] = length));
  }

  /** Returns the number in the text that matched last, `before` if the slot has none. */
  countOr(slot: i32, before: i64): i64 {
    if (<u32>slot >= <u32>MAX_COUNTS || unchecked(this.counts[slot]) == 0) return before;
    return countOf(unchecked(this.digits[slot]), unchecked(this.digitLengths[slot]));
  }

  /** Returns where a kind of gap begins, 0 if the text has none. */
  gapStart(gap: i32): usize {
    if (gap >= GAP_COUNTS) return unchecked(this.counts[gap - GAP_COUNTS]);
    if (gap == GAP_VALUE) return this.pointer;
    return gap == GAP_IGNORED ? this.ignored : this.number;
  }

  /** Returns how many bytes that gap has. */
  gapLength(gap: i32): u32 {
    if (gap >= GAP_COUNTS) return unchecked(this.countLengths[gap - GAP_COUNTS]);
    if (gap == GAP_VALUE) return this.length;
    return gap == GAP_IGNORED ? this.ignoredLength : this.numberLength;
  }

  /** Borrows the digits of a count, until `countOr`. Returns false if they are too many to be one. */
  noteCount(gap: i32, pointer: usize, length: u32): bool {
    unchecked((this.digits[gap - GAP_COUNTS] = pointer));
    unchecked((this.digitLengths[gap - GAP_COUNTS] = length));
    return length <= MAX_COUNT_DIGITS;
  }
}

export const GAP_VALUE: i32 = 0;
const GAP_IGNORED: i32 = 1;
export const GAP_NUMBER: i32 = 2;
/** The first of one kind for each slot of a count. */
export const GAP_COUNTS: i32 = 3;
export const MAX_GAPS: i32 = GAP_COUNTS + MAX_COUNTS;
