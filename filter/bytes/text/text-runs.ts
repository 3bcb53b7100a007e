// Texts that are read and written together, one after the other: those of events that repeat each other.

/** So many at most. */
const MAX_RUNS: u32 = 64;
/** Address and length of each, of 4 bytes. Shared by all lists: one is filled and used inside of one call. */
const RUNS = memory.data(512);
const RUN_BYTES: usize = 8;

/** The texts are borrowed, and not empty. */
export class TextRuns {
  count: u32 = 0;
  /** Of all texts together. */
  bytes: u32 = 0;

  // @ts-ignore: decorator
  @inline
  get isFull(): bool {
    return this.count >= MAX_RUNS;
  }

  // @ts-ignore: decorator
  @inline
  clear(): void {
    this.count = 0;
    this.bytes = 0;
  }

  /** Adds a text, unless it is empty. The list must not be full. */
  // @ts-ignore: decorator
  @inline
  add(pointer: usize, length: u32): void {
    if (length == 0) return;
    const run = RUNS + <usize>this.count * RUN_BYTES;
    store<u32>(run, <u32>pointer);
    store<u32>(run, length, 4);
    this.count++;
    this.bytes += length;
  }

  // @ts-ignore: decorator
  @inline
  pointer(index: u32): usize {
    return <usize>load<u32>(RUNS + <usize>index * RUN_BYTES);
  }

  // @ts-ignore: decorator
  @inline
  length(index: u32): u32 {
    return load<u32>(RUNS + <usize>index * RUN_BYTES, 4);
  }
}
