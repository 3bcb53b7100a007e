// Budgets: how much money a client key, a model or the whole gateway may spend in a period of the calendar (UTC).
import { createHash } from "node:crypto";

export const BUDGET_PERIODS = ["day", "week", "month", "year", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Nano-dollars of a dollar. */
export const NANO_PER_DOLLAR = 1_000_000_000;

export interface Budget {
  /** Which requests it is for: those with a client key, of a group of keys, of a user, to a target (all by name), or all. */
  subject: { key: string } | { group: string } | { user: string } | { target: string } | "all";
  /** Nano-dollars. */
  amount: number;
  per: BudgetPeriod;
  /** Whether it rejects requests for a model without a known price, which it could not count. */
  rejectsUnpriced?: true;
}

/** Returns the id of a budget, which stays the same when its amount changes: `key research a month`. */
export function budgetId({ subject, per }: Budget): string {
  return `${subjectText(subject)} ${per === "total" ? "in total" : `a ${per}`}`;
}

/** Returns a budget as errors and tables show it: `50 USD a month of key research`. */
export function budgetLabel({ subject, amount, per }: Budget): string {
  return `${amountLabel({ amount, per })} of ${subjectText(subject)}`;
}

/** Returns the amount of a budget: `50 USD a month`. */
export function amountLabel({ amount, per }: Pick<Budget, "amount" | "per">): string {
  return `${String(amount / NANO_PER_DOLLAR)} USD ${per === "total" ? "in total" : `a ${per}`}`;
}

function subjectText(subject: Budget["subject"]): string {
  if (subject === "all") return "all requests";
  if ("target" in subject) return `model ${subject.target}`;
  const [[what, name] = ["", ""]] = Object.entries(subject);
  return `${what} ${name}`;
}

/** Returns 16 hexadecimal digits that stand for the budget in the filter and in Redis. */
export function budgetFingerprint(budget: Budget): string {
  return createHash("sha256").update(budgetId(budget)).digest("hex").slice(0, 16);
}

/** Returns the period that contains a time, as milliseconds since 1970; `end` is Infinity for `total`. Weeks begin on Monday. */
export function periodAt(per: BudgetPeriod, time: number): { start: number; end: number } {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const monday = day - ((date.getUTCDay() + 6) % 7);
  switch (per) {
    case "day":
      return { start: Date.UTC(year, month, day), end: Date.UTC(year, month, day + 1) };
    case "week":
      return { start: Date.UTC(year, month, monday), end: Date.UTC(year, month, monday + 7) };
    case "month":
      return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
    case "year":
      return { start: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) };
    case "total":
      return { start: 0, end: Infinity };
  }
}
