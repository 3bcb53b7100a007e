// Model names and aliases → routes: a hash table over bytes, so that a lookup creates no string.
import { sameBytes, Span } from "../bytes/text/bytes";
import { hash64 } from "../bytes/text/hash";

export class NameTable {
  private names: Span[] = [];
  private routes: i32[] = [];
  /** Open addressing; entries are indices + 1, 0 is free. */
  private slots: StaticArray<i32> = new StaticArray<i32>(16);

  set(name: Span, route: i32): void {
    this.names.push(name);
    this.routes.push(route);
    if (this.names.length * 2 > this.slots.length)
      this.slots = new StaticArray<i32>(this.slots.length * 2);
    else {
      this.place(this.names.length - 1);
      return;
    }
    for (let i = 0; i < this.names.length; i++) this.place(i);
  }

  /** Returns the number of names. */
  get size(): i32 {
    return this.names.length;
  }

  /** Returns a name by its index, in the order of the configuration; the index must be below `size`. */
  at(index: i32): Span {
    return this.names[index];
  }

  /** Returns the stored name, or null. */
  find(pointer: usize, length: u32): Span | null {
    const index = this.indexOf(pointer, length);
    return index < 0 ? null : this.names[index];
  }

  /** Returns the index of the route, or -1. */
  get(pointer: usize, length: u32): i32 {
    const index = this.indexOf(pointer, length);
    return index < 0 ? -1 : this.routes[index];
  }

  private indexOf(pointer: usize, length: u32): i32 {
    const mask = <u32>this.slots.length - 1;
    let slot = (<u32>hash64(pointer, length)) & mask;
    // At most half of the slots are taken, so the walk meets a free one.
    while (this.slots[slot] != 0) {
      const index = this.slots[slot] - 1;
      const name = this.names[index];
      if (sameBytes(name.pointer, name.length, pointer, length)) return index;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  private place(index: i32): void {
    const mask = <u32>this.slots.length - 1;
    const name = this.names[index];
    let slot = (<u32>hash64(name.pointer, name.length)) & mask;
    while (this.slots[slot] != 0) slot = (slot + 1) & mask;
    this.slots[slot] = index + 1;
  }
}
