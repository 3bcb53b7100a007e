// The limits of one Envoy, from its start to its end: pushed when they change, and repeated until Envoy has them.
import { setTimeout as sleep } from "node:timers/promises";
import { appliesTo } from "./cell.ts";
import type { Ledger } from "./ledger.ts";
import { closedLimit, type Grant, type Limit, limitOf } from "./limits.ts";
import { lostOf, type Sample, SAMPLE_MS, SAMPLES } from "./lost-records.ts";
import { pushLimits } from "./push-limits.ts";
import { untilDone } from "./push-to-envoy.ts";
import type { Tally } from "./tallies.ts";

/** Between two attempts at an Envoy that is starting, and at one that has responded before. */
const START_RETRY_MS = 20;
const RETRY_MS = 1_000;
/** What was sent to an Envoy that may not have it. */
const NOTHING = "nothing";

export interface EnvoyLimitsOptions {
  socket: string;
  /** Returns the tallies of now. */
  tallies: () => Tally[];
  /** Returns what may be spent of a budget; undefined: all of its amount. */
  grantOf: (tally: Tally) => Grant | undefined;
  /** Resolves when the records that were written before now have been read. */
  catchUp: () => Promise<void>;
  /** Milliseconds after which a record that is not in the log is lost. */
  lostMs: number;
  /** Collects what each record costs that is read from now on (Ledger.watchRecords). */
  watchRecords: Ledger["watchRecords"];
  /** Milliseconds since 1970. */
  now: () => number;
  sampleMs?: number;
  report: (line: string, level?: "warning") => void;
}

export class EnvoyLimits {
  readonly #options: EnvoyLimitsOptions;
  readonly #abort = new AbortController();
  readonly #first = Promise.withResolvers<undefined>();
  /** By budget: see `limitOf`. */
  readonly #bases = new Map<string, number>();
  /** By budget: what Envoy has charged, as it responded last. */
  #charged = new Map<string, number>();
  /** What Envoy has. */
  #sent = "";
  /** By budget: the limit that was sent last. */
  #last = new Map<string, Limit>();
  #queue: Promise<void>;
  #isStale = false;
  #mayBeLower = false;

  /** Waits until Envoy responds, and gives it the first limits. */
  constructor(options: EnvoyLimitsOptions) {
    this.#options = options;
    this.#queue = this.#begin();
  }

  /** Whether Envoy has had limits. */
  get isOpen(): boolean {
    return this.#sent !== "";
  }

  /** Resolves when Envoy has its first limits. */
  get first(): Promise<undefined> {
    return this.#first.promise;
  }

  /** Returns the nano-dollars that Envoy has charged and whose records were not read yet; 0 if that is not known. */
  unread({ id, read }: Tally): number {
    const base = this.#bases.get(id);
    const charged = this.#charged.get(id);
    return base === undefined || charged === undefined ? 0 : Math.max(0, charged - base - read);
  }

