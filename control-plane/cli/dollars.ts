// Money as text. Amounts are nano-dollars.
import { NANO_PER_DOLLAR } from "../../model/budgets.ts";

/** Returns an amount for people: cents from a dollar on, and more digits of less: `$1,234.50`, `$0.0004`. */
export function dollars(nano: number): string {
  const amount = nano / NANO_PER_DOLLAR;
  const digits = amount >= 1 ? 2 : amount >= 0.01 ? 4 : 9;
  return amount.toLocaleString("en-US", {
    style: "currency",
    currency: "USD",
    maximumFractionDigits: digits,
  });
}

/** Returns an amount for programs: up to nine digits after the point. */
export function exactDollars(nano: number): string {
  return (nano / NANO_PER_DOLLAR).toFixed(9).replace(/\.?0+$/, "");
}
