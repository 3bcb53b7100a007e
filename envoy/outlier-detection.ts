// Ejects a provider that keeps failing, if there is an alternative.
import type { GatewayModel } from "../control-plane/ir/model.ts";
import { clusterOf } from "../control-plane/ir/upstreams.ts";
import type { Fields } from "./types.ts";
import { duration } from "./types.ts";

const SECOND = 1000;
const CONSECUTIVE_FAILURES = 5;
/** Short, because what looks like every provider's failure is often a moment of our own network's. */
const EJECTION_TIME = 5 * SECOND;

/**
 * For the cluster of a place. An attempt of several turns away from an ejected place (the aggregate has the address that
 * refuses behind it); a request for the place alone still goes there, because Envoy asks ejected hosts rather than nobody
 * (its panic threshold).
 */
export function outlierDetection(place: string, model: GatewayModel): Fields {
  const { consecutiveFailures = CONSECUTIVE_FAILURES, ejectionTimeMs = EJECTION_TIME } =
    model.upstream ?? {};
  if (consecutiveFailures === 0 || !hasOthersBeside(place, model)) return {};
  const time = duration(ejectionTimeMs);
  return {
    outlier_detection: {
      // 502, 503 and 504, and what Envoy takes for these: no connection, a broken one, no answer in time.
      consecutive_gateway_failure: consecutiveFailures,
      enforcing_consecutive_gateway_failure: 100,
      // A 500 often concerns one request, a 429 one key: neither shows that the provider is down.
      enforcing_consecutive_5xx: 0,
      enforcing_success_rate: 0,
      // The one host of its cluster.
      max_ejection_percent: 100,
      base_ejection_time: time,
      // Envoy would make it longer each time.
      max_ejection_time: time,
      interval: duration(Math.min(ejectionTimeMs, SECOND)),
    },
  };
}

/** Whether every request that may have several attempts, and one here, can have one somewhere else. */
function hasOthersBeside(place: string, model: GatewayModel): boolean {
  const sets = placesOfSets(model).filter((places) => places.has(place));
  return sets.length > 0 && sets.every((places) => places.size > 1);
}

function placesOfSets({ targets, targetSets = [] }: GatewayModel): Set<string>[] {
  return targetSets.map(
    (set) =>
      new Set(
        set.targets.flatMap((index) => {
          const target = targets[index];
          return target === undefined ? [] : [clusterOf(target)];
        }),
      ),
  );
}
