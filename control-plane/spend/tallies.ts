// What was spent on each budget: in its period, and in all since the gateway's own process started.
import { type Budget, budgetFingerprint, periodAt } from "../../model/budgets.ts";
import { appliesTo, type Cell, dayOf } from "./cell.ts";

export interface Tally {
  /** `budgetFingerprint`. */
  id: string;
  budget: Budget;
  /** The period that the tally is of, in milliseconds since 1970. */
  period: { start: number; end: number };
  /** Nano-dollars of that period. */
  spent: number;
  /** Nano-dollars of all records that were read since the tally began. It only grows, also when a period ends. */
  read: number;
}

/** What the tallies need of the ledger. */
export interface Sums {
  /** Returns the nano-dollars spent on a budget's subject since a time; undefined while that is not known. */
  spentSince: (time: number, budget: Budget) => number | undefined;
}

export class Tallies {
  readonly #sums: Sums;
  readonly #now: () => number;
  #tallies = new Map<string, Tally>();

  constructor(sums: Sums, now: () => number) {
    this.#sums = sums;
    this.#now = now;
  }

  /** Sets the budgets. Those that there were before keep what was read, also if the amount is another one. */
  use(budgets: readonly Budget[]): void {
    const next = budgets.map((budget): [string, Tally] => {
      const id = budgetFingerprint(budget);
      const found = this.#tallies.get(id);
      if (found !== undefined) return [id, { ...found, budget }];
      const period = periodAt(budget.per, this.#now());
      const spent = this.#sums.spentSince(period.start, budget) ?? 0;
      return [id, { id, budget, period, spent, read: 0 }];
    });
    this.#tallies = new Map(next);
  }

  /** Reads the sums of the periods again. */
  reread(): void {
    for (const tally of this.#tallies.values()) {
      tally.spent = this.#sums.spentSince(tally.period.start, tally.budget) ?? tally.spent;
    }
  }

  /** Adds what the ledger has added. */
  add(cells: readonly Cell[]): void {
    for (const tally of this.#tallies.values()) {
      const firstDay = dayOf(tally.period.start);
      for (const cell of cells) {
        if (!appliesTo(tally.budget, cell)) continue;
        tally.read += cell.cost;
        if (cell.day >= firstDay) tally.spent += cell.cost;
      }
    }
  }

  /** Returns the tallies of the periods that contain this moment. */
  current(): Tally[] {
    const now = this.#now();
    for (const tally of this.#tallies.values()) {
      const { start, end } = tally.period;
      // Also if the clock was set back.
      if (now >= start && now < end) continue;
      tally.period = periodAt(tally.budget.per, now);
      tally.spent = this.#sums.spentSince(tally.period.start, tally.budget) ?? 0;
    }
    return [...this.#tallies.values()];
  }
}
