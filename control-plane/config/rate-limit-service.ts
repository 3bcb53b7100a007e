// `ratelimit_service`: where the limits are counted that several gateways share.
import type { RateLimitService } from "../ir/model.ts";
import { readAddress } from "./address.ts";
import { parseDuration } from "./quantity.ts";
import type { Reading } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";

/** Port of the service's gRPC by default. */
const USUAL_PORT = 8081;
const TIMEOUT_MS = 250;

export function readRateLimitService(
  reading: Reading,
  service: Draft<NonNullable<Configuration["ratelimit_service"]>> | undefined,
  hasLimits: boolean,
): RateLimitService | undefined {
  if (service === undefined) return undefined;
  const path = ["ratelimit_service"];
  if (!hasLimits) {
    reading.warning(path, "the service has nothing to count: there are no ratelimits", {
      part: "key",
    });
  }
  const address = readAddress(reading, [...path, "address"], service.address, USUAL_PORT);
  if (address === undefined) return undefined;
  return {
    address,
    onFailure: service.on_failure ?? "allow",
    timeoutMs:
      (service.timeout === undefined ? undefined : parseDuration(service.timeout)) ?? TIMEOUT_MS,
  };
}
