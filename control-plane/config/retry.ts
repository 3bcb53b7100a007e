// `retry` of an alias, of a model and of the top level → when there is another attempt. What the one does not say is the next's.
import type { Retry } from "../ir/model.ts";
import { parseDuration } from "./quantity.ts";
import type { Configuration } from "./schema.ts";
import { STATUSES } from "./schema-retry.ts";
import type { Draft } from "./shape.ts";

export type RetryDraft = Draft<Omit<NonNullable<Configuration["retry"]>, "budget">> | undefined;

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
