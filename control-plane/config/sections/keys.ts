// `keys`: keys that are created, changed and revoked while the gateway runs.
import type { RuntimeKeys } from "../../../model/keys.ts";
import { allowanceKeys, readAllowance } from "../allowance.ts";
import { LIFETIME_EXPECTED, parseLifetime } from "../lifetime.ts";
import { mapping, oneOf, text } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = mapping(
  {
    store: oneOf(["sqlite", "redis"], {
      description:
        "Where keys are stored: `sqlite` is a file in the gateway's state directory, `redis` the server of `redis`, for several gateways.",
      default: "sqlite",
    }).optional(),
    defaults: mapping(
      {
        ...allowanceKeys({
          models: "Models of a key that has neither a list nor a group.",
          ratelimits: "Limits of each key.",
          budget: "Budget of each key, or a list of them.",
        }),
        expires_after: text(
          {
            description: "When a key expires after it was created. If not set, never.",
            examples: ["90d"],
          },
          LIFETIME_EXPECTED,
        ).optional(),
      },
      "What a new key gets if its creator does not set it. A later change does not affect keys that exist.",
    ).optional(),
  },
  "Keys that are created, changed and revoked while the gateway runs, by `gateway keys` and the admin API ([more](keys.md)). Clients of both listeners then need a key, unless `requires_key` of the listener is false. If not set, the keys are those of `listeners.<name>.api_keys`.",
);

const DEFAULTS = ["keys", "defaults"];

export const keys = section({
  key: "keys",
  schema,
  read({ reading, has }, written) {
    if (written === undefined) return {};
    const { store = "sqlite", defaults = {} } = written;
    if (store === "redis" && !has("redis"))
      reading.problem(["keys", "store"], "redis is not configured", {
        hint: "add redis: {url: $REDIS_URL}, or remove store",
      });
    const { expires_after: lifetime } = defaults;
    const expiresAfterMs = lifetime === undefined ? undefined : parseLifetime(lifetime);
    if (lifetime !== undefined && expiresAfterMs === undefined)
      reading.problem([...DEFAULTS, "expires_after"], `expected ${LIFETIME_EXPECTED}`, {
        hint: "write 90d for 90 days",
      });
    const read: RuntimeKeys = {
      store,
      defaults: {
        ...readAllowance(reading, DEFAULTS, defaults, "default"),
        ...(expiresAfterMs === undefined ? {} : { expiresAfterMs }),
      },
    };
    return { keys: read };
  },
});
