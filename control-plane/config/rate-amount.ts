// How much a rate limit allows: tokens, requests or both, in a unit of time.
import type { z } from "zod";
import type { RateLimit } from "../../model/model.ts";
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";
import { mapping, oneOf, whole } from "./schema-words.ts";
import type { Draft } from "./section.ts";

export const RATE_UNITS = ["second", "minute", "hour", "day"] as const;

/** Most that a limit can allow: the filter reads nine digits. */
export const MAX_AMOUNT = 999_999_999;

export const rateAmount = (about: string) =>
  mapping(
    {
      tokens: whole(
        1,
        MAX_AMOUNT,
        "Tokens of requests and responses together, as reported by the provider.",
        "number of tokens",
      ).optional(),
      requests: whole(
        1,
        MAX_AMOUNT,
        "Requests, instead of or in addition to `tokens`.",
        "number of requests",
      ).optional(),
      unit: oneOf(RATE_UNITS, "The unit of time."),
    },
    about,
  );

export type RateAmount = Draft<z.output<ReturnType<typeof rateAmount>>>;

/** Returns a limit for each of tokens and requests; empty if the amount has a problem. */
export function limitsOfAmount(
  amount: RateAmount | undefined,
  common: Pick<RateLimit, "subject" | "selector">,
): RateLimit[] {
  const { tokens, requests, unit } = amount ?? {};
  if (unit === undefined) return [];
  return [
    ...(tokens === undefined
      ? []
      : [{ ...common, unit, counts: "tokens" as const, amount: tokens }]),
    ...(requests === undefined
      ? []
      : [{ ...common, unit, counts: "requests" as const, amount: requests }]),
  ];
}

/** Reports an amount without a number. */
export function checkAmount(
  reading: Reading,
  path: Path,
  amount: RateAmount | undefined,
  { what, example }: { what: string; example: string },
): void {
  if (amount === undefined || amount.tokens !== undefined || amount.requests !== undefined) return;
  // A number that does not fit has its own problem.
  if (Object.hasOwn(amount, "tokens") || Object.hasOwn(amount, "requests")) return;
  reading.problem(path, `${what} must set \`tokens\`, \`requests\` or both`, {
    part: "key",
    hint: `for example ${example}`,
  });
}

/** Reports a limit whose requests have a limit of the same kind already. @param first by the limit's id: where it was set */
export function rejectDuplicate(
  reading: Reading,
  path: Path,
  { counts, unit }: RateLimit,
  id: string,
  first: Map<string, Path>,
): void {
  const twin = first.get(id);
  if (twin === undefined) {
    first.set(id, path);
    return;
  }
  const { line } = reading.document.place(twin);
  reading.problem(path, `the same requests have a limit of ${counts} a ${unit} already`, {
    hint: `the first one is in line ${String(line)}; remove one of them`,
  });
}
