// The table of contexts by their ids holds what a map holds, in whatever order streams begin and end.
import fc from "fast-check";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { startPart } from "../lab.ts";

interface Table {
  clear(): void;
  set(id: number, value: number): void;
  remove(id: number): void;
  get(id: number): number;
  longestRun(): number;
}

let table: Table;

beforeAll(async () => {
  table = await startPart<Table>("contexts");
});

beforeEach(() => {
  table.clear();
});

const id = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  // Ids with the same place in a table of 64: the factor's inverse times numbers whose highest bits are 0.
  fc.integer({ min: 0, max: 40 }).map((count) => Math.imul(count + 1, 0x0e8b2f51) >>> 0),
  fc.integer({ min: 0xffff_ff00, max: 0xffff_ffff }),
);

it("an id returns its last stored value, and an unknown id nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), id), { maxLength: 400 }), (steps) => {
      table.clear();
      const expected = new Map<number, number>();
      for (const [step, [isNew, key]] of steps.entries()) {
        if (isNew) {
          table.set(key, step);
          expected.set(key, step);
        } else {
          table.remove(key);
          expected.delete(key);
        }
      }
      for (const [, key] of steps) expect(table.get(key)).toBe(expected.get(key) ?? -1);
      for (let key = 0; key < 400; key++) expect(table.get(key)).toBe(expected.get(key) ?? -1);
    }),
    { numRuns: 500 },
  );
});

it("a table holds a few long streams among a million short ones", () => {
  for (let key = 1; key <= 1_000_000; key++) {
    table.set(key, key % 1000);
    if (key % 10_000 !== 0) table.remove(key);
  }
  for (let key = 10_000; key <= 1_000_000; key += 10_000) expect(table.get(key)).toBe(0);
  expect(table.get(5)).toBe(-1);
});

it.each([100, 15_000])("%i streams that stay open are no long run of places", (open) => {
  let next = 1;
  while (next <= open) table.set(next++, 0);
  for (let count = 0; count < 10_000; count++) {
    table.set(next, 0);
    table.remove(next++ - open);
    if (count % 1000 === 0) expect(table.longestRun()).toBeLessThan(16);
  }
});
