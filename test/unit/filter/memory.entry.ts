// What the tests of filter/memory call (test/unit/filter/memory/blocks.test.ts).
import * as blocks from "../../../filter/memory/blocks";
import { freeBlock, takeBlock } from "../../../filter/memory/blocks";
import * as heapLists from "../../../filter/memory/heap";
import { ByteBuffer } from "../../../filter/bytes/text/bytes";

export function take(size: usize): usize {
  return blocks.takeBlock(size);
}

export function resize(block: usize, size: usize, isScratch: bool): usize {
  return blocks.resizeBlock(block, size, isScratch);
}

export function free(block: usize, isScratch: bool): void {
  blocks.freeBlock(block, isScratch);
}

export function heldBytes(): isize {
  return blocks.heldBytes();
}

export function largestFree(): usize {
  return heapLists.largestFree();
}

export function wasRefused(): bool {
  return blocks.wasRefused();
}

/** A block that nobody asks for twice: the allocator's own answer. */
export function takeUnasked(size: usize): usize {
  return heap.alloc(size);
}

export function freeUnasked(block: usize): void {
  heap.free(block);
}

/** Appends pieces to a buffer until it has `total` bytes or the VM refuses more. Returns its length, and gives it back. */
export function fill(piece: u32, total: u32): u32 {
  const buffer = new ByteBuffer();
  const block = takeBlock(piece);
  while (block != 0 && buffer.length < total) {
    const before = buffer.length;
    buffer.bytes(block, piece);
    if (buffer.length == before) break;
    buffer.byte(0x78);
  }
  const length = buffer.length;
  buffer.release();
  freeBlock(block);
  return length;
}

/** Makes objects of the collected heap, and forgets them. */
export function makeObjects(count: u32): void {
  for (let i: u32 = 0; i < count; i++) new ByteBuffer();
}
