// Mixed traffic with faults and reloads for twenty seconds, which shows that the parts fit. `npm run soak` is the long form.
import { expect, it } from "vitest";
import { soak } from "./soak.ts";

const SECONDS = 20;
const RELOADS = 3;
/** What a loaded machine with two cores does beside everything else; the long form has 500. */
const PER_SECOND = 100;

it("no answer is lost, mixed up or cut, and neither memory nor descriptors grow", async () => {
  const report = await soak({
    seconds: SECONDS,
    perSecond: PER_SECOND,
    reloads: RELOADS,
    seed: Date.now() % 1_000_000,
  });
  expect(report.problems.slice(0, 5)).toEqual([]);
  expect(report.reloads).toBe(RELOADS);
  // A machine that is too slow for the rate sends fewer, and leaves out none without counting it.
  expect(report.requests + report.late).toBeGreaterThan(SECONDS * PER_SECOND * 0.8);
  expect(report.requests).toBeGreaterThan(SECONDS * 5);
  const third = report.memory.length / 3;
  const growth = (values: number[]): number =>
    Math.max(...values.slice(-third)) - Math.max(...values.slice(0, third));
  // A configuration that was replaced holds its virtual machine (6 MB) for as long as a request may need it, which is
  // longer than this run; that it goes then is for the long form to show.
  expect(growth(report.memory)).toBeLessThan(report.reloads * 8 + 20);
  expect(growth(report.descriptors)).toBeLessThan(60);
});
