// The collector of the filter's objects: what is reachable stays as it is, everything else is freed.
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { startPart } from "../lab.ts";

interface Collector {
  memory: WebAssembly.Memory;
  replace(length: number, seed: number): void;
  waste(count: number): void;
  grow(length: number): bigint;
  collect(): void;
  isUnchanged(length: number, seed: number): number;
}

let lab: Collector;

beforeEach(async () => {
  lab = await startPart<Collector>("collector");
});

describe("a collection", () => {
  it("a collection keeps what globals and the program's data refer to", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ length: fc.nat(60), seed: fc.nat(1_000_000), waste: fc.nat(200) }), {
          maxLength: 20,
        }),
        (steps) => {
          for (const { length, seed, waste } of steps) {
            lab.replace(length, seed);
            lab.waste(waste);
            lab.collect();
            expect(lab.isUnchanged(length, seed)).toBe(1);
            lab.waste(waste);
            expect(lab.isUnchanged(length, seed)).toBe(1);
            lab.collect();
            lab.waste(waste);
            expect(lab.isUnchanged(length, seed)).toBe(1);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("a collection frees everything else: memory does not grow", () => {
    const round = () => {
      lab.replace(50, 7);
      lab.waste(5000);
      lab.grow(20_000);
      lab.collect();
    };
    round();
    round();
    const before = lab.memory.buffer.byteLength;
    for (let count = 0; count < 200; count++) round();
    expect(lab.memory.buffer.byteLength).toBe(before);
    expect(lab.isUnchanged(50, 7)).toBe(1);
  });
});

it("a new array is cleared, although it may have the memory of an old one", () => {
  for (const length of [1, 3, 20, 300, 5000, 70_000, 3, 300]) {
    expect(lab.grow(length)).toBe((BigInt(length) * BigInt(length - 1)) / 2n);
    lab.collect();
  }
});
