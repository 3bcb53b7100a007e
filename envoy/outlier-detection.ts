// Ejects a provider that keeps failing, if there is an alternative.
import type { GatewayModel } from "../model/model.ts";
import { clusterOf } from "../model/upstreams.ts";
import type { Fields } from "./envoy-types.ts";
import { duration } from "./envoy-types.ts";

const SECOND = 1000;
const CONSECUTIVE_FAILURES = 5;
/** Short, because what looks like a failure of every provider is often a brief failure of the gateway's own network. */
const EJECTION_TIME = 5 * SECOND;

/**
 * Returns the outlier detection for the cluster of an upstream. A request with several attempts skips an ejected
 * upstream (after it the aggregate cluster has the address that refuses connections); a request for this upstream
 * alone still goes there, because Envoy uses ejected hosts if no healthy one is left (its panic threshold).
 */
export function outlierDetection(upstream: string, model: GatewayModel): Fields {
  const { consecutiveFailures = CONSECUTIVE_FAILURES, ejectionTimeMs = EJECTION_TIME } =
    model.upstream ?? {};
  if (consecutiveFailures === 0 || !hasAlternative(upstream, model)) return {};
  const time = duration(ejectionTimeMs);
  return {
    outlier_detection: {
      // 502, 503 and 504, and what Envoy counts as these: no connection, a broken connection, a timeout.
      consecutive_gateway_failure: consecutiveFailures,
      enforcing_consecutive_gateway_failure: 100,
      // A 500 often concerns one request, a 429 one key: neither shows that the provider is down.
      enforcing_consecutive_5xx: 0,
      enforcing_success_rate: 0,
      // The cluster has only this one host.
      max_ejection_percent: 100,
      base_ejection_time: time,
      // Envoy would otherwise increase it with each ejection.
      max_ejection_time: time,
      interval: duration(Math.min(ejectionTimeMs, SECOND)),
    },
  };
}

/** Whether every request with a retry policy that can use this upstream can also use a different one. */
function hasAlternative(upstream: string, model: GatewayModel): boolean {
  const sets = upstreamsOfSets(model).filter((upstreams) => upstreams.has(upstream));
  return sets.length > 0 && sets.every((upstreams) => upstreams.size > 1);
}

function upstreamsOfSets({ targets, targetSets = [] }: GatewayModel): Set<string>[] {
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
