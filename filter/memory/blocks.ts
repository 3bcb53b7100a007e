// The manual heap. Every block with bytes of a client or a provider is allocated and counted here, and may be refused.
//
// Envoy terminates a VM that grows beyond 1 GiB, with every request of that worker. So a large block for which there is no
// room is refused before the allocator is called, and only the request that needs it fails. Small blocks, and objects of
// the collected heap, are never refused: RESERVE keeps room for them.
import { allocate, largestFree, reallocate, release, releaseKept, sizeOf } from "./heap";

/** Pages of 64 KiB. Envoy's V8 gives a VM no more (proxy-wasm-cpp-host, limits.h: 1 GiB). */
const MAX_PAGES: u32 = 16384;
/** Blocks below this are never refused. Bytes. */
const LARGE: usize = 64 << 10;
/** Contiguous room that large blocks leave for small blocks and objects. Bytes. */
const RESERVE: usize = 32 << 20;

let held: isize = 0;
let isRefused: bool = false;
let hasLarge: bool = false;

/** Returns the counted bytes: everything that outlives a callback, and the body that is being processed. */
export function heldBytes(): isize {
  return held;
}

/** Adds bytes that are not a block to the count: the objects of a stream. Negative when they are collected. */
export function countBytes(bytes: isize): void {
  held += bytes;
}

/** Returns whether a block has been refused since the last call: then what was being written is incomplete. */
export function wasRefused(): bool {
  const was = isRefused;
  isRefused = false;
  return was;
}

/** Returns whether a large block has been allocated since the last call. */
export function hasTakenLarge(): bool {
  const has = hasLarge;
  hasLarge = false;
  return has;
}

/** Returns a block of `size` bytes, 0 if it is refused. */
export function takeBlock(size: usize): usize {
  return resizeBlock(0, size);
}

/**
 * Returns a block of `size` bytes with the content of `block` (0: a new block). Returns 0, with `block` unchanged, if it is
 * refused. Scratch memory, which is not used after the callback has returned, is not counted.
 */
export function resizeBlock(block: usize, size: usize, isScratch: bool = false): usize {
  if (size >= LARGE && !mayTake(size)) return 0;
  const before: usize = block == 0 ? 0 : sizeOf(block);
  const resized = block == 0 ? allocate(size) : reallocate(block, size);
  if (!isScratch) held += <isize>(sizeOf(resized) - before);
  return resized;
}

/** Returns the block shortened to `size` bytes; the rest goes back to the heap. */
export function shrinkBlock(block: usize, size: usize): usize {
  const before = sizeOf(block);
  const kept = reallocate(block, size);
  held += <isize>(sizeOf(kept) - before);
  return kept;
}

/** Frees a block; 0 is ignored. `isScratch` as when it was allocated. */
export function freeBlock(block: usize, isScratch: bool = false): void {
  if (block == 0) return;
  if (!isScratch) held -= sizeOf(block);
  release(block);
}

/** Returns whether a block of `size` bytes can be allocated without using the reserve. */
export function hasRoom(size: usize): bool {
  const room = (<usize>(MAX_PAGES - min(<u32>memory.size(), MAX_PAGES))) << 16;
  // The allocator rounds the size that it searches for up, by a sixteenth at most.
  const needed = size + (size >> 4);
  if (needed + RESERVE <= room) return true;
  const contiguous = RESERVE <= room ? needed : needed + RESERVE;
  if (largestFree() >= contiguous) return true;
  releaseKept();
  return largestFree() >= contiguous;
}

function mayTake(size: usize): bool {
  hasLarge = true;
  if (hasRoom(size)) return true;
  isRefused = true;
  return false;
}
