// Follows access_usage.log, and adds what was spent to spend.db. When the file cannot be written, reading stops at the last
// place that it has, and starts again there as soon as it can be.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { knownPlace } from "../log-files/known-place.ts";
import { databaseProblem, isDamage, putAside } from "../log-files/log-database.ts";
import { endOfLog, followLines, hasReached, LOG_START } from "../log-files/log-files.ts";
import type { LogPosition } from "../log-files/log-files.ts";
import type { Budget } from "../../model/budgets.ts";
import type { UsageRecord } from "../observability/usage-line.ts";
import { type Cell, Cells, dayOf, type RecordRules } from "./cell.ts";
import { LedgerFile } from "./ledger-file.ts";

const RETRY_MS = 10_000;
const POLL_MS = 100;
const CATCH_UP_POLL_MS = 20;

export interface LedgerOptions {
  /** Path of access_usage.log. */
  log: string;
  /** Path of the SQLite file. */
  file: string;
  rules?: RecordRules;
  /** Whether a new file begins at the end of the log: where gateways share, what the log has is in Redis already. */
  startsAtEnd: boolean;
  report: (line: string, level?: "warning") => void;
  /** Receives what was added to the file. */
  onSpend: (cells: readonly Cell[]) => void;
  /** Receives each record that was read. */
  onRecord?: (record: UsageRecord) => void;
  /**
   * Called when the file can be used again: its sums may have changed otherwise. @param isReread whether the log is read from
   * another place than the one that was reached
   */
  onOpen: (isReread: boolean) => void;
  retryMs?: number;
  pollMs?: number;
}

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #run = new AbortController();
  #file: LedgerFile | undefined;
  #position: LogPosition = LOG_START;
  #isReread = true;
  #problem: string | undefined;

  /** Opens the file, and starts to follow the log behind what it has. */
  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#open();
    this.#done = this.#follow();
  }

  /** Why nothing is added at the moment, as a sentence; undefined if lines are read. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The id of this gateway; undefined while the file cannot be used. */
  get id(): string | undefined {
    return this.#use((file) => file.id());
  }

  /** Returns the nano-dollars spent on a budget's subject since a time; undefined while the file cannot be used. */
  spentSince(time: number, { subject }: Pick<Budget, "subject">): number | undefined {
    return this.#use((file) => file.spentSince(dayOf(time), subject === "all" ? {} : subject));
  }

  /** Returns the cells of the days from a time on. */
  cellsSince(time: number, before?: number): Cell[] {
    const end = before === undefined ? undefined : dayOf(before);
    return this.#use((file) => [...file.cellsSince(dayOf(time), end)]) ?? [];
  }

  /** Returns the sums of a cell as the file has them. */
  cell(of: Cell): Cell | undefined {
    return this.#use((file) => file.cell(of));
  }

  /** Adds what no record of the log has. */
  add(cells: readonly Cell[]): void {
    const { log, onSpend } = this.#options;
    const isAdded = this.#use((file) => {
      file.add(log, this.#position, cells);
      return true;
    });
    if (isAdded === true) onSpend(cells);
  }

  /** Resolves when what is in the log now has been read. Rejects while the file cannot be used. */
  async catchUp(): Promise<void> {
    const { log } = this.#options;
    const end = endOfLog(log);
    while (!hasReached(log, this.#position, end)) {
      if (this.#problem !== undefined) throw new Error(this.#problem);
      await sleep(CATCH_UP_POLL_MS, undefined, { signal: this.#abort.signal });
    }
    if (this.#problem !== undefined) throw new Error(this.#problem);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
    this.#file?.close();
    this.#file = undefined;
  }

  #use<Result>(query: (file: LedgerFile) => Result): Result | undefined {
    if (this.#file === undefined) return undefined;
    try {
      return query(this.#file);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Follows the log until the end, from one failure to the next. */
  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    const { retryMs = RETRY_MS } = this.#options;
    while (!signal.aborted) {
      if (this.#file !== undefined) await this.#followWith(this.#file);
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!this.#abort.signal.aborted) this.#open();
    }
  }

  /** Opens the file; a damaged one is put aside, and a new one is filled from the log. */
  #open(): void {
    const { file } = this.#options;
    for (let attempt = 1; this.#file === undefined && attempt <= 2; attempt += 1) {
      try {
        const opened = new LedgerFile(file);
        this.#file = opened;
        const position = this.#firstPosition(opened);
        if (!isDeepStrictEqual(position, this.#position)) this.#isReread = true;
        this.#position = position;
        opened.id();
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  #firstPosition(file: LedgerFile): LogPosition {
    const { log, startsAtEnd, report } = this.#options;
    const known = knownPlace(log, file.places());
    if (known === undefined) return startsAtEnd ? endOfLog(log) : LOG_START;
    if (known.isCopy) {
      const why = `${log} is a copy of the log that was read before`;
      report(`${why}; its lines up to there are not counted again.`, "warning");
    }
    return known.position;
  }

  /** Ends the problem: the file was written. */
  #recover(): void {
    const { report, onOpen } = this.#options;
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    report("Spend is recorded again.");
    onOpen(this.#isReread);
    this.#isReread = false;
  }

  #fail(error: unknown): void {
    const { file, report } = this.#options;
    this.#run.abort();
    try {
      this.#file?.close();
    } catch {
      // It is closed.
    }
    this.#file = undefined;
    const isFirst = this.#problem === undefined;
    this.#problem = `Spend cannot be recorded (${databaseProblem(error)})`;
    const { path = file } = error as NodeJS.ErrnoException;
    if (isFirst) report(`${this.#problem}; it is tried again. File: ${path}`, "warning");
    if (isDamage(error) && putAside(file)) {
      report(`Spend is read from the log again; the damaged file is ${file}.damaged`, "warning");
    }
  }

  async #followWith(file: LedgerFile): Promise<void> {
    const { log, rules, onSpend, onRecord, pollMs = POLL_MS } = this.#options;
    this.#run = new AbortController();
    const { signal } = this.#run;
    let cells = new Cells(rules);
    try {
      await followLines(log, this.#position, {
        onLine(text) {
          const record = cells.addLine(text);
          if (record !== undefined) onRecord?.(record);
        },
        onPosition: (position) => {
          if (signal.aborted) return;
          const read = cells.all();
          cells = new Cells(rules);
          file.add(log, position, read);
          this.#position = position;
          if (this.#problem === undefined) this.#isReread = false;
          if (read.length > 0) onSpend(read);
          this.#recover();
        },
        signal: AbortSignal.any([this.#abort.signal, signal]),
        pollMs,
      });
    } catch (error) {
      this.#fail(error);
    }
  }
}
