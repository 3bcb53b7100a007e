// The `upstream` part of the schema: connections to providers.
import { duration, mapping, whole } from "./schema-words.ts";

const MOST = 1_000_000;

export const upstream = mapping(
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
        max_connections: whole(1, MOST, {
          description: "Connections at once.",
          default: 10_000,
        }).optional(),
        max_pending_requests: whole(1, MOST, {
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
