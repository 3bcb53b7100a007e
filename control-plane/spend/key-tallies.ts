// What was spent on each budget of keys, groups and users that come at run time: as tallies.ts, but for a hundred thousand of them, so that
// a record finds its budgets by name, and the sums of a period are one query.
import { type Budget, budgetFingerprint, periodAt } from "../../model/budgets.ts";
import { type Cell, dayOf } from "./cell.ts";
import type { SubjectSum } from "./subject-sums.ts";
import type { Tally } from "./tallies.ts";

/** Returns what each subject has spent since a time, by kind and name: `key research`; undefined while that is not known. */
type SpentBySubject = (time: number) => Map<string, number> | undefined;

export class KeyTallies {
  readonly #spentBySubject: SpentBySubject;
  readonly #now: () => number;
  #tallies = new Map<string, Tally>();
  /** Those of each subject. */
  #ofSubject = new Map<string, Tally[]>();

  constructor(spentBySubject: SpentBySubject, now: () => number) {
    this.#spentBySubject = spentBySubject;
    this.#now = now;
  }

  /** Sets the budgets. Those that there were before keep what was read. */
  use(budgets: readonly Budget[]): void {
    const before = this.#tallies;
    this.#tallies = new Map();
    const fresh: Tally[] = [];
    for (const budget of budgets) {
      const id = budgetFingerprint(budget);
      const found = before.get(id);
      const period = periodAt(budget.per, this.#now());
      const tally = found ?? { id, budget, period, spent: 0, read: 0 };
      tally.budget = budget;
      if (found === undefined) fresh.push(tally);
      this.#tallies.set(id, tally);
    }
    this.#ofSubject = Map.groupBy(this.#tallies.values(), ({ budget }) => subjectOf(budget));
    this.#readSums(fresh);
  }

  /** Reads the sums of the periods again. */
  reread(): void {
    this.#readSums([...this.#tallies.values()]);
  }

  /** Adds what the ledger has added. */
  add(cells: readonly Cell[], subjects: readonly SubjectSum[]): void {
    for (const { key, day, cost } of cells) this.#add(`key ${key}`, day, cost);
    for (const { kind, name, day, cost } of subjects) this.#add(`${kind} ${name}`, day, cost);
  }

  /** Returns the tallies of the periods that contain this moment. */
  current(): Tally[] {
    const now = this.#now();
    const ended: Tally[] = [];
    for (const tally of this.#tallies.values()) {
      const { start, end } = tally.period;
      // Also if the clock was set back.
      if (now >= start && now < end) continue;
      tally.period = periodAt(tally.budget.per, now);
      ended.push(tally);
    }
    this.#readSums(ended);
    return [...this.#tallies.values()];
  }

  get size(): number {
    return this.#tallies.size;
  }

  #add(subject: string, day: number, cost: number): void {
    for (const tally of this.#ofSubject.get(subject) ?? []) {
      tally.read += cost;
      if (day >= dayOf(tally.period.start)) tally.spent += cost;
    }
  }

  #readSums(tallies: readonly Tally[]): void {
    for (const [start, ofPeriod] of Map.groupBy(tallies, ({ period }) => period.start)) {
      const sums = this.#spentBySubject(start);
      if (sums === undefined) continue;
      for (const tally of ofPeriod) tally.spent = sums.get(subjectOf(tally.budget)) ?? 0;
    }
  }
}

function subjectOf({ subject }: Budget): string {
  if (subject === "all") return subject;
  const [[kind, name] = ["", ""]] = Object.entries(subject);
  return `${kind} ${name}`;
}
