// The part of each budget that this gateway may spend, where several gateways share it: asked of Redis while requests use it,
// given back while they do not.
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "../../../model/model.ts";
import type { EnvoyLimits } from "../envoy-limits.ts";
import type { Grant } from "../limits.ts";
import type { Tally } from "../tallies.ts";
import { type RedisConnection, redisProblem } from "./redis-connection.ts";
import { LEASE_MS, requestGrant, SETTLE_MS } from "./grant-script.ts";
import { budgetKey, memoryKey } from "./redis-keys.ts";
import { wantedGrant } from "./grant-size.ts";

/** Between two requests for a grant: while a budget is used, for a while after that, and then. */
const ACTIVE_MS = 250;
const RECENT_MS = 1_000;
const IDLE_MS = 5_000;
/** How long a budget counts as used after its last use, and as recent. */
const STAYS_ACTIVE_MS = 2_000;
const STAYS_RECENT_MS = 60_000;
/** A gateway without Redis stops using its grants before the others may have them. */
const OWN_LEASE_MS = LEASE_MS - 15_000;
/** How long keys are kept after the end of their period. */
const KEEP_S = 7 * 24 * 3600;

/** How long the start of an Envoy waits for grants. */
const BEGIN_MS = SETTLE_MS + 1_500;
const BEGIN_POLL_MS = 50;

/** What this gateway knows of a shared budget. */
interface Shared {
  periodStart: number;
  granted: number;
  /** By gateway. */
  others: Map<string, number>;
  /** What is left if the others use all that they hold, as Redis responded last. */
  room: number;
  /** What was charged when it was looked at last, and when that changed. By `performance.now()`. */
  used: number;
  usedAt: number;
  /** Whether Redis has not granted anything yet. */
  isMissing: boolean;
  /** When Redis was asked last, with success, and when it is asked next. */
  askedAt: number;
  nextAt: number;
}

export interface SharedBudgetsOptions {
  redis: RedisConnection;
  settings: Pick<Redis, "prefix" | "onFailure">;
  gateway: string;
  tallies: () => Tally[];
  /** Returns the Envoy that serves requests; undefined while it has no limits. */
  envoy: () => EnvoyLimits | undefined;
}

export class SharedBudgets {
  readonly #options: SharedBudgetsOptions;
  #shared = new Map<string, Shared>();
  #problem: string | undefined = "it has not responded yet";
  #queue: Promise<void> = Promise.resolve();

  constructor(options: SharedBudgetsOptions) {
    this.#options = options;
  }

  /** Why the last request for grants failed; undefined if Redis responded. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Returns what this gateway may spend of a budget now. */
  grantOf(tally: Tally): Grant {
    const shared = this.#of(tally);
    const { amount } = tally.budget;
    const othersSpent = sum(shared.others);
    if (this.#problem !== undefined && this.#options.settings.onFailure === "allow") {
      return { granted: Math.max(0, amount - othersSpent), isPartial: false };
    }
    return { granted: shared.granted, isPartial: shared.granted + othersSpent < amount };
  }

