// Lines of `gateway logs --follow` that wait for their usage.
import { expect, it } from "vitest";
import { PendingRows } from "../../../../../control-plane/cli/log/pending-rows.ts";

function recorder(waitMs?: number) {
  const printed: [string, string | undefined][] = [];
  const pending = new PendingRows<string, string>((row, usage) => {
    printed.push([row, usage]);
  }, waitMs);
  return { printed, pending };
}

it("each of several requests with one id in a millisecond is printed", () => {
  const { printed, pending } = recorder();
  pending.add("a 1", "row 1");
  pending.add("a 1", "row 2");
  pending.addUsage("a 1", "usage 1");
  pending.addUsage("a 1", "usage 2");
  pending.addUsage("b 1", "usage 3");
  pending.addUsage("b 1", "usage 4");
  pending.add("b 1", "row 3");
  pending.add("b 1", "row 4");
  expect(printed).toEqual([1, 2, 3, 4].map((one) => [`row ${one}`, `usage ${one}`]));
});

it("a row without usage is printed once when none comes in time", async () => {
  const { printed, pending } = recorder(1);
  pending.add("a 1", "row");
  await expect.poll(() => printed).toEqual([["row", undefined]]);
  pending.addUsage("a 1", "late");
  pending.end();
  expect(printed).toHaveLength(1);
});

it("the rows that wait are printed at the end", () => {
  const { printed, pending } = recorder();
  pending.add("a 1", "row 1");
  pending.add("a 1", "row 2");
  pending.end();
  expect(printed).toEqual([
    ["row 1", undefined],
    ["row 2", undefined],
  ]);
});
