// `retry` at the top level, and what it is for an attempt: keys that are not set come from the less particular place.
import type { Retry } from "../../../model/model.ts";
import { parseDuration } from "../quantity.ts";
import { RETRY_KEYS, type RetryDraft, STATUSES } from "../retry-keys.ts";
import { mapping, whole } from "../schema-words.ts";
import { section } from "../section.ts";

export const retry = section({
  key: "retry",
  schema: mapping(
    {
      ...RETRY_KEYS,
      budget: whole(0, 10_000, {
        description:
          "Maximum number of retries in flight for requests that went to one provider first. Above it the client gets the response of the failed attempt, so a failing provider and its fallbacks get no further load.",
        default: 10_000,
      }).optional(),
    },
    "When a request is retried: see docs/fallbacks.md. Models and aliases can override each key except `budget`.",
  ),
  read(_load, value) {
    return value?.budget === undefined ? {} : { retryBudget: value.budget };
  },
});

/** @param drafts the most particular first */
export function readRetry(...drafts: RetryDraft[]): Retry {
  const first = <Key extends keyof NonNullable<RetryDraft>>(key: Key) =>
    drafts.map((draft) => draft?.[key]).find((value) => value !== undefined);
  const reasons: readonly unknown[] = first("on") ?? ["connect_failure", "reset", ...STATUSES];
  const perTryTimeoutMs = parseDuration(first("per_try_timeout") ?? "");
  const firstByteTimeoutMs = parseDuration(first("first_byte_timeout") ?? "");
  return {
    attempts: first("attempts") ?? 1,
    statuses: reasons.filter((reason) => typeof reason === "number"),
    afterRefusal: reasons.includes("connect_failure"),
    afterReset: reasons.includes("reset"),
    ...(reasons.includes("context_length") ? { afterContextLength: true as const } : {}),
    ...(perTryTimeoutMs === undefined ? {} : { perTryTimeoutMs }),
    ...(firstByteTimeoutMs === undefined ? {} : { firstByteTimeoutMs }),
  };
}
