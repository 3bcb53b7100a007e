// The keys of when there is another attempt, with what each means: at the top level, of a model and of an alias.
import { z } from "zod";
import { duration, list, mapping, whole } from "./schema-words.ts";
import type { Draft } from "./section.ts";

/** Reasons besides a status. */
const REASONS = ["connect_failure", "reset", "context_length"] as const;
/** What `on` holds by default. */
export const STATUSES = [408, 429, 500, 502, 503, 504, 529];

const REASON = "connect_failure, reset, context_length, or a status from 400 to 599";

const status = z.int({ error: REASON }).min(400, { error: REASON }).max(599, { error: REASON });
const reason = z.union([z.enum(REASONS), status], { error: REASON });

export const RETRY_KEYS = {
  attempts: whole(1, 5, {
    description: "Number of attempts per model before the next model is tried.",
    default: 1,
  }).optional(),
  on: list(
    reason,
    `Reasons for a retry: \`connect_failure\` (no connection, or it closed before the request was sent), \`reset\` (broken off, or too slow, before a response began), \`context_length\` (the request is too long for the model: the next model is tried), and statuses. Default: \`connect_failure\`, \`reset\` and ${STATUSES.join(", ")}.`,
  ).optional(),
  per_try_timeout: duration(
    "Maximum time until the response of an attempt begins; then the next attempt starts. Default with one further model: two thirds of the listener's `timeout`; with several: half of it. Without a further model only the listener's `timeout` applies.",
  ).optional(),
  first_byte_timeout: duration(
    "Maximum time until the first token of a stream. Default: `per_try_timeout`; if that is not set and a further model is configured, half of the listener's `timeout`.",
  ).optional(),
};

export const retryKeys = mapping(
  RETRY_KEYS,
  "When a request is retried. Keys that are not set are taken from the model, then from the top level.",
);

export type RetryDraft = Draft<z.output<typeof retryKeys>> | undefined;
