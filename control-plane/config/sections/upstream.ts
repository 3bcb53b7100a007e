// `upstream`: connections to providers. A key that is not set has its default in envoy/.
import type { z } from "zod";
import type { UpstreamSettings } from "../../../model/model.ts";
import {
  applyProxies,
  applyToKeySets,
  defaultProxySchema,
  readDefaultProxy,
} from "../read-proxy.ts";
import { parseDuration } from "../quantity.ts";
import { duration, mapping, whole } from "../schema-words.ts";
import { type Draft, section } from "../section.ts";

const MAX_COUNT = 1_000_000;

const schema = mapping(
  {
    connect_timeout: duration({
      description: "Maximum time to establish a connection, including TLS.",
      default: "5s",
    }).optional(),
    idle_timeout: duration({
      description:
        "How long an idle connection is kept. It should be shorter than the provider's own limit, so no request meets a closing connection. Default: 50s with TLS, 4s without.",
    }).optional(),
    circuit_breakers: mapping(
      {
        max_connections: whole(1, MAX_COUNT, {
          description: "Maximum number of open connections.",
          default: 10_000,
        }).optional(),
        max_pending_requests: whole(1, MAX_COUNT, {
          description: "Maximum number of requests waiting for a connection.",
          default: 10_000,
        }).optional(),
      },
      "Limits per provider address, over all its models. A request above a limit is rejected with 503 immediately and not retried. For the number of in-flight requests see `limits.concurrent_requests`.",
    ).optional(),
    outlier_detection: mapping(
      {
        consecutive_failures: whole(0, 1000, {
          description:
            "Number of consecutive failures that eject a provider: connection failures, timeouts, 502, 503 or 504. 0 disables ejection.",
          default: 5,
        }).optional(),
        ejection_time: duration({
          description: "How long the provider stays ejected.",
          default: "5s",
        }).optional(),
      },
      "Ejects a provider that keeps failing, if an alternative is configured (`fallbacks`, or several targets of an alias). A provider without an alternative is never ejected.",
    ).optional(),
    proxy: defaultProxySchema.optional(),
  },
  "Connections to providers.",
);

export const upstream = section({
  key: "upstream",
  schema,
  read(load, value) {
    const proxy = readDefaultProxy(load.reading, ["upstream", "proxy"], value?.proxy);
    applyProxies(load, proxy);
    applyToKeySets(load, proxy);
    const settings = value === undefined ? {} : readUpstream(value);
    return {
      ...(value === undefined || isProxyAlone(value) ? {} : { upstream: settings }),
      ...(proxy === undefined ? {} : { proxy }),
    };
  },
});

function isProxyAlone(value: object): boolean {
  return Object.keys(value).join() === "proxy";
}

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
