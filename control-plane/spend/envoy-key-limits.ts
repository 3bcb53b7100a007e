// The limits of budgets of keys, groups and users in one Envoy, from its start to its end: only those that have changed are sent. What
// Envoy charges does not change a limit (limits.ts), so in the midst of a period nothing is sent.
import { setTimeout as sleep } from "node:timers/promises";
import type { Ledger, RecordCost } from "./ledger.ts";
import { type Limit, limitOf } from "./limits.ts";
import { type Lost, lostOf, type Sample, SAMPLE_MS, SAMPLES } from "./lost-records.ts";
import { pushLimits } from "./push-limits.ts";
import { untilDone } from "./push-to-envoy.ts";
import { subjectText } from "./key-tallies.ts";
import type { Tally } from "./tallies.ts";

/** Between two attempts at an Envoy that is starting, or does not respond. */
const RETRY_MS = 100;
/** Limits of a push: it may have 4 MiB, and a limit has 90 bytes. */
const MAX_LIMITS = 20_000;
/** Limits that Envoy gets to find out what was lost, and how often it gets them at least: with many budgets, less often than SAMPLES. */
const MAX_SAMPLED = 40_000;
const MIN_SAMPLES = 2;

export interface EnvoyKeyLimitsOptions {
  socket: string;
  /** Returns the tallies of now. */
  tallies: () => Tally[];
  /** Resolves when the records that were written before now have been read. */
  catchUp: () => Promise<void>;
  /** As those of EnvoyLimitsOptions. */
  lostMs: number;
  watchRecords: Ledger["watchRecords"];
  now: () => number;
  report: (line: string, level?: "warning") => void;
}

