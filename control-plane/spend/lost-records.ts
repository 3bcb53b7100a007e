// What Envoy has charged for requests whose records were lost, as when the disk was full: Envoy's table knows it by budget, and the
// ledger keeps it by key and model.
import type { Budget } from "../../model/budgets.ts";
import type { Cell } from "./cell.ts";

/** Nano-dollars of a budget without records. */
export interface Lost {
  budget: Budget;
  cost: number;
}

/**
 * Returns cells whose sums are those of all budgets. Which key has used which model is not known, so the pairs are arbitrary, and
 * the cost counts as estimated. No key or model: of requests without a budget of their own.
 */
export function cellsOfLost(lost: readonly Lost[], day: number): Cell[] {
  const keys = new Map<string, number>();
  const targets = new Map<string, number>();
  let total = 0;
  // Several budgets of a subject have lost the same.
  for (const { budget, cost } of lost) {
    const { subject } = budget;
    if (subject === "all") total = Math.max(total, cost);
    else if ("key" in subject) keys.set(subject.key, Math.max(keys.get(subject.key) ?? 0, cost));
    else if ("target" in subject)
      targets.set(subject.target, Math.max(targets.get(subject.target) ?? 0, cost));
  }
  total = Math.max(total, sumOf(keys), sumOf(targets));
  const rows = [...keys, ["", total - sumOf(keys)] as const];
  const columns = [...targets, ["", total - sumOf(targets)] as const];
  return pairsOf(rows, columns).map(({ key, target, cost }) => ({
    ...{ day, key, target, cost, estimated: cost },
    ...{ requests: 0, unpriced: 0, input: 0, output: 0 },
  }));
}

type Named = readonly [name: string, cost: number];

/** Fills a table from its first corner on: both lists have the same sum. */
function pairsOf(rows: readonly Named[], columns: readonly Named[]) {
  const pairs: { key: string; target: string; cost: number }[] = [];
  const left = columns.map(([, cost]) => cost);
  for (const [key, cost] of rows) {
    let open = cost;
    for (const [at, [target]] of columns.entries()) {
      const part = Math.min(open, left[at] ?? 0);
      if (part <= 0) continue;
      pairs.push({ key, target, cost: part });
      left[at] = (left[at] ?? 0) - part;
      open -= part;
    }
  }
  return pairs;
}

function sumOf(costs: ReadonlyMap<string, number>): number {
  return [...costs.values()].reduce((sum, one) => sum + one, 0);
}
