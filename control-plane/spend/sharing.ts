// What gateways with the same Redis share: the grants of budgets, and the spend that `gateway spend` shows.
import type { Redis } from "../../model/model.ts";
import type { UsageRecord } from "../usage/usage-line.ts";
import { appliesTo, type Cell } from "./cell.ts";
import type { EnvoyLimits } from "./envoy-limits.ts";
import { connectRedis, type RedisConnection } from "./redis/redis-connection.ts";
import { SharedBudgets } from "./redis/shared-budgets.ts";
import { SharedCells } from "./redis/shared-cells.ts";
import type { Tally } from "./tallies.ts";

const TICK_MS = 250;
const WRITE_CELLS_MS = 1_000;
/** A failure that is over before is not reported: Redis was restarted. */
const REPORT_MS = 3_000;

export interface SharingOptions {
  settings: Redis;
  url: string;
  authorities: string | undefined;
  /** The id of this gateway. */
  gateway: string;
  tallies: () => Tally[];
  /** Returns the cells of the ledger between two times, and one cell. */
  cellsSince: (time: number, before: number) => Cell[];
  cell: (of: Cell) => Cell | undefined;
  envoy: () => EnvoyLimits | undefined;
  now: () => number;
  report: (line: string, level?: "warning") => void;
  /** Called when `problem` has changed. */
  onProblem: () => void;
}

export class Sharing {
  readonly #options: SharingOptions;
  readonly budgets: SharedBudgets;
  readonly #cells: SharedCells;
  readonly #redis: RedisConnection;
  readonly #timers: NodeJS.Timeout[];
  #problem: string | undefined;
  #failedAt: number | undefined;
  #isTicking = false;

  /** Starts to connect. */
  static async start(options: SharingOptions): Promise<Sharing> {
    const { url, authorities } = options;
    const started: { sharing?: Sharing } = {};
    const redis = await connectRedis({
      url,
      ...(authorities === undefined ? {} : { authorities }),
      onReady: () => started.sharing?.expectAmnesia(),
    });
    return (started.sharing = new Sharing(options, redis));
  }

  private constructor(options: SharingOptions, redis: RedisConnection) {
    const { settings, gateway, tallies, cellsSince, cell, envoy, now } = options;
    this.#options = options;
    this.#redis = redis;
    this.budgets = new SharedBudgets({ redis, settings, gateway, tallies, envoy });
    this.#cells = new SharedCells({
      redis,
      prefix: settings.prefix,
      gateway,
      cellsSince,
      cell,
      now,
    });
    this.#timers = [
      setInterval(() => void this.#tickUnlessBusy(), TICK_MS),
      setInterval(() => void this.#cells.write().catch(() => undefined), WRITE_CELLS_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Why Redis cannot be used, as a sentence, once that has lasted for some seconds. */
  get problem(): string | undefined {
    return this.#problem;
  }

  add(cells: readonly Cell[]): void {
    this.#cells.add(cells);
  }

  /** Asks for a grant of the budgets for which a request was rejected. */
  demand(record: UsageRecord): void {
    const { key = "", target = "" } = record;
    for (const { id, budget } of this.#options.tallies()) {
      if (appliesTo(budget, { key, target })) this.budgets.demand(id);
    }
  }

  expectAmnesia(): void {
    this.budgets.expectAmnesia();
    this.#cells.expectAmnesia();
  }

  /** Writes what was spent, and ends. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#cells.write().catch(() => undefined);
    await this.budgets.release().catch(() => undefined);
    this.#redis.close();
  }

  /** A Redis that does not respond takes longer than the time between two ticks. */
  async #tickUnlessBusy(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      await this.#tick();
    } finally {
      this.#isTicking = false;
    }
  }

  async #tick(): Promise<void> {
    await this.budgets.sync();
    const problem = this.#redis.problem() ?? this.budgets.problem;
    this.#failedAt = problem === undefined ? undefined : (this.#failedAt ?? performance.now());
    const isShort = performance.now() - (this.#failedAt ?? 0) < REPORT_MS;
    if (problem !== undefined && isShort) return;
    const next = problem === undefined ? undefined : `Redis cannot be used (${problem})`;
    const before = this.#problem;
    this.#problem = next;
    if (next === before) return;
    const { report, onProblem, settings } = this.#options;
    if (next === undefined) report("Redis can be used again; budgets are shared.");
    else if (before === undefined)
      report(`${next}; ${CONSEQUENCES[settings.onFailure]}.`, "warning");
    onProblem();
  }
}

/** What becomes of requests while Redis cannot be used. */
export const CONSEQUENCES: Record<Redis["onFailure"], string> = {
  allow: "budgets are enforced by what this gateway knows",
  deny: "requests with a budget are rejected as soon as this gateway's part of it is used",
};
