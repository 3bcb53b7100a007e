// The text of a distribution: short, read back exactly, and that of older versions is still read.
import { expect, it } from "vitest";
import { Sketch } from "../../../../control-plane/observability/history/sketch.ts";

const SHARES = [0.01, 0.25, 0.5, 0.75, 0.95, 1];

function restored(...texts: string[]): Sketch {
  const sketch = new Sketch();
  for (const text of texts) sketch.restore(text);
  return sketch;
}

it("a distribution is restored from its text, with gaps and sums", () => {
  const sketch = new Sketch();
  for (const value of [0.5, 1, 900, 1000, 1000, 1_000_000, 5e9]) sketch.add(value, 3);
  const text = sketch.save();
  expect(text).toMatch(/^\+0 6 -\d+ /);
  const back = restored(text);
  expect(back.save()).toBe(text);
  for (const share of SHARES) expect(back.quantile(share)).toBe(sketch.quantile(share));
  const twice = restored(text, text);
  expect(twice.quantile(0.5)).toBe(sketch.quantile(0.5));
  twice.merge(sketch);
  expect(twice.save()).toContain("+0 18 ");
});

it("a distribution without values has an empty text", () => {
  expect(new Sketch().save()).toBe("");
  expect(restored("").quantile(0.5)).toBeUndefined();
});

it("a text of an older version has the same values", () => {
  const sketch = restored("140 2 141 1 200 7");
  expect(sketch.save()).toBe("+140 2 1 -58 7");
});
