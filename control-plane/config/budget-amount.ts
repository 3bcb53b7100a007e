// How much money a budget allows: `{amount: 50 USD, per: month}`.
import { BUDGET_PERIODS, NANO_PER_DOLLAR, budgetId } from "../../model/budgets.ts";
import type { Budget } from "../../model/budgets.ts";
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";
import { oneOf, text } from "./schema-words.ts";

/** Begins as `schemaIssueHint` of shape.ts expects. */
const EXPECTED = "an amount of US dollars, such as 50 USD";
const NOT_DOLLARS = `expected ${EXPECTED}`;
/** Nano-dollars of it are exact in a double. */
const MAX_DOLLARS = 9_000_000;

/** Schemas of a budget's amount and period. */
export const BUDGET_KEYS = {
  amount: text(
    {
      description: "US dollars, at most 9,000,000 and to the billionth: `50 USD`, `0.5 USD`.",
      examples: ["50 USD"],
    },
    EXPECTED,
  ),
  per: oneOf(
    BUDGET_PERIODS,
    "The period of the calendar, in UTC, at whose end the budget is whole again; a week begins on Monday. `total` never ends.",
  ),
  unpriced: oneOf(["allow", "reject"], {
    description:
      "What becomes of requests for a model whose price is not known: `allow` counts nothing for them, `reject` returns 403.",
    default: "allow",
  }).optional(),
};

interface AmountDraft {
  amount?: string | undefined;
  per?: Budget["per"] | undefined;
  unpriced?: "allow" | "reject" | undefined;
}

/** Returns the budget; undefined if it has a problem. */
export function readBudget(
  reading: Reading,
  path: Path,
  { amount, per, unpriced }: AmountDraft,
  subject: Budget["subject"] | undefined,
): Budget | undefined {
  if (amount === undefined) return undefined;
  const nano = readAmount(reading, [...path, "amount"], amount);
  if (nano === undefined || per === undefined || subject === undefined) return undefined;
  const rejects = unpriced === "reject" ? { rejectsUnpriced: true as const } : {};
  return { subject, amount: nano, per, ...rejects };
}

/** Returns nano-dollars; undefined after reporting a problem. */
function readAmount(reading: Reading, path: Path, written: string): number | undefined {
  const amount = parseAmount(written);
  if (typeof amount === "number") return amount;
  const { message, hint } = amount;
  const shown = message === NOT_DOLLARS ? `, not ${reading.show(path, written)}` : "";
  reading.problem(path, message + shown, { hint });
  return undefined;
}

/** Returns nano-dollars of `50 USD`, or what is wrong. */
export function parseAmount(
  written: string,
): number | { message: string; hint?: string | undefined } {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?) ?([A-Za-z]{3})$/.exec(written.trim()) ?? [];
  const dollars = Number(number);
  if (unit.toUpperCase() !== "USD")
    return { message: NOT_DOLLARS, hint: amountHint(written, unit) };
  if (dollars === 0)
    return {
      message: "a budget of 0 would reject every request",
      hint: "remove the key or the model instead, or write an amount such as 50 USD",
    };
  if (dollars > MAX_DOLLARS || (number.split(".")[1] ?? "").length > 9)
    return { message: "expected at most 9000000 USD with at most 9 decimals" };
  return Math.round(dollars * NANO_PER_DOLLAR);
}

function amountHint(written: string, unit: string): string | undefined {
  if (unit !== "" || /[€£¥]/.test(written))
    return "prices of models are in US dollars: write the amount in USD";
  const [number] = /\d+(?:\.\d+)?/.exec(written.replaceAll(/[,_'](?=\d{3})/g, "")) ?? [];
  return number === undefined || written.includes("-") ? undefined : `write ${number} USD`;
}

/** Reports a budget of a subject and period that have one already. @param first by the budget's id: where it was set */
export function rejectDuplicateBudget(
  reading: Reading,
  path: Path,
  budget: Budget,
  first: Map<string, Path>,
): void {
  const id = budgetId(budget);
  const twin = first.get(id);
  if (twin === undefined) {
    first.set(id, path);
    return;
  }
  const { line } = reading.document.place(twin);
  reading.problem(path, "there is a budget for the same requests and period already", {
    hint: `the first one is in line ${String(line)}; remove one of them`,
  });
}
