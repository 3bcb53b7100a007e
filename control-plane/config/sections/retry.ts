// `retry`: the keys of when there is another attempt, with what each means. At the top level, of a model and of an alias.
import { z } from "zod";
import type { Retry } from "../../../model/model.ts";
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
    description: "Number of attempts per model before the next model is tried.",
    default: 1,
  }).optional(),
  on: list(
    reason,
    `Reasons for a retry: \`connect_failure\` (no connection, or it closed before the request was sent), \`reset\` (broken off, or too slow, before an answer began), and statuses. Default: both and ${STATUSES.join(", ")}.`,
  ).optional(),
  per_try_timeout: duration(
    "Maximum time until the response of an attempt begins; then the next attempt starts. Default with one further model: two thirds of the listener's `timeout`; with several: half of it. Without a further model only the listener's `timeout` applies.",
  ).optional(),
  first_byte_timeout: duration(
    "Maximum time until the first token of a stream. Default: `per_try_timeout`; if that is not set and a further model is configured, half of the listener's `timeout`.",
  ).optional(),
};

export const retryKeys = mapping(
  KEYS,
  "When a request is retried. Keys that are not set are taken from the model, then from the top level.",
);

export const retry = section({
  key: "retry",
  schema: mapping(
    {
      ...KEYS,
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
