// The manual heap: every block that holds bytes of a client or a provider is taken here, counted, and can be refused.
//
// Envoy ends a VM that grows beyond 1 GiB, and every request of the worker with it. So a block that the heap cannot give
// is refused before it is asked for, and whoever asked fails one request. Small blocks, and the objects of the collected
// heap, are never refused: no large block may take the room for them (RESERVE).

/** Pages of 64 KiB. Envoy's V8 gives a VM no more (proxy-wasm-cpp-host, limits.h: 1 GiB). */
const MAX_PAGES: u32 = 16384;
/** Blocks below this are never refused. Bytes. */
const LARGE: usize = 64 << 10;
/** What every large block leaves, in one piece, for small blocks and objects. Bytes. */
const RESERVE: usize = 32 << 20;

let held: isize = 0;
let isRefused: bool = false;
let hasLarge: bool = false;

/** Returns the bytes that are counted: all that outlives a callback, and the body that is being worked on. */
export function heldBytes(): isize {
  return held;
}

/** Counts bytes that are no block: the objects of a stream. Negative when they are gone. */
export function countBytes(bytes: isize): void {
  held += bytes;
}

/** Returns whether a block has been refused since the last call: then what was being made is not whole. */
export function wasRefused(): bool {
  const was = isRefused;
  isRefused = false;
  return was;
}

/** Returns whether a large block has been taken since the last call. */
export function hasTakenLarge(): bool {
  const has = hasLarge;
  hasLarge = false;
  return has;
}

/** Returns a block of `size` bytes, 0 when it is refused. */
export function takeBlock(size: usize): usize {
  return resizeBlock(0, size);
}

/**
 * Returns a block of another size with the bytes of this one, 0 being none. Returns 0, and leaves the block as it was, when
 * it is refused. Scratch is what no callback leaves to another one: it is not counted.
 */
export function resizeBlock(block: usize, size: usize, isScratch: bool = false): usize {
  if (size >= LARGE && !mayTake(size)) return 0;
  const before: usize = block == 0 ? 0 : sizeOf(block);
  const resized = block == 0 ? heap.alloc(size) : heap.realloc(block, size);
  if (!isScratch) held += <isize>(sizeOf(resized) - before);
  return resized;
}

/** Gives back what of a block stands behind `size` bytes, and returns the block. */
export function shrinkBlock(block: usize, size: usize): usize {
  const before = sizeOf(block);
  const kept = heap.realloc(block, size);
  held += <isize>(sizeOf(kept) - before);
  return kept;
}

/** Gives a block back; 0 is none. `isScratch` as it was taken. */
export function freeBlock(block: usize, isScratch: bool = false): void {
  if (block == 0) return;
  if (!isScratch) held -= sizeOf(block);
  heap.free(block);
}

/** Returns whether a block of `size` bytes can be taken and leaves the reserve. */
export function hasRoom(size: usize): bool {
  const room = (<usize>(MAX_PAGES - min(<u32>memory.size(), MAX_PAGES))) << 16;
  // The allocator rounds the size that it searches for up by a sixteenth at most.
  const needed = size + (size >> 4);
  if (needed + RESERVE <= room) return true;
  return largestFree() >= (RESERVE <= room ? needed : needed + RESERVE);
}

function mayTake(size: usize): bool {
  hasLarge = true;
  if (hasRoom(size)) return true;
  isRefused = true;
  return false;
}

/** Bytes of a block with its header, which stands before it (AssemblyScript 0.28, std/assembly/rt/tlsf.ts). */
function sizeOf(block: usize): usize {
  return (load<usize>(block - sizeof<usize>()) & ~3) + sizeof<usize>();
}

/**
 * Returns how large the largest free block is at least. The allocator's root stands where the heap begins: a map of the
 * powers of two for which there are free blocks, and for each of them a map of its sixteenths (rt/tlsf.ts, "Root layout").
 */
export function largestFree(): usize {
  const root = (__heap_base + 15) & ~15;
  const powers = load<u32>(root);
  if (powers == 0) return 0;
  const power: usize = 31 - clz(powers);
  const sixteenths = load<u32>(root + (power << 2), 4);
  const sixteenth: usize = 31 - clz(sixteenths);
  return power == 0 ? sixteenth << 4 : (16 + sixteenth) << (power + 3);
}
