// `retry`: the keys of when there is another attempt, with what each means. At the top level, of a model and of an alias.
import { z } from "zod";
import type { Retry } from "../../ir/model.ts";
import { parseDuration } from "../quantity.ts";
import { duration, list, mapping, whole } from "../schema-words.ts";
import { type Draft, section } from "./section.ts";

/** Reasons besides a status. */
export const REASONS = ["connect_failure", "reset"] as const;
/** What `on` holds by default. */
export const STATUSES = [408, 429, 500, 502, 503, 504, 529];

const REASON = "connect_failure, reset, or a status from 400 to 599";

const status = z.int({ error: REASON }).min(400, { error: REASON }).max(599, { error: REASON });
const reason = z.union([z.enum(REASONS), status], { error: REASON });

const KEYS = {
  attempts: whole(1, 5, {
    description: "How often a model is asked before the next one is.",
    default: 1,
  }).optional(),
  on: list(
    reason,
    `Why there is another attempt: \`connect_failure\` (no connection, or one that closed before the request was sent), \`reset\` (broken off, or too slow, before an answer began), and statuses. Default: both and ${STATUSES.join(", ")}.`,
  ).optional(),
  per_try_timeout: duration(
    "Longest time until an attempt's answer begins; then the next attempt does. Default where there is another model to ask: two thirds of the listener's `timeout`, or half with several others. Without another model only the listener's `timeout` limits an attempt.",
  ).optional(),
  first_byte_timeout: duration(
    "The same for a stream: longest time until its first token. Default: `per_try_timeout`; without that half of the listener's `timeout` where there is another model to ask.",
  ).optional(),
};

export const retryKeys = mapping(
  KEYS,
  "When there is another attempt. A key that is not said here is taken from the model, then from the top level.",
);

export const retry = section({
  key: "retry",
  schema: mapping(
    {
      ...KEYS,
      budget: whole(0, 10_000, {
        description:
          "How many further attempts may be under way at once for requests that came to one provider first. Above it the client gets what the failed attempt said: a provider in trouble is not asked even more often, and neither are its fallbacks.",
        default: 10_000,
      }).optional(),
    },
    "When there is another attempt. A model and an alias can say each key, but for `budget`, for themselves.",
  ),
  read(_load, value) {
    return value?.budget === undefined ? {} : { retryBudget: value.budget };
  },
});

export type RetryDraft = Draft<z.output<typeof retryKeys>> | undefined;

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
    ...(perTryTimeoutMs === undefined ? {} : { perTryTimeoutMs }),
    ...(firstByteTimeoutMs === undefined ? {} : { firstByteTimeoutMs }),
  };
}
