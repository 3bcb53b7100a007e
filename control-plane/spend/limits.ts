// The limits that the filter gets: contract/budget-format.ts.
import type {
  BUDGET_CHARGED,
  BUDGET_ID,
  BUDGET_LIMIT,
  BUDGET_PARTIAL,
  BUDGET_RESETS,
  BUDGETS,
  BUDGETS_FRESH,
  KEY_BUDGETS,
} from "../../contract/budget-format.ts";
import type { Tally } from "./tallies.ts";

export interface Limit {
  [BUDGET_ID]: string;
  [BUDGET_LIMIT]: number;
  [BUDGET_RESETS]: number;
  [BUDGET_PARTIAL]?: 1;
}

export interface LimitsResponse {
  [BUDGETS]: { [BUDGET_ID]: string; [BUDGET_CHARGED]: number }[];
  [BUDGETS_FRESH]?: 1;
  [KEY_BUDGETS]?: { [BUDGET_ID]: string; [BUDGET_CHARGED]: number }[];
}

/** What this gateway may spend of a budget in its period. */
export interface Grant {
  /** Nano-dollars, what is spent included. */
  granted: number;
  /** Whether more may be granted later. */
  isPartial: boolean;
}

/**
 * Returns the limit of a budget. What an Envoy has charged and what was read of its records differ by the requests whose
 * records are on the way. Counting both from the same moment, the limit does not depend on that.
 * @param base what Envoy had charged, minus what was read, when both were the same requests
 * @param grant absent: all of the amount
 */
export function limitOf(
  { id, budget, period, spent, read }: Tally,
  base: number,
  grant?: Grant,
): Limit {
  const granted = grant?.granted ?? budget.amount;
  return {
    id,
    limit: Math.max(0, base + read + granted - spent),
    resets: period.end === Infinity ? 0 : period.end / 1000,
    ...(grant?.isPartial === true ? { partial: 1 } : {}),
  };
}

/** Returns the limit of a budget before it is known what may be spent. */
export function closedLimit({ id, period }: Tally): Limit {
  return { id, limit: 0, resets: period.end === Infinity ? 0 : period.end / 1000, partial: 1 };
}
