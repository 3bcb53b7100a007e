// `ratelimit_service`: where the limits are counted that several gateways share.
import type { RateLimitService } from "../../../model/model.ts";
import { readAddress } from "../read-address.ts";
import { parseDuration } from "../quantity.ts";
import { duration, mapping, oneOf, text } from "../schema-words.ts";
import { ratelimits } from "./ratelimits.ts";
import { section } from "../section.ts";

/** Port of the service's gRPC by default. */
const USUAL_PORT = 8081;
const TIMEOUT_MS = 250;

const schema = mapping(
  {
    address: text(
      {
        description:
          "Where the service listens for gRPC: `<host>:<port>`, or `<host>` for port 8081.",
        examples: ["ratelimit:8081"],
      },
      "<host>:<port>",
    ),
    on_failure: oneOf(["allow", "deny"], {
      description:
        "What happens if the service does not respond: `allow` passes the request uncounted, `deny` rejects it with 503.",
      default: "allow",
    }).optional(),
    timeout: duration({
      description: "Maximum time to wait for the service per request.",
      default: "250ms",
    }).optional(),
  },
  "Envoy's rate limit service, which counts `ratelimits` for several gateways. If not set, each gateway counts separately.",
);

export const ratelimitService = section({
  key: "ratelimit_service",
  schema,
  read({ reading, model, part }, service) {
    if (service === undefined) return {};
    const path = ["ratelimit_service"];
    if ((part(ratelimits) ?? []).length === 0 && model.rateLimits === undefined) {
      reading.warning(path, "the service has no effect: no ratelimits are configured", {
        part: "key",
      });
    }
    const address = readAddress(reading, [...path, "address"], service.address, USUAL_PORT);
    if (address === undefined || model.rateLimits === undefined) return {};
    const rateLimitService: RateLimitService = {
      address,
      onFailure: service.on_failure ?? "allow",
      timeoutMs:
        (service.timeout === undefined ? undefined : parseDuration(service.timeout)) ?? TIMEOUT_MS,
    };
    return { rateLimitService };
  },
});
