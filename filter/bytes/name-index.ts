// Finds one of a fixed list of names, such as the members of an object that a dialect reads.
import { takeBlock } from "../memory/blocks";
import { sameBytes, Span } from "./text/bytes";

/** A power of two. */
const BUCKETS: u32 = 32;

@unmanaged
class Entry {
  constructor(
    public name: usize,
    public length: u32,
    public index: i32,
    /** The next one of its bucket. */
    public next: Entry | null,
  ) {}
}

/** A list of names that is only appended to, at module start. */
@unmanaged
export class NameIndex {
  private count: i32 = 0;
  /** The first entry of each bucket, or null. */
  private buckets: usize = takeBlock(BUCKETS * sizeof<usize>());

  constructor() {
    memory.fill(this.buckets, 0, BUCKETS * sizeof<usize>());
  }

  /** Adds a name. Of two equal ones the last is found. */
  add(name: Span): void {
    const bucket = this.bucketOf(name.pointer, name.length);
    const entry = new Entry(name.pointer, name.length, this.count++, load<Entry | null>(bucket));
    store<usize>(bucket, changetype<usize>(entry));
  }

  /** Returns how many names were added before this one, -1 if it was not added. A byte must be readable on both of its sides. */
  find(pointer: usize, length: u32): i32 {
    let entry = load<Entry | null>(this.bucketOf(pointer, length));
    while (entry !== null) {
      if (sameBytes(entry.name, entry.length, pointer, length)) return entry.index;
      entry = entry.next;
    }
    return -1;
  }

  /** Returns the address of a name's bucket: by its length, first and last byte. */
  // @ts-ignore: decorator
  @inline
  private bucketOf(pointer: usize, length: u32): usize {
    const first = <u32>load<u8>(pointer);
    const last = <u32>load<u8>(pointer + length - 1);
    // Of all factors below 32, those with the fewest members of one object in one bucket.
    const hash = length + first * 13 + last * 9;
    return this.buckets + (hash & (BUCKETS - 1)) * sizeof<usize>();
  }
}