  /** Returns what all gateways have spent of a budget, as far as it is known. */
  spentOf(tally: Tally): number {
    return tally.spent + sum(this.#of(tally).others);
  }

  /** Asks until there is a grant of each budget, or Redis is not expected to give one. */
  async begin(): Promise<void> {
    const started = performance.now();
    const isMissing = () => this.#options.tallies().some((tally) => this.#of(tally).isMissing);
    do {
      await this.sync();
      if (!isMissing()) return;
      await sleep(BEGIN_POLL_MS);
    } while (performance.now() - started < BEGIN_MS);
  }

  /** Makes the next `sync` ask for all budgets, which writes what Redis may have lost. */
  expectAmnesia(): void {
    for (const shared of this.#shared.values()) shared.nextAt = 0;
  }

  /** Makes the next `sync` ask for a budget: a request was rejected for want of a grant. */
  demand(id: string): void {
    const shared = this.#shared.get(id);
    if (shared === undefined) return;
    shared.usedAt = performance.now();
    shared.nextAt = Math.min(shared.nextAt, shared.askedAt + ACTIVE_MS);
  }

  /** Asks for the grants that are due, and gives back what is not needed. */
  sync(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#sync());
    return this.#queue;
  }

  /** Gives back what was granted and not spent, unless Redis cannot be used: then the lease ends. */
  async release(): Promise<void> {
    await this.#queue;
    if (this.#problem !== undefined) return;
    const { redis, tallies } = this.#options;
    const released = tallies().map((tally) => {
      const { spent } = tally;
      return requestGrant(redis, { ...this.#request(tally), held: 0, wanted: spent, leaseMs: 0 });
    });
    await Promise.all(released);
  }

  async #sync(): Promise<void> {
    const { tallies, envoy } = this.#options;
    const now = performance.now();
    const all = tallies();
    const due = all.filter((tally) => now >= this.#of(tally).nextAt);
    // Without budgets nothing is asked for, so nothing would end it.
    if (all.length === 0) this.#problem = undefined;
    if (due.length === 0) return;
    // What is given back must not be used any more; the response has what was used until then.
    for (const tally of due) {
      const shared = this.#of(tally);
      shared.granted = Math.min(shared.granted, this.#wanted(tally, shared));
    }
    const limits = envoy();
    if (limits !== undefined) await limits.push({ always: due.some((one) => this.#isActive(one)) });
    const asked = await Promise.allSettled(due.map((tally) => this.#ask(tally)));
    const failed = asked.find((one) => one.status === "rejected");
    this.#problem = failed === undefined ? undefined : redisProblem(failed.reason);
    await envoy()?.push();
  }

  /** Returns the parts of a request for a grant that do not depend on what was granted. */
  #request(tally: Tally) {
    const { settings, gateway } = this.#options;
    const { budget, period, spent } = tally;
    return {
      keys: {
        budget: budgetKey(settings.prefix, budget, period.start),
        memory: memoryKey(settings.prefix),
      },
      gateway,
      spent,
      amount: budget.amount,
      leaseMs: LEASE_MS,
      expires: period.end === Infinity ? 0 : period.end / 1000 + KEEP_S,
    };
  }

  async #ask(tally: Tally): Promise<void> {
    const { redis } = this.#options;
    const shared = this.#of(tally);
    const now = performance.now();
    const used = this.#look(tally, shared);
    // What was used after the push that lowered the limit.
    const held = Math.max(shared.granted, used);
    shared.nextAt = now + ACTIVE_MS;
    try {
      const response = await requestGrant(redis, {
        ...this.#request(tally),
        held,
        wanted: this.#wanted(tally, shared),
        others: shared.others,
      });
      shared.granted = response.granted;
      shared.others = response.others;
      // While others use the budget, what this gateway holds without using it has to become less.
      const isRecent = response.room !== shared.room || now - shared.usedAt < STAYS_RECENT_MS;
      shared.room = response.room;
      shared.askedAt = now;
      if (response.isSettling) return;
      shared.isMissing = false;
      shared.nextAt = now + pauseAfter(now - shared.usedAt, isRecent);
    } catch (error) {
      if (now - shared.askedAt > OWN_LEASE_MS) shared.granted = Math.min(shared.granted, used);
      throw error;
    }
  }

  /** Returns the state of a budget in its period. */
  #of({ id, period }: Tally): Shared {
    const found = this.#shared.get(id);
    if (found?.periodStart === period.start) return found;
    const fresh: Shared = {
      periodStart: period.start,
      granted: 0,
      others: new Map(),
      room: 0,
      used: 0,
      usedAt: found?.usedAt ?? performance.now(),
      isMissing: true,
      askedAt: 0,
      nextAt: 0,
    };
    this.#shared.set(id, fresh);
    return fresh;
  }

  /** Returns what was used of a budget in its period, also by requests whose records were not read yet. */
  #look(tally: Tally, shared: Shared): number {
    const used = tally.spent + (this.#options.envoy()?.unread(tally) ?? 0);
    if (used !== shared.used) shared.usedAt = performance.now();
    shared.used = used;
    return used;
  }

  #wanted(tally: Tally, shared: Shared): number {
    return wantedGrant({
      amount: tally.budget.amount,
      used: this.#look(tally, shared),
      room: shared.isMissing ? tally.budget.amount : shared.room,
      isActive: this.#isActive(tally),
    });
  }

  #isActive(tally: Tally): boolean {
    return performance.now() - this.#of(tally).usedAt < STAYS_ACTIVE_MS;
  }
}

function pauseAfter(unusedMs: number, isRecent: boolean): number {
  if (unusedMs < STAYS_ACTIVE_MS) return ACTIVE_MS;
  return isRecent ? RECENT_MS : IDLE_MS;
}

function sum(others: ReadonlyMap<string, number>): number {
  return [...others.values()].reduce((total, spent) => total + spent, 0);
}
