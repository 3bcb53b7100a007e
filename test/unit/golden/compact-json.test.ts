// The JSON of the golden files: the same value as JSON.stringify writes, in fewer lines.
import fc from "fast-check";
import { expect, it } from "vitest";
import { compactJson } from "../../golden/compact-json.ts";

it("compact JSON keeps every value, and members in their order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(JSON.parse(compactJson(value)))).toBe(JSON.stringify(value));
    }),
  );
});

it("compact JSON leaves out undefined members, and breaks what is longer than a line", () => {
  const long = "x".repeat(120);
  expect(compactJson({ a: undefined, b: { c: 1 }, d: [long, 2] })).toBe(
    `{\n  "b": { "c": 1 },\n  "d": [\n    "${long}",\n    2\n  ]\n}`,
  );
});
