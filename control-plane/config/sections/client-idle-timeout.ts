// `client_idle_timeout`: how long an idle connection of a client is kept. Default: envoy/listeners.ts.
import { parseDuration } from "../quantity.ts";
import { duration } from "../schema-words.ts";
import { section } from "../section.ts";

export const clientIdleTimeout = section({
  key: "client_idle_timeout",
  schema: duration({
    description:
      "How long an idle client connection is kept. It should be longer than the idle timeout of a load balancer in front, so that the load balancer never uses a closing connection.",
    default: "15m",
  }),
  read(_load, value) {
    const clientIdleTimeoutMs = value === undefined ? undefined : parseDuration(value);
    return clientIdleTimeoutMs === undefined ? {} : { clientIdleTimeoutMs };
  },
});
