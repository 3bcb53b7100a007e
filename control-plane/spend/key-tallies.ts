// What was spent on each budget of keys, groups and users that come at run time: as tallies.ts, but for a hundred thousand of them, so that
// a record finds its budgets by name, and a change costs what has changed.
import { type Budget, budgetFingerprint, budgetId, periodAt } from "../../model/budgets.ts";
import { type Cell, dayOf } from "./cell.ts";
import type { Subject, SubjectSum } from "./subject-sums.ts";
import type { Tally } from "./tallies.ts";

/** Subjects whose sums are read one by one; more of them are read with those of all others, in one query. */
const MAX_SINGLE = 100;

/** Returns what was spent since a time; undefined while that is not known. */
export interface SubjectSpend {
  /** By kind and name: `key research`. */
  all: (time: number) => Map<string, number> | undefined;
  one: (time: number, subject: Subject) => number | undefined;
}

export class KeyTallies {
  readonly #spend: SubjectSpend;
  readonly #now: () => number;
  /** By `budgetId`: a fingerprint is made once for a budget. */
  #tallies = new Map<string, Tally>();
  /** Those of each subject. */
  readonly #ofSubject = new Map<string, Set<Tally>>();
  /** See `takeChanged`. */
  #changed = new Set<Tally>();
  /** When all tallies are of their periods. */
  #valid = { start: 0, end: 0 };

  constructor(spend: SubjectSpend, now: () => number) {
    this.#spend = spend;
    this.#now = now;
  }

  /** Sets the budgets. Those that there were before keep what was read. */
  use(budgets: readonly Budget[]): void {
    const before = this.#tallies;
    this.#tallies = new Map();
    const fresh: Tally[] = [];
    for (const budget of budgets) {
      const name = budgetId(budget);
      // Of two equal ones, the last counts.
      const found = before.get(name) ?? this.#tallies.get(name);
      if (found === undefined) {
        const period = periodAt(budget.per, this.#now());
        const tally = { id: budgetFingerprint(budget), budget, period, spent: 0, read: 0 };
        this.#tallies.set(name, tally);
        fresh.push(tally);
        continue;
      }
      if (found.budget.amount !== budget.amount) this.#changed.add(found);
      found.budget = budget;
      this.#tallies.set(name, found);
    }
    if (this.#tallies.size - fresh.length < before.size)
      for (const [name, tally] of before) if (!this.#tallies.has(name)) this.#forget(tally);
    for (const tally of fresh) {
      const subject = subjectText(tally.budget);
      const others = this.#ofSubject.get(subject) ?? new Set();
      this.#ofSubject.set(subject, others.add(tally));
    }
    if (fresh.length > 0) this.#valid = { start: 0, end: 0 };
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
    this.#beginPeriods();
    return [...this.#tallies.values()];
  }

  /** Returns the tallies that are new, or whose amount, period or spend has changed, since the last call. */
  takeChanged(): Tally[] {
    this.#beginPeriods();
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  /** @param name `budgetId` */
  has(name: string): boolean {
    return this.#tallies.has(name);
  }

  #beginPeriods(): void {
    const now = this.#now();
    // Also if the clock was set back.
    if (now >= this.#valid.start && now < this.#valid.end) return;
    const ended: Tally[] = [];
    this.#valid = { start: 0, end: Infinity };
    for (const tally of this.#tallies.values()) {
      const { start, end } = tally.period;
      if (now < start || now >= end) {
        tally.period = periodAt(tally.budget.per, now);
        ended.push(tally);
      }
      this.#valid.start = Math.max(this.#valid.start, tally.period.start);
      this.#valid.end = Math.min(this.#valid.end, tally.period.end);
    }
    this.#readSums(ended);
  }

  #forget(tally: Tally): void {
    const subject = subjectText(tally.budget);
    const others = this.#ofSubject.get(subject);
    others?.delete(tally);
    if (others?.size === 0) this.#ofSubject.delete(subject);
    this.#changed.delete(tally);
  }

  #add(subject: string, day: number, cost: number): void {
    for (const tally of this.#ofSubject.get(subject) ?? []) {
      tally.read += cost;
      if (day >= dayOf(tally.period.start)) tally.spent += cost;
      this.#changed.add(tally);
    }
  }

  #readSums(tallies: readonly Tally[]): void {
    for (const tally of tallies) this.#changed.add(tally);
    if (tallies.length <= MAX_SINGLE) {
      for (const tally of tallies)
        tally.spent = this.#spend.one(tally.period.start, subjectOf(tally.budget)) ?? tally.spent;
      return;
    }
    for (const [start, ofPeriod] of Map.groupBy(tallies, ({ period }) => period.start)) {
      const sums = this.#spend.all(start);
      if (sums === undefined) continue;
      for (const tally of ofPeriod) tally.spent = sums.get(subjectText(tally.budget)) ?? 0;
    }
  }
}

function subjectOf({ subject }: Budget): Subject {
  const [[kind, name] = ["", ""]] = subject === "all" ? [] : Object.entries(subject);
  return { kind, name };
}

/** Returns kind and name of who has a budget: `key research`. */
export function subjectText(budget: Budget): string {
  const { kind, name } = subjectOf(budget);
  return `${kind} ${name}`;
}
