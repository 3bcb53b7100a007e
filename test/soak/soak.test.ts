// Two minutes of mixed traffic with faults and reloads. `npm run soak` is the long form.
import { expect, it } from "vitest";
import { soak } from "./soak.ts";

const SECONDS = 120;
/** What a loaded machine with two cores does beside everything else; the long form has 500. */
const PER_SECOND = 100;

it(
  "no answer is lost, mixed up or cut, and neither memory nor descriptors grow",
  { timeout: (SECONDS + 120) * 1000 },
  async () => {
    const report = await soak({
      seconds: SECONDS,
      perSecond: PER_SECOND,
      reloads: 10,
      seed: Date.now() % 1_000_000,
    });
    expect(report.problems.slice(0, 5)).toEqual([]);
    expect(report.reloads).toBe(10);
    expect(report.requests).toBeGreaterThan(SECONDS * PER_SECOND * 0.8);
    // From the first third to the last one. Generations that drain hold a VM each.
    const third = report.memory.length / 3;
    const most = (values: number[]): number => Math.max(...values);
    expect(most(report.memory.slice(-third))).toBeLessThan(
      most(report.memory.slice(0, third)) + 40,
    );
    expect(most(report.descriptors.slice(-third))).toBeLessThan(
      most(report.descriptors.slice(0, third)) + 60,
    );
  },
);
