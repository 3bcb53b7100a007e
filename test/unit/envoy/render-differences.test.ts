// The list of differences that the goldens of the rendered configuration consist of: exact, and short.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Value } from "../../../envoy/envoy-types.ts";
import { differences } from "./render/differences.ts";

it("changed, absent and added members are listed by path", () => {
  const from = {
    a: { b: 1, c: 2 },
    filters: [
      { name: "envoy.filters.wasm", x: 1 },
      { name: "r", x: 0 },
    ],
  };
  const to = {
    a: { b: 3 },
    filters: [
      { name: "envoy.filters.wasm", x: 2 },
      { name: "r", x: 0 },
    ],
    d: [],
  };
  expect(differences(from, to)).toEqual([
    { path: "a.b", is: 3 },
    { path: "a.c", is: "(absent)" },
    { path: "filters[wasm].x", is: 2 },
    { path: "d", is: [] },
  ]);
});

it("items that an array has more or fewer of are listed by their range", () => {
  expect(differences([1, 2, 5], [1, 2, 3, 4, 5])).toEqual([{ path: "[2-2]", is: [3, 4] }]);
  expect(differences([1, 2, 3, 4], [1, 4])).toEqual([{ path: "[1-3]", is: [] }]);
});

it("the list of differences is empty for equal values only, and never the same for two different values", () => {
  const leaf = fc.constantFrom<Value>(0, 1, "a", null, true);
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "name"), tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, value, value, (from, to, other) => {
      const areEqual =
        JSON.stringify(differences(from, to)) === JSON.stringify(differences(from, other));
      if (areEqual) expect(other).toEqual(to);
      if (differences(from, to).length === 0) expect(to).toEqual(from);
    }),
    { numRuns: 5000 },
  );
});
