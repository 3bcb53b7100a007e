// `upstream`: how providers are connected to. What is not said is the rendering's to decide.
import type { UpstreamSettings } from "../ir/model.ts";
import { parseDuration } from "./quantity.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";

export function readUpstream(
  upstream: Draft<NonNullable<Configuration["upstream"]>>,
): UpstreamSettings {
  const { circuit_breakers: breakers = {}, outlier_detection: outliers = {} } = upstream;
  return defined({
    connectTimeoutMs: milliseconds(upstream.connect_timeout),
    idleTimeoutMs: milliseconds(upstream.idle_timeout),
    maxConnections: breakers.max_connections,
    maxPendingRequests: breakers.max_pending_requests,
    consecutiveFailures: outliers.consecutive_failures,
    ejectionTimeMs: milliseconds(outliers.ejection_time),
  });
}

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

/** Without the members that have no value. */
function defined(settings: Record<keyof UpstreamSettings, number | undefined>): UpstreamSettings {
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
