// 24 hours of requests in SQLite: follows access_usage.log from a separate place, which is saved with what was read up to
// there in one transaction, so that each line is in the file exactly once. When the file cannot be written or read, what is
// not in it is dropped from memory, and read again from the log as soon as it can be.
import { setTimeout as sleep } from "node:timers/promises";
import { knownPlace } from "../../log-files/known-place.ts";
import { databaseProblem, isDamage, putAside } from "../../log-files/log-database.ts";
import { followLines, LOG_START } from "../../log-files/log-files.ts";
import type { LogPosition } from "../../log-files/log-files.ts";
import { readUsageLine } from "../usage-line.ts";
import { isProbe } from "./observed-request.ts";
import type { Observe } from "./observed-request.ts";
import { Store } from "./store.ts";
import type { MinuteRow, RequestPlace, RequestRow } from "./store.ts";
import { Totals } from "./totals.ts";

/** 24 hours, and one more for the day on which the clock is set back. */
const KEEP_S = 25 * 3600;
const MAX_REQUESTS = 50_000;
const WRITE_MS = 1_000;
const RETRY_MS = 10_000;
/** Requests that wait to be written; a log that is caught up with has many at once. */
const MAX_WAITING = 5_000;
const MAX_STORY = 200;

export interface HistoryOptions {
  log: string;
  /** Path of the SQLite file. */
  file: string;
  observe: Observe;
  report: (line: string, level?: "warning") => void;
  /** Milliseconds since 1970. */
  now: () => number;
  maxRequests?: number;
  retryMs?: number;
  pollMs?: number;
}

export class History {
  readonly #options: HistoryOptions;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #run: Run | undefined;
  #problem: string | undefined;

  /** Starts to follow the log behind what the file has. */
  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#done = this.#follow();
  }

  /** Why there is no history at the moment, as a sentence; undefined if there is one. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Returns what `work` makes of the sums by minute, model and key since a time, oldest first; undefined while there is a
   * problem. The rows are read one by one, and only until `work` returns.
   */
  overMinutes<Result>(
    { since, model, key }: { since: number; model?: string | undefined; key?: string | undefined },
    work: (rows: Iterable<MinuteRow>) => Result,
  ): Result | undefined {
    return this.#read((store) => work(store.minutes(Math.floor(since / 60), model, key)));
  }

  /** Returns the nano-dollars spent since a time. */
  costSince(seconds: number): number {
    return this.#read((store) => store.costSince(Math.floor(seconds / 60))) ?? 0;
  }

  /** Returns the newest requests that ended after a time, oldest first. */
  newest(limit: number, afterSeconds = 0): RequestRow[] {
    return this.#read((store) => store.newest(limit, afterSeconds)) ?? [];
  }

  /** Returns the requests that ended at or after a time and before a place, the last that ended first. */
  before(
    place: RequestPlace,
    fromSeconds: number,
    limit: number,
  ): readonly (RequestRow & RequestPlace)[] {
    return this.#read((store) => store.before(place, fromSeconds, limit)) ?? [];
  }

  /** Returns the requests with an id: a prompt, and the calls of the model server for it. */
  withId(id: string): RequestRow[] {
    return this.#read((store) => store.withId(id, MAX_STORY)) ?? [];
  }

  /** Writes what was read, and ends. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  #read<Result>(query: (store: Store) => Result): Result | undefined {
    const run = this.#run;
    if (run === undefined) return undefined;
    try {
      // What was read from the log is part of the answer.
      run.write();
      return query(run.store);
    } catch (error) {
      run.fail(error);
      return undefined;
    }
  }

  /** Follows the log until the end, from one failure to the next. */
  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        this.#run = new Run(this.#options, signal, () => {
          this.#isWritten();
        });
        await this.#run.ended;
      } catch (error) {
        this.#hasFailed(error);
      }
      this.#run = undefined;
      const { retryMs = RETRY_MS } = this.#options;
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #isWritten(): void {
    if (this.#problem !== undefined) this.#options.report("The history is complete again.");
    this.#problem = undefined;
  }

  #hasFailed(error: unknown): void {
    const { file, report } = this.#options;
    const isFirst = this.#problem === undefined;
    this.#problem = `The history cannot be used (${databaseProblem(error)}); live requests are shown, and it is tried again.`;
    if (isFirst) report(`${this.#problem} File: ${file}`, "warning");
    if (isDamage(error) && putAside(file)) {
      report(`The history begins again from the logs; the damaged file is ${file}.damaged`);
    }
  }
}

