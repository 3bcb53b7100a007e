// The soak for as long as each disturbance needs once, at a low rate. `npm run soak` is the long form.
import { expect, it } from "vitest";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import { problemsOf } from "./report.ts";
import { soak } from "./soak.ts";

/** What a loaded machine with two cores does beside everything else. */
const PER_SECOND = 60;
const SECONDS = 40;

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: the soak, because ${missing}`);

it.skipIf(missing !== undefined)(
  "no response is lost, mixed up or charged twice, and nothing grows, over kills, faults and reloads",
  { timeout: 900_000 },
  async () => {
    const report = await soak({
      seconds: SECONDS,
      perSecond: PER_SECOND,
      seed: Date.now() % 1_000_000,
    });
    expect(problemsOf(report)).toEqual([]);
    const untried = report.disturbances.filter(
      ({ times, missing: reason }) => times === 0 && reason === undefined,
    );
    expect(untried).toEqual([]);
  },
);
