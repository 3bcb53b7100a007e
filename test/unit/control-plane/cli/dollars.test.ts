// Money as `gateway spend` prints it.
import { expect, it } from "vitest";
import { dollars, exactDollars } from "../../../../control-plane/cli/dollars.ts";

it.each([
  [0, "$0.00", "0"],
  [1, "$0.000000001", "0.000000001"],
  [100, "$0.0000001", "0.0000001"],
  [750_000, "$0.00075", "0.00075"],
  [100_000_000, "$0.10", "0.1"],
  [112_550_000, "$0.1126", "0.11255"],
  [999_990_000, "$1.00", "0.99999"],
  [1_999_000_000, "$2.00", "1.999"],
  [1_234_567_800_000, "$1,234.57", "1234.5678"],
])("%i nano-dollars are %s, exactly %s", (nano, shown, exact) => {
  expect([dollars(nano), exactDollars(nano)]).toEqual([shown, exact]);
});