/** One opening of the file, until something fails or the history ends. */
class Run {
  readonly store: Store;
  /** Resolves at the end; rejects with what failed. */
  readonly ended: Promise<void>;
  readonly #options: HistoryOptions;
  readonly #onWritten: () => void;
  readonly #abort = new AbortController();
  /** Sums of the newest minutes by minute, model and key: a later line may change them. */
  readonly #minutes = new Map<string, MinuteRow>();
  readonly #changed = new Set<MinuteRow>();
  #requests: RequestRow[] = [];
  #position: LogPosition;
  #isWritten = true;
  #failure: unknown;
  #prunedAt = 0;

  /** @param onWritten called when the file has all that was read */
  constructor(options: HistoryOptions, signal: AbortSignal, onWritten: () => void) {
    this.#options = options;
    this.#onWritten = onWritten;
    this.store = new Store(options.file);
    try {
      const known = knownPlace(options.log, this.store.places());
      this.#position = known?.position ?? LOG_START;
      this.#prune();
    } catch (error) {
      this.store.close();
      throw error;
    }
    this.ended = this.#follow(AbortSignal.any([signal, this.#abort.signal]));
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.#abort.abort();
  }

  /** Writes what was read since the last time. */
  write(): void {
    if (this.#isWritten || this.#failure !== undefined) return;
    this.store.write(this.#options.log, this.#position, this.#changed, this.#requests);
    this.#isWritten = true;
    this.#requests = [];
    this.#changed.clear();
    this.#forgetOldMinutes();
    const minute = Math.floor(this.#now() / 60);
    if (minute !== this.#prunedAt) this.#prune();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const timer = setInterval(() => {
      this.#writeOrFail();
    }, WRITE_MS);
    timer.unref();
    const { log, pollMs } = this.#options;
    try {
      await followLines(log, this.#position, {
        onLine: (text) => {
          this.#add(text);
        },
        onPosition: (next) => {
          this.#position = next;
          this.#isWritten = false;
          if (this.#requests.length >= MAX_WAITING) this.#writeOrFail();
        },
        signal,
        ...(pollMs === undefined ? {} : { pollMs }),
      });
      this.write();
    } finally {
      clearInterval(timer);
      this.store.close();
    }
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #writeOrFail(): void {
    try {
      this.write();
      if (this.#failure === undefined) this.#onWritten();
    } catch (error) {
      this.fail(error);
    }
  }

  #add(text: string): void {
    if (this.#failure !== undefined) return;
    // Of a log that is older than the history, the numbers alone are looked at.
    if (Number(text.slice(0, text.indexOf(" "))) < this.#now() - KEEP_S) return;
    const line = readUsageLine(text);
    if (line === undefined || isProbe(line)) return;
    const request = this.#options.observe(line);
    const { model, key, ended, cost } = request;
    try {
      const row = this.#minute(Math.floor(ended / 60), model, key);
      row.totals.add(request);
      this.#changed.add(row);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#requests.push({ id: line.record?.id ?? "", ended, cost, line: text });
    const surplus = this.#requests.length - (this.#options.maxRequests ?? MAX_REQUESTS);
    if (surplus > 0) this.#requests.splice(0, surplus);
  }

  #minute(minute: number, model: string, key: string): MinuteRow {
    const name = [minute, model, key].join("\u0000");
    const found = this.#minutes.get(name) ??
      this.store.minute(minute, model, key) ?? { minute, model, key, totals: new Totals() };
    this.#minutes.set(name, found);
    return found;
  }

  /** Keeps in memory what lines of now can still change; the file has the others. */
  #forgetOldMinutes(): void {
    const oldest = Math.floor(this.#now() / 60) - 1;
    for (const [name, { minute }] of this.#minutes) {
      if (minute < oldest) this.#minutes.delete(name);
    }
  }

  #prune(): void {
    const now = this.#now();
    this.#prunedAt = Math.floor(now / 60);
    this.store.prune(now - KEEP_S, this.#options.maxRequests ?? MAX_REQUESTS);
  }

  #now(): number {
    return this.#options.now() / 1000;
  }
}
