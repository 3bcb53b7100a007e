// A million usage records: what reading them costs, and that the memory does not grow with their number.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { UsageLoad } from "./usage-lines.ts";

const ROUNDS = 10;
const LINES = 100_000;
/** 5,000 lines a second on a quarter of a core. By processor time, so that other programs do not matter; six times that is usual. */
const LINES_PER_CPU_SECOND = 20_000;
const MAX_GROWTH_MB = 20;

it("a quarter of a core reads 5,000 records a second, and a million records leave no memory behind", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    join(import.meta.dirname, "usage-lines.ts"),
    String(ROUNDS),
    String(LINES),
  ]);
  const { lines, linesPerCpuSecond, heap } = JSON.parse(stdout) as UsageLoad;
  expect(lines).toBe(1_000_000);
  expect(linesPerCpuSecond).toBeGreaterThan(LINES_PER_CPU_SECOND);
  const [, second = 0] = heap;
  expect((heap.at(-1) ?? 0) - second, heap.join()).toBeLessThan(MAX_GROWTH_MB);
});
