// The shape of rate limits.
import { duration, mapping, oneOf, text, whole } from "./schema-words.ts";

export const RATE_UNITS = ["second", "minute", "hour", "day"] as const;

/** Most that a limit can allow: the filter reads nine digits. */
const MAX_AMOUNT = 999_999_999;

export const ratelimit = mapping(
  {
    model: text(
      "What is limited: a configured model, under whichever of its names it is asked for, or an alias, whatever it stands for.",
      "the name of a configured model or an alias",
    ),
    selector: mapping(
      {
        key: text({
          description: "Request header, such as `x-user-id`.",
          examples: ["x-user-id"],
        }),
        value: text(
          "The value of the header that is limited. Without it each value has a budget of its own, and requests without the header have one together.",
        ).optional(),
      },
      "Which requests are counted together, by a header. Without it all requests for the model are.",
    ).optional(),
    limit: mapping(
      {
        tokens: whole(
          1,
          MAX_AMOUNT,
          "Tokens of requests and replies together, as the provider counts them.",
          "number of tokens",
        ).optional(),
        requests: whole(
          1,
          MAX_AMOUNT,
          "Requests, in place of or besides `tokens`.",
          "number of requests",
        ).optional(),
        unit: oneOf(RATE_UNITS, "The time in which that much may be used."),
      },
      "How much may be used: `tokens`, `requests` or both.",
    ),
  },
  "One limit.",
);

export const ratelimitService = mapping(
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
        "What happens to a request when the service does not answer: it passes uncounted, or is refused with 503.",
      default: "allow",
    }).optional(),
    timeout: duration({
      description: "Longest wait for the service, before each request with a limit.",
      default: "250ms",
    }).optional(),
  },
  "Where `ratelimits` are counted that several gateways share: Envoy's rate limit service. Without it each gateway counts for itself.",
);