export class EnvoyKeyLimits {
  readonly #options: EnvoyKeyLimitsOptions;
  readonly #abort = new AbortController();
  /** See `limitOf`. By tally, not by budget: one that is removed and comes again has a new tally, which has read nothing. */
  #bases = new WeakMap<Tally, number>();
  /** By budget: the limit and the end of its period that Envoy has. */
  readonly #sent = new Map<string, string>();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: EnvoyKeyLimitsOptions) {
    this.#options = options;
  }

  /** Sends what has changed. Resolves when Envoy has it, or is no longer used. */
  push(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#untilDone(() => this.#push()));
    return this.#queue;
  }

  /** Finds out again what Envoy has charged: the ledger was read from the beginning again. */
  resync(): void {
    this.#bases = new WeakMap();
    void this.push();
  }

  close(): void {
    this.#abort.abort();
  }

  /** Returns what Envoy has charged for requests whose records are lost, of the budgets that have such: as EnvoyLimits.lost. */
  async lost(): Promise<Lost[]> {
    const { tallies, catchUp, lostMs, watchRecords } = this.#options;
    if (tallies().length === 0) return [];
    const signal = { signal: this.#abort.signal, ref: false };
    const watched = watchRecords();
    try {
      const samples: Sample[] = [];
      let bases: readonly (readonly [Tally, number | undefined])[] | undefined;
      const most = Math.floor(MAX_SAMPLED / Math.max(1, tallies().length));
      const count = Math.max(MIN_SAMPLES, Math.min(SAMPLES, most));
      while (samples.length < count) {
        await sleep(SAMPLE_MS, undefined, signal);
        samples.push(await this.#sample());
        bases ??= tallies().map((tally) => [tally, this.#bases.get(tally)] as const);
      }
      await sleep(lostMs, undefined, signal);
      await catchUp();
      const costs = bySubject(watched.costs);
      return (bases ?? []).flatMap(([tally, base]): Lost[] => {
        // Found out again meanwhile: nothing is lost that is known.
        if (base === undefined || this.#bases.get(tally) !== base) return [];
        const own = costs.get(subjectText(tally.budget)) ?? [];
        const cost = lostOf(tally, base, samples, own);
        return cost === 0 ? [] : [{ budget: tally.budget, cost }];
      });
    } finally {
      watched.end();
    }
  }

  /** Sends all limits, to learn what was charged. */
  async #sample(): Promise<Sample> {
    let charged = new Map<string, number>();
    const work = this.#queue.then(() =>
      this.#untilDone(async () => {
        await this.#push();
        charged = new Map();
        const tallies = this.#options.tallies();
        for (let at = 0; at < tallies.length; at += MAX_LIMITS)
          for (const one of await this.#send(tallies.slice(at, at + MAX_LIMITS)))
            charged.set(one.id, one.charged);
      }),
    );
    this.#queue = work;
    await work;
    return { charged, to: this.#options.now() };
  }

  async #push(): Promise<void> {
    const { tallies, catchUp } = this.#options;
    this.#forgetRemoved(tallies());
    if (tallies().some((tally) => !this.#bases.has(tally))) {
      await catchUp();
      await this.#findBases(tallies().filter((tally) => !this.#bases.has(tally)));
    }
    const changed = tallies().filter(
      (tally) => this.#sent.get(tally.id) !== textOf(this.#limit(tally)),
    );
    for (let at = 0; at < changed.length; at += MAX_LIMITS)
      await this.#send(changed.slice(at, at + MAX_LIMITS));
  }

  /** Sends the limits of budgets that Envoy may not have, as if it had charged nothing; what it has charged shows the base. */
  async #findBases(tallies: readonly Tally[]): Promise<void> {
    for (let at = 0; at < tallies.length; at += MAX_LIMITS) {
      const part = tallies.slice(at, at + MAX_LIMITS);
      const sent = new Map(part.map((tally) => [tally.id, { tally, read: tally.read }]));
      for (const { tally, read } of sent.values()) this.#bases.set(tally, -read);
      for (const { id, charged } of await this.#send(part)) {
        const found = sent.get(id);
        if (found !== undefined) this.#bases.set(found.tally, charged - found.read);
      }
    }
  }

  #forgetRemoved(tallies: readonly Tally[]): void {
    if (this.#sent.size === 0) return;
    const ids = new Set(tallies.map(({ id }) => id));
    for (const id of this.#sent.keys()) if (!ids.has(id)) this.#sent.delete(id);
  }

  async #send(tallies: readonly Tally[]) {
    const limits = tallies.map((tally) => this.#limit(tally));
    const { key_budgets: charged = [] } = await pushLimits(this.#options.socket, [], limits);
    for (const limit of limits) this.#sent.set(limit.id, textOf(limit));
    return charged;
  }

  #limit(tally: Tally): Limit {
    return limitOf(tally, this.#bases.get(tally) ?? -tally.read);
  }

  #untilDone(push: () => Promise<void>): Promise<void> {
    const work = async () => {
      try {
        await push();
      } catch (error) {
        // What Envoy has of the last part is not known.
        this.#bases = new WeakMap();
        throw error;
      }
    };
    return untilDone(work, {
      ...{
        signal: this.#abort.signal,
        retryMs: () => RETRY_MS,
        what: "limits of the keys' budgets",
      },
      report: this.#options.report,
    });
  }
}

function textOf({ limit, resets }: Limit): string {
  return `${String(limit)} ${String(resets)}`;
}

/** Returns what records cost by key, group and user: those of a hundred thousand budgets are not searched for each. */
function bySubject(costs: readonly RecordCost[]): Map<string, RecordCost[]> {
  const found = new Map<string, RecordCost[]>();
  for (const cost of costs) {
    const { cell, group, user } = cost;
    const groups = group === undefined ? [] : group.split(",").map((name) => `group ${name}`);
    const users = user === undefined ? [] : [`user ${user}`];
    for (const subject of [`key ${cell.key}`, ...groups, ...users]) {
      const others = found.get(subject);
      if (others === undefined) found.set(subject, [cost]);
      else others.push(cost);
    }
  }
  return found;
}
