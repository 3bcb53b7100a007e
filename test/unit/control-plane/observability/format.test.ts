// Amounts of money on the live page.
import { expect, it } from "vitest";

const FORMAT = new URL(
  "../../../../control-plane/observability/page/assets/format.js",
  import.meta.url,
);
const { money } = (await import(FORMAT.href)) as { money: (nano?: number | null) => string };

it.each([
  [undefined, "–"],
  [null, "–"],
  [0, "$0"],
  // Of the axis of a chart.
  [0.2, "$0"],
  [1, "$0.000000001"],
  [100, "$0.0000001"],
  [123, "$0.00000012"],
  [1_000, "$0.000001"],
  [20_400, "$0.00002"],
  [420_000, "$0.00042"],
  [9_999_999, "$0.01"],
  [10_000_000, "$0.01"],
  [130_000_000, "$0.13"],
  [1_204_000_000_000, "$1,204"],
])("%j nano-dollars are %s", (nano, text) => {
  expect(money(nano)).toBe(text);
});
