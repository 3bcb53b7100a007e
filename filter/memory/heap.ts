// The heap: AssemblyScript's allocator (TLSF), with lists of free blocks in front of it.
//
// A request frees nearly all of its blocks, and the next request needs the same sizes. A list has blocks of one size, so
// allocating and freeing one of them is a dozen instructions each; the allocator searches, splits and joins blocks with 300.

/** A block's size precedes it, with two flags (AssemblyScript 0.28, std/assembly/rt/tlsf.ts). */
const HEADER: usize = sizeof<usize>();
const FLAGS: usize = 3;
/** Sizes, with the header, are multiples of it. */
const STEP: usize = 16;
/** Up to SMALL bytes there is a list for each multiple of STEP, up to MEDIUM bytes one for each multiple of MEDIUM_STEP. */
const SMALL: usize = 512;
const MEDIUM_STEP: usize = 256;
const MEDIUM: usize = 4096;
/** Bytes that an empty list of small blocks gets from the allocator at once: one search there for many blocks. */
const CHUNK: usize = 4096;
/** Bytes that the lists hold at most; a chunk more before they are full. */
const MAX_KEPT: usize = 1 << 20;

/** The first free block of each size; the next one is in its first bytes. */
const LIST_BYTES: usize = 256;
const LISTS = memory.data(256);
let kept: usize = 0;
/**
 * Whether small blocks went back to the allocator one by one: among those that are in use it has holes then, which are smaller than a
 * chunk and would never be used.
 */
let hasHoles: bool = false;

/** Returns a block of at least `size` bytes. Inlined: nearly every block is small, and a list has one. */
// @ts-ignore: decorator
@inline
export function allocate(size: usize): usize {
  if (size > SMALL - HEADER) return allocateLarger(size);
  const total = roundUp(size + HEADER, STEP);
  const list = listOf(total);
  const block = load<usize>(list);
  if (block == 0) return allocateChunk(total, list);
  store<usize>(list, load<usize>(block));
  kept -= total;
  return block;
}

/**
 * Returns the first block of a new chunk, and keeps the others; a single block once there are holes. All are blocks of the allocator
 * like any others: each is as long as its header has it, and the last one ends where the chunk ended.
 */
function allocateChunk(total: usize, list: usize): usize {
  if (hasHoles) return heap.alloc(total - HEADER);
  const first = heap.alloc((CHUNK / total) * total - HEADER);
  const end = first + sizeOf(first);
  store<usize>(first - HEADER, (total - HEADER) | (load<usize>(first - HEADER) & FLAGS));
  for (let block = end - total; block > first; block -= total) {
    store<usize>(block - HEADER, total - HEADER);
    keep(block, total, list);
  }
  return first;
}

// @ts-ignore: decorator
@inline
export function release(block: usize): void {
  const total = sizeOf(block);
  if (total > SMALL || kept > MAX_KEPT) releaseLarger(block, total);
  else keep(block, total, listOf(total));
}

/** Returns a block of at least `size` bytes with the content of `block`, which is not used any more. */
export function reallocate(block: usize, size: usize): usize {
  const before = sizeOf(block) - HEADER;
  if (before > MEDIUM - HEADER && size > MEDIUM - HEADER) return heap.realloc(block, size);
  const moved = allocate(size);
  memory.copy(moved, block, min(before, size));
  release(block);
  return moved;
}

function allocateLarger(size: usize): usize {
  if (size > MEDIUM - HEADER) return heap.alloc(size);
  const total = roundUp(size + HEADER, MEDIUM_STEP);
  const list = mediumListOf(total);
  const block = load<usize>(list);
  if (block == 0) return heap.alloc(total - HEADER);
  store<usize>(list, load<usize>(block));
  kept -= total;
  return block;
}

function releaseLarger(block: usize, total: usize): void {
  const isListed = total <= MEDIUM && total % MEDIUM_STEP == 0 && kept <= MAX_KEPT;
  if (isListed) {
    keep(block, total, mediumListOf(total));
    return;
  }
  if (total <= SMALL) hasHoles = true;
  heap.free(block);
}

// @ts-ignore: decorator
@inline
function keep(block: usize, total: usize, list: usize): void {
  store<usize>(block, load<usize>(list));
  store<usize>(list, block);
  kept += total;
}

/** Returns the bytes that a block occupies, its header included. */
// @ts-ignore: decorator
@inline
export function sizeOf(block: usize): usize {
  return (load<usize>(block - HEADER) | FLAGS) + 1;
}

/** Returns the free blocks to the allocator if they are many: sizes that are no longer needed take the room of others. */
export function trimKept(): void {
  if (kept > MAX_KEPT / 2) releaseKept();
}

/** Returns the free blocks of the lists to the allocator, which joins them. */
export function releaseKept(): void {
  for (let list = LISTS; list < LISTS + LIST_BYTES; list += HEADER) {
    for (let block = load<usize>(list); block != 0;) {
      const next = load<usize>(block);
      heap.free(block);
      block = next;
    }
    store<usize>(list, 0);
  }
  kept = 0;
}

/**
 * Returns a lower bound of the largest free block of the allocator, in bytes. Its root is at the heap's base: a bitmap of the
 * powers of two that have free blocks, and for each of them a bitmap of its sixteenths (rt/tlsf.ts, "Root layout").
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

// @ts-ignore: decorator
@inline
function roundUp(bytes: usize, step: usize): usize {
  return (bytes + step - 1) & ~(step - 1);
}

/** Returns the address of the first block of a size up to SMALL. */
// @ts-ignore: decorator
@inline
function listOf(total: usize): usize {
  return LISTS + (total / STEP) * HEADER;
}

// @ts-ignore: decorator
@inline
function mediumListOf(total: usize): usize {
  return LISTS + (SMALL / STEP + total / MEDIUM_STEP) * HEADER;
}
