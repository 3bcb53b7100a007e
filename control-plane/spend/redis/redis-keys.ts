// The keys in Redis. All begin with the configured prefix.
import { type Budget, budgetFingerprint } from "../../../model/budgets.ts";

/** Returns the key of a budget's hash: what each gateway has spent in the period that begins at `start`, and was granted. */
export function budgetKey(prefix: string, budget: Budget, start: number): string {
  const period = budget.per === "total" ? "total" : new Date(start).toISOString().slice(0, 10);
  return `${prefix}:budget:${budgetFingerprint(budget)}:${period}`;
}

/** Returns the key that has the time since when Redis has its data. */
export function memoryKey(prefix: string): string {
  return `${prefix}:memory`;
}

/** Returns the key of a month's hash of cells. */
export function cellsKey(prefix: string, time: number): string {
  return `${prefix}:spend:${new Date(time).toISOString().slice(0, 7)}`;
}
