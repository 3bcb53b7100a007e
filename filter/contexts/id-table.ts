// Objects by the id of their context in Envoy. Ids count up from 1, so their low bits are places in a table, mostly free ones.

const FIRST_SIZE: i32 = 64;

export class IdTable<T> {
  /** 0: a free place. An id that finds its place taken has the next free one. The length is a power of two. */
  private ids: StaticArray<u32> = new StaticArray<u32>(FIRST_SIZE);
  private objects: StaticArray<T | null> = new StaticArray<T | null>(FIRST_SIZE);
  private count: i32 = 0;

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
    // Those behind it that had to go past the place, which is free now, move up.
    for (let at = (free + 1) & mask; unchecked(ids[at]) != 0; at = (at + 1) & mask) {
      const passed = (at - <i32>unchecked(ids[at])) & mask;
      if (passed < ((at - free) & mask)) continue;
      this.put(free, unchecked(ids[at]), unchecked(this.objects[at]));
      free = at;
    }
    this.put(free, 0, null);
  }

  /** Returns the place of an id, or the free one where it would be. */
  private placeOf(id: u32): i32 {
    const ids = this.ids;
    const mask = ids.length - 1;
    let place = (<i32>id) & mask;
    while (unchecked(ids[place]) != id && unchecked(ids[place]) != 0) place = (place + 1) & mask;
    return place;
  }

  private put(place: i32, id: u32, object: T | null): void {
    unchecked((this.ids[place] = id));
    unchecked((this.objects[place] = object));
  }

  private grow(): void {
    const ids = this.ids;
    const objects = this.objects;
    this.ids = new StaticArray<u32>(ids.length * 2);
    this.objects = new StaticArray<T | null>(ids.length * 2);
    for (let i = 0; i < ids.length; i++) {
      const id = unchecked(ids[i]);
      if (id != 0) this.put(this.placeOf(id), id, unchecked(objects[i]));
    }
  }
}
