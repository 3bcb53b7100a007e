// What the tests of filter/guards/ call (test/unit/filter/guards/).
import { Finder } from "../../../filter/guards/finder";
import { PADDING } from "../../../filter/bytes/text/bytes";

let finder = new Finder(0);

export function allocate(length: u32): usize {
  return heap.alloc(length + PADDING);
}

export function free(pointer: usize): void {
  heap.free(pointer);
}

/** Begins to find these kinds. */
export function start(kinds: u64): void {
  finder = new Finder(kinds);
}

export function next(base: usize, from: u32, end: u32, isFinal: bool): bool {
  return finder.next(base, from, end, isFinal);
}

export function goesOn(base: usize, from: u32, end: u32, isFinal: bool): u32 {
  return finder.goesOn(base, from, end, isFinal);
}

export function kind(): i32 {
  return finder.kind;
}

export function begin(): u32 {
  return finder.start;
}

export function stop(): u32 {
  return finder.stop;
}

export function open(): u32 {
  return finder.open;
}

export function isUnfinished(): bool {
  return finder.isUnfinished;
}
