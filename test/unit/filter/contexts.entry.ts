// What the test of filter/contexts/id-table.ts calls (test/unit/filter/contexts/id-table.test.ts).
import { IdTable } from "../../../filter/contexts/id-table";

class Entry {
  constructor(public value: u32) {}
}

let table = new IdTable<Entry>();

export function clear(): void {
  table = new IdTable<Entry>();
}

export function set(id: u32, value: u32): void {
  table.set(id, new Entry(value));
}

export function remove(id: u32): void {
  table.delete(id);
}

/** Returns -1 if there is none. */
export function get(id: u32): i32 {
  const entry = table.get(id);
  return entry === null ? -1 : <i32>entry.value;
}

export function longestRun(): i32 {
  return table.longestRun();
}
