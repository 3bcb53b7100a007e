// The filter's heap at its end: large blocks are refused before the VM would trap, small ones go on, and nothing is lost count of.
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limitMemory } from "../../../../control-plane/wasm-host/memory-limit.ts";
import { startPart } from "../lab.ts";

interface Heap {
  memory: WebAssembly.Memory;
  take(size: number): number;
  resize(block: number, size: number, isScratch: number): number;
  free(block: number, isScratch: number): void;
  heldBytes(): number;
  largestFree(): number;
  wasRefused(): number;
  takeUnasked(size: number): number;
  freeUnasked(block: number): void;
  fill(piece: number, total: number): number;
  makeObjects(count: number): void;
}

const KIB = 1024;
const MIB = 1024 ** 2;

let heap: Heap;

beforeAll(limitMemory);

beforeEach(async () => {
  const lab = await startPart<Heap>("memory");
  // The lab's other parts hold blocks from the start.
  const others = lab.heldBytes();
  heap = { ...lab, heldBytes: () => lab.heldBytes() - others };
});

/** Takes blocks of a size until one is refused. */
function takeAll(size: number): number[] {
  const blocks: number[] = [];
  for (;;) {
    const block = heap.take(size);
    if (block === 0) return blocks;
    blocks.push(block);
  }
}

describe("a VM that is full", () => {
  it.each([64 * KIB, 100_000, MIB, 33 * MIB, 400 * MIB])(
    "a full VM refuses a block of %i bytes, and traps for none",
    (size) => {
      const blocks = takeAll(size);
      expect(heap.wasRefused()).toBe(1);
      expect(heap.wasRefused()).toBe(0);
      // No more is kept back than the reserve, what the allocator rounds up, a rest at the end of two growths that is smaller
      // than a block, and 1 MiB of the other parts of the lab.
      expect(blocks.length * size).toBeGreaterThan(1024 * MIB - 32 * MIB - 2.2 * size - 3 * MIB);
      expect(heap.take(size)).toBe(0);
      // What is free is known to a sixteenth.
      for (const block of blocks.splice(-Math.ceil(blocks.length / 16))) heap.free(block, 0);
      expect(heap.take(size)).not.toBe(0);
    },
  );

  it("a full VM has room for small blocks and objects", () => {
    takeAll(64 * KIB);
    for (let count = 0; count < 24 * MIB; count += 16 * KIB)
      expect(heap.take(16 * KIB - 64)).not.toBe(0);
    heap.makeObjects(20_000);
  });

  it("a full VM refuses a block that fits in no hole, however much is free", () => {
    const blocks = takeAll(MIB);
    for (const [index, block] of blocks.entries()) if (index % 2 === 0) heap.free(block, 0);
    expect(heap.heldBytes()).toBeLessThan(520 * MIB);
    expect(heap.take(40 * MIB)).toBe(0);
  });

  it("a full VM leaves a buffer unchanged and reports the refusal", () => {
    const total = 900 * MIB;
    const length = heap.fill(MIB, total);
    expect(length).toBeLessThan(total);
    expect(length).toBeGreaterThan(100 * MIB);
    expect(heap.wasRefused()).toBe(1);
    expect(heap.heldBytes()).toBe(0);
  });

  it("a full VM leaves a block as it was that cannot grow", () => {
    const block = heap.take(500 * MIB);
    new Uint8Array(heap.memory.buffer)[block] = 7;
    expect(heap.resize(block, 700 * MIB, 0)).toBe(0);
    expect(new Uint8Array(heap.memory.buffer)[block]).toBe(7);
    heap.free(block, 0);
    expect(heap.heldBytes()).toBe(0);
  });
});

describe("free small blocks", () => {
  it.each([1, 12, 13, 28, 100, 508, 509, 764, 1000, 4092])(
    "free small blocks are reused by their size: %i bytes",
    (size) => {
      const block = heap.take(size);
      heap.take(size);
      heap.free(block, 0);
      expect(heap.take(size)).toBe(block);
    },
  );

  it("free small blocks are joined where a large block has no room", () => {
    const large = takeAll(MIB);
    const small: number[] = [];
    for (let count = 0; count < 20 * MIB; count += KIB) small.push(heap.take(KIB - 16));
    for (const block of large) heap.free(block, 0);
    for (const block of small) heap.free(block, 0);
    expect(heap.heldBytes()).toBe(0);
    expect(heap.take(900 * MIB)).not.toBe(0);
  });

  it.each([12, 28, 100, 252, 508])(
    "small blocks of one size do not overlap, and are joined again: %i bytes",
    (size) => {
      const blocks = Array.from({ length: (8 * MIB) / (size + 4) }, () => heap.take(size));
      const bytes = new Uint8Array(heap.memory.buffer);
      for (const [index, block] of blocks.entries()) bytes.fill(index, block, block + size);
      const overlapping = blocks.filter(
        (block, index) => bytes[block] !== index % 256 || bytes[block + size - 1] !== index % 256,
      );
      expect(overlapping).toEqual([]);
      for (const block of blocks) heap.free(block, 0);
      expect(heap.heldBytes()).toBe(0);
      const before = heap.memory.buffer.byteLength;
      expect(heap.take(4 * MIB)).not.toBe(0);
      expect(heap.memory.buffer.byteLength).toBe(before);
    },
  );

  it("free small blocks do not fill the memory: sizes that nobody needs any more are returned", () => {
    for (let size = 16; size < 4096; size += 16) {
      const blocks = Array.from({ length: (8 * MIB) / size }, () => heap.take(size - 4));
      for (const block of blocks) heap.free(block, 0);
    }
    expect(heap.memory.buffer.byteLength).toBeLessThan(64 * MIB);
  });
});

describe("what is counted", () => {
  it("the count of bytes is zero when all are freed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(200_000), fc.nat(200_000), fc.boolean()), { maxLength: 40 }),
        (sizes) => {
          const blocks = sizes.map(([size, next, isScratch]) => {
            const block = heap.resize(0, size, isScratch ? 1 : 0);
            const moved = heap.resize(block, next, isScratch ? 1 : 0);
            return { block: moved, isScratch, next };
          });
          const counted = blocks.filter(({ isScratch }) => !isScratch);
          const least = counted.reduce((sum, { next }) => sum + next, 0);
          expect(heap.heldBytes()).toBeGreaterThanOrEqual(least);
          expect(heap.heldBytes()).toBeLessThanOrEqual(least * 1.01 + counted.length * (64 + 256));
          for (const { block, isScratch } of blocks) heap.free(block, isScratch ? 1 : 0);
          expect(heap.heldBytes()).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("the largest free block", () => {
  it("the largest free block is as large as reported: the allocator returns it without growing", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3 * MIB }), { maxLength: 30 }), (sizes) => {
        const blocks = sizes.map((size) => heap.takeUnasked(size));
        for (const [index, block] of blocks.entries()) if (index % 2 === 0) heap.freeUnasked(block);
        const largest = heap.largestFree();
        const before = heap.memory.buffer.byteLength;
        // What the allocator searches for it rounds up to the next sixteenth of a power of two.
        const asked = Math.floor(largest / 1.0625) - 16;
        if (asked > 16) heap.freeUnasked(heap.takeUnasked(asked));
        expect(heap.memory.buffer.byteLength).toBe(before);
        for (const [index, block] of blocks.entries()) if (index % 2 === 1) heap.freeUnasked(block);
      }),
      { numRuns: 200 },
    );
  });
});
