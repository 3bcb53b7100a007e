// Objects by the id of their context in Envoy, which counts ids up from 1.

const FIRST_SIZE: i32 = 64;
/** Of the 32 bits of a hash, those that are not part of a place in the first table. */
const FIRST_SHIFT: u32 = 26;
/** 2^32 divided by the golden ratio: consecutive ids get places far from each other, so those of many open streams are no run. */
const SPREAD: u32 = 0x9e3779b1;

export class IdTable<T> {
  /** 0: a free place. An id that finds its place taken has the next free one. The length is a power of two. */
  private ids: StaticArray<u32> = new StaticArray<u32>(FIRST_SIZE);
  private objects: StaticArray<T | null> = new StaticArray<T | null>(FIRST_SIZE);
  private count: i32 = 0;
  private shift: u32 = FIRST_SHIFT;

  /** Returns the object with an id, or null. */
  get(id: u32): T | null {
    return unchecked(this.objects[this.placeOf(id)]);
  }

  set(id: u32, object: T): void {
    // A table that is half empty has short ways to a free place.
    if (this.count * 2 >= this.ids.length) this.grow();
    const place = this.placeOf(id);
    if (unchecked(this.ids[place]) == 0) this.count++;
    this.put(place, id, object);
  }

  delete(id: u32): void {
    const ids = this.ids;
    const mask = ids.length - 1;
    let free = this.placeOf(id);
    if (unchecked(ids[free]) == 0) return;
    this.count--;
    // Those after it that had to go past the place, which is free now, move up.
    for (let at = (free + 1) & mask; unchecked(ids[at]) != 0; at = (at + 1) & mask) {
      const passed = (at - this.homeOf(unchecked(ids[at]))) & mask;
      if (passed < ((at - free) & mask)) continue;
      this.put(free, unchecked(ids[at]), unchecked(this.objects[at]));
      free = at;
    }
    this.put(free, 0, null);
  }

  /** Returns the most places that are taken next to each other: no call visits more. For tests. */
  longestRun(): i32 {
    const ids = this.ids;
    let longest = 0;
    // Twice, because a run may go on at the table's beginning.
    for (let i = 0, run = 0; i < 2 * ids.length; i++) {
      run = unchecked(ids[i & (ids.length - 1)]) == 0 ? 0 : run + 1;
      longest = max(longest, run);
    }
    return longest;
  }

  /** Returns the place of an id, or the free one where it would be. */
  private placeOf(id: u32): i32 {
    const ids = this.ids;
    const mask = ids.length - 1;
    let place = this.homeOf(id);
    while (unchecked(ids[place]) != id && unchecked(ids[place]) != 0) place = (place + 1) & mask;
    return place;
  }

  /** Returns the place of an id if it was the only one. */
  // @ts-ignore: decorator
  @inline
  private homeOf(id: u32): i32 {
    return <i32>((id * SPREAD) >> this.shift);
  }

  private put(place: i32, id: u32, object: T | null): void {
    unchecked((this.ids[place] = id));
    unchecked((this.objects[place] = object));
  }

  private grow(): void {
    const ids = this.ids;
    const objects = this.objects;
    this.shift--;
    this.ids = new StaticArray<u32>(ids.length * 2);
    this.objects = new StaticArray<T | null>(ids.length * 2);
    for (let i = 0; i < ids.length; i++) {
      const id = unchecked(ids[i]);
      if (id != 0) this.put(this.placeOf(id), id, unchecked(objects[i]));
    }
  }
}
