// Workers that use the same rate limits, budgets and keys at the same time: nothing is lost, and a request retries only a few
// times. docs/performance.md has the counts.
import { describe, expect, it } from "vitest";
import { contend, SUBJECTS, type Subject } from "../../bench/contention.ts";

const REQUESTS = 50;
/** By the number of workers: measured over 300 requests, and half as much again. */
const MAX_RETRIES_PER_REQUEST = { 1: 0, 2: 0.7, 8: 2.2 };
/** In the worst order, each of the others changes the data once for each time that a request reads it. */
const MAX_RETRIES_OF_ONE = 10;

const names = Object.keys(SUBJECTS) as Subject[];
const counts = Object.entries(MAX_RETRIES_PER_REQUEST).map(
  ([workers, most]) => [Number(workers), most] as const,
);

describe.each(names)("%s", (subject) => {
  it.each(counts)(
    "%i workers charge everything, with at most %f retries each",
    async (workers, most) => {
      const found = await contend(subject, workers, REQUESTS);
      expect(found.retries / found.requests).toBeLessThanOrEqual(most);
      expect(found.most).toBeLessThanOrEqual(MAX_RETRIES_OF_ONE);
      if (found.charged !== undefined) expect(found.charged.counted).toBe(found.charged.right);
    },
  );
});
