// Recognises, without a scan, a JSON text that differs from an earlier one only inside one or two strings.
//
// The chunks of a stream repeat a few hundred bytes around a few new ones. Bytes that are equal to those of a text that was
// scanned, with whole strings in between, are the same values: the result is as strict as a scan.
import { ByteBuffer, sameBytes } from "../text/bytes";
import { stringEnd } from "./scan";

/** After this many texts in a row that did not fit, no more are learned: the stream does not repeat itself. */
const MAX_MISSES: u32 = 8;

/** The strings of a text whose values may change: the insides, in the text's order. */
export class Repeatable {
  /** 0: the text cannot repeat. */
  pointer: usize = 0;
  length: u32 = 0;
  /** A string behind it whose value has no meaning (padding against traffic analysis), or 0. */
  noise: usize = 0;
  noiseLength: u32 = 0;

  clear(): void {
    this.pointer = 0;
    this.noise = 0;
  }

  set(pointer: usize, length: u32): void {
    this.pointer = pointer;
    this.length = length;
  }
}

export class Pattern {
  /** Inside of the first string of the text that fitted last. */
  pointer: usize = 0;
  length: u32 = 0;

  private head: ByteBuffer = new ByteBuffer();
  /** Between the strings; empty if there is only one. */
  private middle: ByteBuffer = new ByteBuffer();
  private tail: ByteBuffer = new ByteBuffer();
  private hasNoise: bool = false;
  private isSet: bool = false;
  private misses: u32 = 0;

  /** Learns a scanned text, unless it cannot repeat: then what comes next may look the same and mean something else. */
  learn(pointer: usize, length: u32, strings: Repeatable): void {
    this.isSet = strings.pointer != 0 && this.misses < MAX_MISSES;
    if (!this.isSet) return;
    const end = pointer + length;
    const first = strings.pointer + strings.length;
    this.hasNoise = strings.noise >= first;
    this.fill(this.head, pointer, strings.pointer);
    this.fill(this.middle, first, this.hasNoise ? strings.noise : first);
    this.fill(this.tail, this.hasNoise ? strings.noise + strings.noiseLength : first, end);
  }

  /** Returns whether a text is the learned one except for its strings; then `pointer` and `length` are the first one. */
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
    if (this.hasNoise) {
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
