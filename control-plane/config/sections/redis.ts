// `redis`: the server by which several gateways share budgets and spend.
import type { Redis } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import { readKeyReference } from "../provider/access-key.ts";
import type { Reading } from "../reading.ts";
import { mapping, oneOf, text } from "../schema-words.ts";
import { section } from "../section.ts";

const PREFIX = "gateway";
const EXPECTED = "a redis:// or rediss:// URL, or a reference to an environment variable with one";
const HINT =
  "write url: $REDIS_URL, and put the URL in the environment or in .env as REDIS_URL=rediss://…";

const DETAILS =
  "; a path can only be the number of a database, and % in a user or password is written %25";

const schema = mapping(
  {
    url: text(
      {
        description:
          "URL of the server: `redis://<host>:<port>`, or `rediss://…` for TLS. A URL with a password is always a reference to an environment variable.",
        examples: ["$REDIS_URL", "redis://127.0.0.1:6379"],
      },
      EXPECTED,
    ),
    prefix: text({
      description: "Begins all keys in Redis. Gateways with the same prefix share budgets.",
      default: PREFIX,
    }).optional(),
    on_failure: oneOf(["allow", "deny"], {
      description:
        "What happens while Redis does not respond: with `allow` each gateway enforces budgets by what it knows of the others, with `deny` requests are rejected once its part of a budget is used up.",
      default: "allow",
    }).optional(),
  },
  "A Redis server by which several gateways share `budgets`, spend and `keys` ([more](budgets.md#several-gateways)). If not set, each gateway has separate budgets.",
);

export const redis = section({
  key: "redis",
  schema,
  read({ reading, model, has }, written) {
    if (written === undefined) return {};
    const path = ["redis"];
    if (model.budgets === undefined && !has("keys")) {
      reading.warning(path, "Redis has no effect: neither budgets nor keys are configured", {
        part: "key",
      });
    }
    const url =
      written.url === undefined ? undefined : readUrl(reading, [...path, "url"], written.url);
    const prefix = readPrefix(reading, [...path, "prefix"], written);
    if (url === undefined || prefix === undefined) return {};
    return { redis: { url, prefix, onFailure: written.on_failure ?? "allow" } };
  },
});

function readUrl(reading: Reading, path: Path, written: string): Redis["url"] | undefined {
  if (!written.includes("$")) {
    const fault = faultOf(written);
    if (fault === undefined) return { text: written };
    reading.problem(path, fault.message, { hint: fault.hint });
    return undefined;
  }
  const variable = readKeyReference(reading, path, written, HINT);
  if (variable === undefined) return undefined;
  const value = reading.environment[variable] ?? "";
  // A URL of the environment may hold a password.
  if (value !== "" && !isRedisUrl(value)) {
    reading.problem(path, `the value of ${variable} is not a redis:// or rediss:// URL`, {
      hint: `set ${variable} to a URL such as rediss://:<password>@redis.example.com:6379${DETAILS}`,
    });
  }
  return { variable };
}

/** Whether the client accepts the URL: its path is empty or a number, and its credentials can be decoded. */
function isRedisUrl(url: string): boolean {
  const parsed = /^rediss?:\/\/[^/]/.test(url) ? URL.parse(url) : null;
  if (parsed === null || !/^(?:\/\d*)?$/.test(parsed.pathname)) return false;
  try {
    decodeURIComponent(`${parsed.username}:${parsed.password}`);
    return true;
  } catch {
    return false;
  }
}

function faultOf(url: string): { message: string; hint: string } | undefined {
  if (!isRedisUrl(url)) {
    const isHost = /^[\w.-]+(?::\d+)?$/.test(url);
    return {
      message: `expected ${EXPECTED}`,
      hint: isHost ? `write redis://${url}` : `${HINT}${DETAILS}`,
    };
  }
  return url.includes("@")
    ? { message: "a URL with credentials is not allowed in the file", hint: HINT }
    : undefined;
}

function readPrefix(
  reading: Reading,
  path: Path,
  { prefix = PREFIX }: { prefix?: string | undefined },
): string | undefined {
  if (/^[\w.:-]{1,64}$/.test(prefix)) return prefix;
  reading.problem(path, `${reading.show(path, prefix)} cannot begin the keys`, {
    hint: "use up to 64 letters, digits, _, -, . and :, such as gateway",
  });
  return undefined;
}
