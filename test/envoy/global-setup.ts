// Once for all tests with Envoy: fetches and compiles its rate limit service, which takes a minute the first time.
import {
  ensureRateLimitService,
  missingForRateLimitService,
} from "../../scripts/rate-limit-service.ts";

export function setup(): void {
  if (missingForRateLimitService(process.env) !== undefined) return;
  try {
    ensureRateLimitService(process.env, (line) => {
      console.log(`· ${line}`);
    });
  } catch (error) {
    // The test that needs it fails with the same reason; the others run.
    console.log(`· ${String(error)}`);
  }
}
