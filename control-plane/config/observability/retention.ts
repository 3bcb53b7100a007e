// `observability.retention`: how much history the page has.
import type { Retention } from "../../../model/model.ts";
import { parseLifetime } from "../lifetime.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";
import { mapping, text, whole } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const DAY_MS = 24 * 3600_000;
const MAX_REQUESTS = 50_000;
const MAX_SESSIONS = 100_000;
const MAX_SUMS_MS = 400 * DAY_MS;

export const retentionSchema = mapping(
  {
    max_requests: whole(
      1000,
      10_000_000,
      {
        description: "Newest requests that are kept, about 700 bytes each.",
        default: MAX_REQUESTS,
      },
      "number of requests",
    ).optional(),
    requests: text({
      description: "How long requests are kept, up to that number.",
      default: "24h",
      examples: ["7d"],
    }).optional(),
    sums: text({
      description:
        "How long sums by day are kept, at most 400 days; sums by hour are kept for 31 of them.",
      default: "90d",
    }).optional(),
    max_sessions: whole(
      1000,
      10_000_000,
      {
        description: "Sessions of clients that are kept, up to that age, about 400 bytes each.",
        default: MAX_SESSIONS,
      },
      "number of sessions",
    ).optional(),
  },
  "How much history the page has ([more](observability.md#history)).",
);

/** Returns the retention. */
export function readRetention(
  reading: Reading,
  path: Path,
  written: Draft<{ max_requests: number; requests: string; sums: string; max_sessions: number }>,
): Retention {
  const lifetime = (name: "requests" | "sums", usualMs: number): number => {
    const value = written[name];
    if (value === undefined) return usualMs;
    const found = parseLifetime(value);
    if (found !== undefined && found >= DAY_MS && found <= MAX_SUMS_MS) return found;
    reading.problem([...path, name], "expected a duration from 24h to 400d", {
      hint: "such as 30d",
    });
    return usualMs;
  };
  return {
    maxRequests: written.max_requests ?? MAX_REQUESTS,
    requestsMs: lifetime("requests", DAY_MS),
    sumsMs: lifetime("sums", 90 * DAY_MS),
    maxSessions: written.max_sessions ?? MAX_SESSIONS,
  };
}
