// What Envoy has charged for requests whose records were lost, as when the disk was full: Envoy's table knows it by budget, and the
// ledger keeps it by key and model.
import type { Budget } from "../../model/budgets.ts";
import type { Cell } from "./cell.ts";
import type { RecordCost } from "./ledger.ts";
import type { SubjectSum } from "./subject-sums.ts";
import type { Tally } from "./tallies.ts";

/** How often Envoy is asked what it has charged when records were lost, and the milliseconds before each question. */
export const SAMPLES = 40;
export const SAMPLE_MS = 50;

/** What Envoy had charged at a moment. */
export interface Sample {
  /** By budget. */
  charged: ReadonlyMap<string, number>;
  /** Milliseconds since 1970; that moment was before. */
  to: number;
}

/**
 * Returns what a budget has lost. Envoy charges a request when it is over, and then writes its record. So records that end after a sample
 * were not charged in it, and what was charged in it, less all other records, is at most what was lost; the highest of the samples is the
 * nearest.
 * @param base see `limitOf`
 * @param own what the records cost that were read since before the first sample and that the budget is for
 */
export function lostOf(
  { id, read }: Tally,
  base: number,
  samples: readonly Sample[],
  own: readonly RecordCost[],
): number {
  const lost = samples.map(({ charged, to }) => {
    // Both clocks are cut to milliseconds.
    const later = own.reduce((sum, { end, cell }) => (end > to + 1 ? sum + cell.cost : sum), 0);
    return (charged.get(id) ?? 0) - base - (read - later);
  });
  return Math.max(0, ...lost);
}

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
  const users = new Map<string, number>();
  let total = 0;
  // Several budgets of a subject have lost the same.
  for (const { budget, cost } of lost) {
    const { subject } = budget;
    if (subject === "all") total = Math.max(total, cost);
    else if ("key" in subject) keys.set(subject.key, Math.max(keys.get(subject.key) ?? 0, cost));
    else if ("target" in subject)
      targets.set(subject.target, Math.max(targets.get(subject.target) ?? 0, cost));
    else if ("user" in subject)
      users.set(subject.user, Math.max(users.get(subject.user) ?? 0, cost));
    // A request may be of several groups.
    else total = Math.max(total, cost);
  }
  total = Math.max(total, sumOf(keys), sumOf(targets), sumOf(users));
  const rows = [...keys, ["", total - sumOf(keys)] as const];
  const columns = [...targets, ["", total - sumOf(targets)] as const];
  return pairsOf(rows, columns).map(({ key, target, cost }) => ({
    ...{ day, key, target, cost, estimated: cost },
    ...{ requests: 0, unpriced: 0, input: 0, output: 0 },
  }));
}

/** Returns the sums of groups and users. */
export function subjectsOfLost(lost: readonly Lost[], day: number): SubjectSum[] {
  const sums = new Map<string, SubjectSum>();
  for (const { budget, cost } of lost) {
    const { subject } = budget;
    if (cost === 0 || subject === "all" || !("group" in subject || "user" in subject)) continue;
    const of =
      "group" in subject
        ? ({ kind: "group", name: subject.group } as const)
        : ({ kind: "user", name: subject.user } as const);
    const id = `${of.kind} ${of.name}`;
    const highest = Math.max(sums.get(id)?.cost ?? 0, cost);
    sums.set(id, {
      ...{ day, ...of, cost: highest, estimated: highest },
      ...{ requests: 0, unpriced: 0, input: 0, output: 0 },
    });
  }
  return [...sums.values()];
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