  /**
   * Returns what Envoy has charged by budget for requests whose records are lost: never more, and less by what requests cost that
   * were over within the few milliseconds of a sample, if there were such requests in all samples. Rejects if the log cannot be
   * read, or Envoy is no longer used.
   */
  async lost(): Promise<Map<string, number>> {
    const { catchUp, tallies, lostMs, watchRecords, now, sampleMs = SAMPLE_MS } = this.#options;
    const signal = { signal: this.#abort.signal, ref: false };
    const watched = watchRecords();
    try {
      const samples: Sample[] = [];
      let bases: ReadonlyMap<string, number> | undefined;
      while (samples.length < SAMPLES) {
        await sleep(sampleMs, undefined, signal);
        await this.push({ always: true });
        samples.push({ charged: new Map(this.#charged), to: now() });
        bases ??= new Map(this.#bases);
      }
      await sleep(lostMs, undefined, signal);
      await catchUp();
      return new Map(
        tallies().map((tally) => {
          const base = this.#bases.get(tally.id);
          // Read from the beginning again meanwhile: nothing is lost that is known.
          if (base === undefined || base !== bases?.get(tally.id)) return [tally.id, 0];
          const own = watched.costs.filter(({ cell }) => appliesTo(tally.budget, cell));
          return [tally.id, lostOf(tally, base, samples, own)];
        }),
      );
    } finally {
      watched.end();
    }
  }

  /** Pushes the limits if they have changed, or always, to learn what was charged. Resolves when Envoy has them. */
  push({ always = false } = {}): Promise<void> {
    this.#queue = this.#queue.then(() => this.#untilDone(() => this.#push(always), RETRY_MS));
    return this.#queue;
  }

  /** Takes what Envoy has charged for what was read: the ledger was read from the beginning again. */
  resync(): void {
    this.#isStale = true;
    void this.push();
  }

  /** Subtracts what Envoys that have exited had charged, and whose records were read since this Envoy started. */
  lower(): void {
    this.#mayBeLower = true;
    void this.push();
  }

  close(): void {
    this.#abort.abort();
    this.#first.resolve(undefined);
  }

  async #begin(): Promise<void> {
    const { catchUp, tallies } = this.#options;
    await this.#untilDone(catchUp, RETRY_MS);
    await this.#untilDone(async () => {
      // A new Envoy has charged nothing.
      for (const { id, read } of tallies()) this.#bases.set(id, -read);
      const { fresh } = await this.#send(this.#limits());
      if (fresh === undefined) this.#isStale = true;
      for (const id of this.#bases.keys()) if (!this.#charged.has(id)) this.#bases.delete(id);
    }, START_RETRY_MS);
    if (this.#isStale) await this.#untilDone(() => this.#push(false), RETRY_MS);
    this.#first.resolve(undefined);
  }

  async #push(always: boolean): Promise<void> {
    const { catchUp, tallies } = this.#options;
    const ids = new Set(tallies().map(({ id }) => id));
    for (const id of this.#bases.keys()) if (!ids.has(id)) this.#bases.delete(id);
    if (this.#isStale) {
      await catchUp();
      this.#bases.clear();
      this.#isStale = false;
    }
    if (this.#mayBeLower) await this.#lowerBases();
    if (tallies().some(({ id }) => !this.#bases.has(id))) {
      await this.#send(this.#limits());
      for (const { id, read } of tallies()) {
        const charged = this.#charged.get(id);
        if (!this.#bases.has(id) && charged !== undefined) this.#bases.set(id, charged - read);
      }
    }
    const limits = this.#limits();
    if (always || JSON.stringify(limits) !== this.#sent) await this.#send(limits);
  }

  /** Takes for each base what Envoy has charged and was not read, if that is less: it may have records on the way. */
  async #lowerBases(): Promise<void> {
    const { catchUp, tallies } = this.#options;
    await catchUp();
    const read = tallies().map((tally) => ({ id: tally.id, read: tally.read }));
    await this.#send(this.#limits());
    for (const { id, read: sum } of read) {
      const [base, charged] = [this.#bases.get(id), this.#charged.get(id)];
      if (base === undefined || charged === undefined) continue;
      this.#bases.set(id, Math.min(base, charged - sum));
    }
    this.#mayBeLower = false;
  }

  /** Returns the limits; where a base has to be found first, the last one, unless Envoy does not have the budget yet. */
  #limits(): Limit[] {
    return this.#options.tallies().map((tally) => {
      const base = this.#bases.get(tally.id);
      if (base === undefined) return this.#last.get(tally.id) ?? closedLimit(tally);
      return limitOf(tally, base, this.#options.grantOf(tally));
    });
  }

  async #send(limits: Limit[]) {
    const response = await pushLimits(this.#options.socket, limits);
    this.#sent = JSON.stringify(limits);
    this.#last = new Map(limits.map((limit) => [limit.id, limit]));
    this.#charged = new Map(response.budgets.map(({ id, charged }) => [id, charged]));
    if (limits.some(({ id }) => !this.#charged.has(id))) this.#pushLater();
    return response;
  }

  /** A worker whose filter does not have a new configuration yet ignores its budgets. */
  #pushLater(): void {
    const timer = setTimeout(() => {
      if (this.#abort.signal.aborted) return;
      this.#sent = NOTHING;
      void this.push();
    }, RETRY_MS / 4);
    timer.unref();
  }

  /** Repeats the work until it succeeds or this Envoy is no longer used. */
  #untilDone(work: () => Promise<unknown>, retryMs: number): Promise<void> {
    return untilDone(work, {
      ...{ signal: this.#abort.signal, retryMs: () => retryMs, what: "limits of the budgets" },
      report: this.#options.report,
    });
  }
}
