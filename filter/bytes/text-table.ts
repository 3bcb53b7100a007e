// A table of numbers by texts, for one callback: the names of tools, the ids of tool calls.
import { Records } from "./records";
import { sameBytes } from "./text/bytes";
import { hash64 } from "./text/hash";

/** No number of a table. */
export const NO_NUMBER: u32 = 0xffffffff;
/** A power of two, as every capacity. */
const FIRST_CAPACITY: u32 = 64;
/** Places that are tried: a client that chooses texts with one hash must not buy time with them. */
const MAX_TRIES: u32 = 64;

/** A free one has the pointer 0. */
@unmanaged
class Entry {
  pointer: usize;
  length: u32;
  number: u32;
}

/** The texts are not copied. Its memory is kept until the callback has returned. */
export class TextTable {
  private count: u32 = 0;
  private entries: Records<Entry> = new Records<Entry>();
  private others: Records<Entry> = new Records<Entry>();

  clear(): void {
    this.entries.clear();
    this.count = 0;
  }

  /** Returns NO_NUMBER for a text that is not in the table. */
  get(pointer: usize, length: u32): u32 {
    const entry = this.place(pointer, length);
    return entry === null || entry.pointer == 0 ? NO_NUMBER : entry.number;
  }

  /** Adds a text or changes its number. Returns false if there is no place for it. */
  set(pointer: usize, length: u32, number: u32): bool {
    if ((this.count + 1) * 2 > this.entries.count && !this.grow()) return false;
    const entry = this.place(pointer, length);
    if (entry === null) return false;
    if (entry.pointer == 0) this.count++;
    entry.pointer = pointer;
    entry.length = length;
    entry.number = number;
    return true;
  }

  /** Returns the entry of a text, or the free one where it belongs; null if all places that are tried have other texts. */
  private place(pointer: usize, length: u32): Entry | null {
    const capacity = this.entries.count;
    if (capacity == 0) return null;
    const hash = hash64(pointer, length);
    let at = <u32>(hash ^ (hash >> 32));
    for (let tries: u32 = 0; tries < MAX_TRIES; tries++) {
      const entry = this.entries.at(at++ & (capacity - 1));
      if (entry.pointer == 0) return entry;
      if (sameBytes(entry.pointer, entry.length, pointer, length)) return entry;
    }
    return null;
  }

  private grow(): bool {
    const old = this.entries;
    const next = this.others;
    const capacity = max(FIRST_CAPACITY, old.count * 2);
    next.clear();
    while (next.count < capacity) {
      const before = next.count;
      next.add();
      if (next.count == before) {
        next.clear();
        return false;
      }
    }
    this.entries = next;
    this.others = old;
    this.count = 0;
    for (let i: u32 = 0; i < old.count; i++) {
      const entry = old.at(i);
      if (entry.pointer != 0) this.set(entry.pointer, entry.length, entry.number);
    }
    old.clear();
    return true;
  }
}
