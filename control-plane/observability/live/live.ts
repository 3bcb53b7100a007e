// What browsers see as it happens: rows of requests, and once a second the sums of the last minute. While no browser is
// connected, nothing is computed.
import type { GatewayModel } from "../../../model/model.ts";
import type { BudgetGauge } from "../envoy-stats.ts";
import type { History } from "../history/history.ts";
import type { Observe, ObservedRequest } from "../history/observed-request.ts";
import { spentSince } from "../history/summary.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import { ENVOY_FILTER, envoyState } from "./provider-state.ts";
import type { EnvoyState } from "./provider-state.ts";
import { viewOf } from "./row.ts";
import { ERRORS_S, RecentAttempts } from "./provider-errors.ts";
import { eventText, Subscribers } from "./subscribers.ts";
import { Window, WINDOW_S } from "./window.ts";

/** Requests that are kept for browsers that connect later. */
const KEPT = 256;
/** Rows that a browser gets first. */
const FIRST_ROWS = 200;
/** Rows of one event; of more requests, the newest. */
const MAX_ROWS = 100;
/** Requests of the last minute that are read from the history. */
const MAX_WINDOW = 20_000;
const ROWS_MS = 250;
const SNAPSHOT_MS = 1_000;
/** Sums of an hour and a day change slowly. */
const SPENT_MS = 5_000;

export interface LiveOptions {
  model: () => GatewayModel;
  observe: Observe;
  history: History;
  /** Returns Envoy's metrics page, as far as names contain the regular expression; rejects if Envoy does not respond. */
  envoyStats: (filter: string) => Promise<string>;
  /** Returns what was spent on each budget; absent: there are none. */
  budgets?: (() => BudgetGauge[]) | undefined;
  now: () => number;
}

export class Live {
  readonly #options: LiveOptions;
  readonly #subscribers = new Subscribers();
  /** Exists while a browser is connected. */
  #session: Session | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** Returns the events for one more browser; undefined if there are too many. */
  subscribe(): ReadableStream<Uint8Array> | undefined {
    this.#session ??= this.#begin();
    return this.#subscribers.subscribe(this.#session.firstEvents());
  }

  close(): void {
    this.#end();
    this.#subscribers.close();
  }

  #begin(): Session {
    return new Session(this.#options, (event) => {
      if (this.#subscribers.count === 0) this.#end();
      else this.#subscribers.publish(event);
    });
  }

  #end(): void {
    this.#session?.close();
    this.#session = undefined;
  }
}

/** The time in which at least one browser is connected. */
class Session {
  readonly #options: LiveOptions;
  readonly #publish: (event: string) => void;
  readonly #window = new Window();
  readonly #attempts = new RecentAttempts();
  readonly #timers: NodeJS.Timeout[];
  readonly #unsubscribe: () => void;
  #newest: ObservedRequest[] = [];
  #rows: ObservedRequest[] = [];
  #skipped = 0;
  #envoy: EnvoyState | undefined;
  /** The last one, for a browser that connects later. */
  #snapshotEvent: string | undefined;
  #spent: { at: number; hour: number; today: number } | undefined;

  constructor(options: LiveOptions, publish: (event: string) => void) {
    this.#options = options;
    this.#publish = publish;
    this.#fill();
    this.#unsubscribe = options.history.subscribe((request) => {
      this.#add(request);
    });
    this.#timers = [
      setInterval(() => {
        this.#publishRows();
      }, ROWS_MS),
      setInterval(() => {
        void this.#publishSnapshot();
      }, SNAPSHOT_MS),
    ];
    void this.#publishSnapshot();
  }

  /** Returns what a new browser gets. */
  firstEvents(): string[] {
    const rows = this.#newest.slice(-FIRST_ROWS).map(viewOf);
    const snapshot = this.#snapshotEvent === undefined ? [] : [this.#snapshotEvent];
    return [eventText("rows", { rows, skipped: 0 }), ...snapshot];
  }

  close(): void {
    this.#unsubscribe();
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Begins with the last minute, and the errors of some more, from the history. */
  #fill(): void {
    const { history, observe } = this.#options;
    const since = this.#now() - WINDOW_S;
    const errorsSince = this.#now() - ERRORS_S;
    const newest = history.newest(FIRST_ROWS);
    const more = history.newest(MAX_WINDOW, errorsSince);
    const requests = (more.length > newest.length ? more : newest).flatMap(({ line }) => {
      const read = readUsageLine(line);
      return read === undefined ? [] : [observe(read)];
    });
    const inOrder = requests.sort((one, other) => one.ended - other.ended);
    for (const request of inOrder) {
      if (request.ended > since) this.#window.add(request);
      if (request.ended > errorsSince) this.#attempts.add(request);
    }
    this.#newest = inOrder.slice(-KEPT);
  }

  #add(request: ObservedRequest): void {
    this.#window.add(request);
    this.#attempts.add(request);
    this.#newest.push(request);
    if (this.#newest.length >= 2 * KEPT) this.#newest = this.#newest.slice(-KEPT);
    this.#rows.push(request);
    if (this.#rows.length > MAX_ROWS) {
      this.#rows.shift();
      this.#skipped += 1;
    }
  }

  #publishRows(): void {
    if (this.#rows.length === 0) return;
    const event = { rows: this.#rows.map(viewOf), skipped: this.#skipped };
    this.#rows = [];
    this.#skipped = 0;
    this.#publish(eventText("rows", event));
  }

  async #publishSnapshot(): Promise<void> {
    await this.#readEnvoy();
    this.#snapshotEvent = eventText("snapshot", this.#snapshot());
    this.#publish(this.#snapshotEvent);
  }

  async #readEnvoy(): Promise<void> {
    const { envoyStats, model } = this.#options;
    const page = await envoyStats(ENVOY_FILTER).catch(() => undefined);
    this.#envoy = page === undefined ? undefined : envoyState(page, model());
  }

  #snapshot() {
    const now = this.#now();
    return {
      at: Math.round(now * 1000),
      window: WINDOW_S,
      minute: this.#window.report(now),
      spent: this.#spentNow(now),
      envoy: this.#envoy,
      providers: this.#attempts.report(now),
      budgets: this.#options.budgets?.(),
      problem: this.#options.history.problem,
    };
  }

  /** Returns the nano-dollars of this hour and today; undefined without a history. */
  #spentNow(now: number) {
    const { history } = this.#options;
    if (history.problem !== undefined) return undefined;
    if (this.#spent === undefined || now - this.#spent.at >= SPENT_MS / 1000)
      this.#spent = { at: now, ...spentSince(history, now) };
    return this.#spent;
  }

  #now(): number {
    return this.#options.now() / 1000;
  }
}
