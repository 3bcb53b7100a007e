// `upstream`: connections to providers. A key that is not set has its default in envoy/.
import type { z } from "zod";
import type { UpstreamSettings } from "../../ir/model.ts";
import { parseDuration } from "../quantity.ts";
import { duration, mapping, whole } from "../schema-words.ts";
import { type Draft, section } from "./section.ts";

const MAX_COUNT = 1_000_000;

const schema = mapping(
  {
    connect_timeout: duration({
      description: "Longest time until a connection is made, TLS included.",
      default: "5s",
    }).optional(),
    idle_timeout: duration({
      description:
        "How long a connection without a request is kept. It should be shorter than the provider keeps it: then no request meets a connection that is just being closed. Default: 50s over TLS, 4s without.",
    }).optional(),
    circuit_breakers: mapping(
      {
        max_connections: whole(1, MAX_COUNT, {
          description: "Connections at once.",
          default: 10_000,
        }).optional(),
        max_pending_requests: whole(1, MAX_COUNT, {
          description: "Requests that wait for a connection.",
          default: 10_000,
        }).optional(),
      },
      "Limits of each provider's address, over all models that it has. A request above one of them is answered with 503 at once, and is not tried elsewhere. How many requests there may be is `limits.concurrent_requests`.",
    ).optional(),
    outlier_detection: mapping(
      {
        consecutive_failures: whole(0, 1000, {
          description:
            "So many failures in a row eject a provider: no connection, a broken one, no answer in time, 502, 503 or 504. 0: never.",
          default: 5,
        }).optional(),
        ejection_time: duration({
          description: "How long it is left alone.",
          default: "5s",
        }).optional(),
      },
      "A provider that keeps failing is left out for a while where there is another one to ask: by `fallbacks`, or several targets of an alias. A provider that stands alone is always asked.",
    ).optional(),
  },
  "Connections to providers.",
);

export const upstream = section({
  key: "upstream",
  schema,
  read(_load, value) {
    return value === undefined ? {} : { upstream: readUpstream(value) };
  },
});

function readUpstream(upstream: Draft<z.output<typeof schema>>): UpstreamSettings {
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
