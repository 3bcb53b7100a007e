// Knows a JSON text again that differs from one before only inside one or two strings, without scanning it.
//
// The chunks of a stream repeat a few hundred bytes around a few new ones. Bytes that are equal to those of a text that
// was scanned, with whole strings in between, are the same values: so the answer is as strict as a scan.
import { ByteBuffer, sameBytes } from "../text/bytes";
import { stringEnd } from "./scan";

/** After so many texts in a row that did not fit, the stream is taken to have none that repeat. */
const MAX_MISSES: u32 = 8;

export class Pattern {
  /** Inside of the first string of the text that fitted last. */
  pointer: usize = 0;
  length: u32 = 0;

  private head: ByteBuffer = new ByteBuffer();
  /** Between the strings; empty when there is only one. */
  private middle: ByteBuffer = new ByteBuffer();
  private tail: ByteBuffer = new ByteBuffer();
  private hasSecond: bool = false;
  private isSet: bool = false;
  private misses: u32 = 0;

  /** Whether it is worth learning: false for streams whose texts never repeat. */
  get isUseful(): bool {
    return this.misses < MAX_MISSES;
  }

  /** Remembers a scanned text. Both strings are their insides; the second one stands behind the first, or has pointer 0. */
  learn(
    pointer: usize,
    length: u32,
    first: usize,
    firstLength: u32,
    second: usize,
    secondLength: u32,
  ): void {
    const end = pointer + length;
    const firstEnd = first + firstLength;
    this.hasSecond = second >= firstEnd;
    this.fill(this.head, pointer, first);
    this.fill(this.middle, firstEnd, this.hasSecond ? second : firstEnd);
    this.fill(this.tail, this.hasSecond ? second + secondLength : firstEnd, end);
    this.isSet = true;
  }

  /** Whether a text is the one remembered but for its strings; then `pointer` and `length` are the first one. */
  fits(pointer: usize, length: u32): bool {
    if (!this.isSet) return false;
    if (this.match(pointer, pointer + length)) {
      this.misses = 0;
      return true;
    }
    if (++this.misses >= MAX_MISSES) this.isSet = false;
    return false;
  }

  /** What comes next may mean something else, though it looks the same. */
  forget(): void {
    this.isSet = false;
  }

  release(): void {
    this.head.release();
    this.middle.release();
    this.tail.release();
    this.isSet = false;
  }

  private match(pointer: usize, end: usize): bool {
    const head = this.head;
    const tail = this.tail;
    if (end - pointer < <usize>(head.length + this.middle.length + tail.length)) return false;
    if (!sameBytes(pointer, head.length, head.pointer, head.length)) return false;
    const first = pointer + head.length;
    let stop = stringEnd(first, end);
    if (stop == 0) return false;
    this.pointer = first;
    this.length = <u32>(stop - first);
    if (this.hasSecond) {
      const middle = this.middle;
      if (end - stop < middle.length) return false;
      if (!sameBytes(stop, middle.length, middle.pointer, middle.length)) return false;
      stop = stringEnd(stop + middle.length, end);
      if (stop == 0) return false;
    }
    return sameBytes(stop, <u32>(end - stop), tail.pointer, tail.length);
  }

  private fill(buffer: ByteBuffer, start: usize, end: usize): void {
    buffer.clear();
    buffer.bytes(start, <u32>(end - start));
  }
}
