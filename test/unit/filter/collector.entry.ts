// What the tests of filter/memory/collector.ts call (test/unit/filter/memory/collector.test.ts).
import { largestFree } from "../../../filter/memory/heap";

/** A node of a list and a tree: it refers to others by fields, an array, a map and a string. */
class Node {
  value: u32 = 0;
  text: string = "";
  next: Node | null = null;
  children: Node[] = [];
  byName: Map<u32, Node> = new Map<u32, Node>();
}

let root: Node | null = null;
/** Data of the program that refers to objects of the heap. */
const kept: StaticArray<Node | null> = [null, null];

/** Makes a node with a list of `length` others after it, each with a child that refers back to it. */
function make(length: u32, seed: u32): Node {
  const first = new Node();
  let last = first;
  for (let i: u32 = 0; i < length; i++) {
    const node = new Node();
    node.value = seed + i;
    node.text = (seed + i).toString();
    const child = new Node();
    child.next = node;
    child.value = seed + i + 1;
    node.children.push(child);
    for (let key: u32 = 0; key < i % 8; key++) node.byName.set(key, child);
    last.next = node;
    last = node;
  }
  return first;
}

/** Replaces what globals refer to; what was there is garbage. */
export function replace(length: u32, seed: u32): void {
  root = make(length, seed);
  kept[seed & 1] = make(length, seed + 1);
}

/** Makes garbage. */
export function waste(count: u32): void {
  for (let i: u32 = 0; i < count; i++) make(3, i);
}

/** Makes and drops arrays that grow to `length` numbers. */
export function grow(length: u32): u64 {
  const numbers: u32[] = [];
  for (let i: u32 = 0; i < length; i++) numbers.push(i);
  let sum: u64 = 0;
  for (let i: u32 = 0; i < length; i++) sum += numbers[i];
  // New arrays are cleared, whatever was in their memory before.
  const bytes = new StaticArray<u8>(<i32>length);
  for (let i: u32 = 0; i < length; i++) sum += bytes[i];
  const buffer = new Uint8Array(<i32>length);
  for (let i: u32 = 0; i < length; i++) sum += buffer[i];
  for (let i: u32 = 0; i < length; i++) bytes[i] = buffer[i] = 0xff;
  return sum;
}

export function collect(): void {
  __collect();
}

function isWhole(node: Node | null, length: u32, seed: u32): bool {
  if (node === null) return false;
  let at = node.next;
  for (let i: u32 = 0; i < length; i++) {
    if (at === null || at.value != seed + i || at.text != (seed + i).toString()) return false;
    const child = at.children[0];
    if (child.value != seed + i + 1 || child.next !== at) return false;
    for (let key: u32 = 0; key < i % 8; key++) if (at.byName.get(key) !== child) return false;
    at = at.next;
  }
  return at === null;
}

/** Returns whether all that `replace` has made last is unchanged. */
export function isUnchanged(length: u32, seed: u32): bool {
  return isWhole(root, length, seed) && isWhole(kept[seed & 1], length, seed + 1);
}

export function free(): usize {
  return largestFree();
}
