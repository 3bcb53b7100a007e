// The one follower of access_usage.log: reads each line once, and writes what the views make of it to usage.db in one transaction with
// the place in the log, so that each view has each line exactly once. While the file cannot be written, reading goes on, and what the
// views have added waits in memory. A view that is behind the others, such as a new one, is brought up to them first.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { knownPlace } from "../log-files/known-place.ts";
import { endOfLog, followLines, hasReached, LOG_START } from "../log-files/log-files.ts";
import type { LogPosition } from "../log-files/log-files.ts";
import { adopt } from "./adopt.ts";
import {
  databaseProblem,
  isDamage,
  putAside,
  USAGE_FILE,
  UsageDatabase,
} from "./usage-database.ts";
import { readWhole } from "./usage-line.ts";
import type { UsageView } from "./usage-view.ts";

const RETRY_MS = 10_000;
const POLL_MS = 100;
const COMMIT_MS = 100;
const CATCH_UP_POLL_MS = 20;

export interface UsageOptions {
  /** The state directory. */
  directory: string;
  report: (line: string, level?: "warning") => void;
  retryMs?: number;
  pollMs?: number;
  /** Between two transactions. */
  commitMs?: number;
}

/** How far a view is in a log. */
interface Track {
  view: UsageView;
  /** What was read, and what is in the file. */
  position: LogPosition;
  written: LogPosition | undefined;
  /** Whether it is as far as the log was read, and whether it ever was. */
  isLive: boolean;
  wasLive: boolean;
  /** Ends the reading of this view alone. */
  catchingUp: AbortController | undefined;
}

/** A log that is followed. */
interface Reading {
  log: string;
  /** How far the log was read. */
  front: LogPosition;
  tracks: Map<UsageView, Track>;
  abort: AbortController;
  /** Undefined until it is begun. */
  done: Promise<void> | undefined;
}

export class Usage {
  readonly #options: Required<UsageOptions>;
  readonly #file: string;
  readonly #views = new Set<UsageView>();
  /** By log: the current one, and those that Envoys which are draining write to. */
  readonly #readings = new Map<string, Reading>();
  #current: Reading | undefined;
  #database: UsageDatabase | undefined;
  /** Views that the open file is prepared for, those that any file was, and those whose lines are read again. */
  readonly #opened = new Set<UsageView>();
  readonly #known = new WeakSet<UsageView>();
  readonly #reread = new Set<UsageView>();
  /** What cannot be read at the moment. */
  readonly #unreadable = new Set<Reading | Track>();
  readonly #copies = new Set<string>();
  #committedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: UsageOptions) {
    this.#options = { retryMs: RETRY_MS, pollMs: POLL_MS, commitMs: COMMIT_MS, ...options };
    this.#file = join(options.directory, USAGE_FILE);
  }

  /** Why nothing is recorded at the moment, without a full stop; undefined if lines are read and written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether a previous log is still read. */
  get isDraining(): boolean {
    return this.#readings.size > 1;
  }

  /** Fills a view from now on, and with what it has not read. */
  attach(view: UsageView): void {
    this.#views.add(view);
    this.#prepare();
  }

  /** Ends a view; without any, nothing is read. */
  async detach(view: UsageView): Promise<void> {
    this.commit();
    for (const { tracks } of this.#readings.values()) {
      const track = tracks.get(view);
      track?.catchingUp?.abort();
      tracks.delete(view);
      if (track !== undefined) this.#unreadable.delete(track);
    }
    for (const views of [this.#views, this.#opened, this.#known, this.#reread]) views.delete(view);
    if (this.#views.size > 0) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#close();
    this.#problem = undefined;
    this.#unreadable.clear();
    this.#current = undefined;
    const readings = [...this.#readings.values()];
    this.#readings.clear();
    await Promise.all(readings.map(stop));
  }

  /** Follows a log, and the previous one until `settle`. */
  follow(log: string): void {
    const fresh = { log, front: LOG_START, tracks: new Map<UsageView, Track>(), done: undefined };
    this.#current = this.#readings.get(log) ?? { ...fresh, abort: new AbortController() };
    this.#readings.set(log, this.#current);
    this.#prepare();
  }

  /** Reads the previous logs to their ends: no Envoy writes to them any more. */
  async settle(): Promise<void> {
    for (const [log, reading] of [...this.#readings]) {
      if (reading === this.#current) continue;
      const views = [...reading.tracks.keys()];
      const isRead = await this.#waitFor(reading, views).then(
        () => true,
        () => false,
      );
      // A reload may have gone back to it.
      const isLeft = reading !== this.#current && this.#readings.get(log) === reading;
      if (!isRead || !isLeft || !this.commit()) continue;
      this.#readings.delete(log);
      await stop(reading);
    }
  }

  /** Resolves when a view has what is in the log now. Rejects while that cannot be read or written. */
  async catchUp(view: UsageView): Promise<void> {
    if (this.#current === undefined) throw new Error("no log is read");
    await this.#waitFor(this.#current, [view]);
  }

  /** Returns what a query of the file returns; undefined while the file cannot be used. */
  query<Result>(work: (database: UsageDatabase) => Result): Result | undefined {
    // What was read is part of the result.
    if (this.#timer !== undefined) this.commit();
    if (this.#database === undefined) return undefined;
    try {
      return work(this.#database);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Writes what was read. Returns false if the file cannot be written. @param also writes what no log has */
  commit(also?: (database: UsageDatabase) => void): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#committedAt = performance.now();
    const database = this.#database;
    if (database === undefined) return false;
    try {
      database.inTransaction(() => {
        for (const { log, tracks } of this.#readings.values()) {
          for (const { view, position, written } of tracks.values())
            if (!isSame(position, written)) database.putPlace(view.name, log, position);
        }
        for (const view of this.#opened) view.write(database);
        also?.(database);
      });
    } catch (error) {
      this.#fail(error);
      return false;
    }
    for (const { tracks } of this.#readings.values())
      for (const track of tracks.values()) track.written = track.position;
    for (const view of this.#opened) view.written();
    this.#recover();
    return true;
  }

  /** Writes at once, or with what else is read in a moment: a log that is caught up with has many lines at once. */
  #commitSoon(): void {
    const { commitMs } = this.#options;
    if (performance.now() - this.#committedAt >= commitMs) this.commit();
    else this.#timer ??= setTimeout(() => this.commit(), commitMs).unref();
  }

  async #waitFor({ log, tracks, abort: { signal } }: Reading, views: UsageView[]): Promise<void> {
    const end = endOfLog(log);
    const isRead = (view: UsageView) => {
      const written = tracks.get(view)?.written;
      return written !== undefined && hasReached(log, written, end);
    };
    for (;;) {
      const isDone = views.every(isRead);
      if (this.#problem !== undefined) throw new Error(this.#problem);
      if (isDone) return;
      await sleep(CATCH_UP_POLL_MS, undefined, { signal });
    }
  }

  /** Opens the file for all views, and begins what is not read yet. A damaged file is renamed, and a new one is filled from the log. */
  #prepare(): void {
    if (this.#views.size === 0) return;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      try {
        const database = (this.#database ??= new UsageDatabase(this.#file));
        for (const view of this.#views) this.#open(database, view);
        break;
      } catch (error) {
        this.#fail(error);
      }
    }
    for (const reading of this.#readings.values()) this.#begin(reading);
  }

  /** Prepares the file for a view. What the view has added and the file lacks stays, unless the file is another one. */
  #open(database: UsageDatabase, view: UsageView): void {
    const readings = [...this.#readings.values()];
    if (!this.#opened.has(view)) {
      const { directory, report } = this.#options;
      database.addTables(view.schema);
      if (view.adoption !== undefined) adopt(database, directory, view.adoption, report);
      const places = database.places(view.name);
      const isFirst = !this.#known.has(view);
      const isOther = readings.some(({ log, tracks }) => {
        const track = tracks.get(view);
        const place = places.find((one) => one.log === log);
        return track !== undefined && !isSame(track.written, place);
      });
      if (isFirst || isOther) {
        view.open(database, isFirst);
        this.#reread.add(view);
        for (const { log, tracks } of readings) {
          const track = tracks.get(view);
          if (track === undefined) continue;
          track.written = undefined;
          if (view.isInMemory === true) continue;
          track.catchingUp?.abort();
          tracks.set(view, { ...this.#track(database, log, view), wasLive: track.wasLive });
        }
      }
      this.#known.add(view);
      this.#opened.add(view);
    }
    for (const { log, tracks } of readings)
      if (!tracks.has(view)) tracks.set(view, this.#track(database, log, view));
  }

  #track(database: UsageDatabase, log: string, view: UsageView): Track {
    const known = knownPlace(log, database.places(view.name));
    if (known?.isCopy === true && !this.#copies.has(log)) {
      this.#copies.add(log);
      const why = `${log} is a copy of the log that was read before`;
      this.#options.report(`${why}; its lines up to there are not counted again.`, "warning");
    }
    const position = known?.position ?? (view.startsAtEnd === true ? endOfLog(log) : LOG_START);
    const isNew = { written: undefined, isLive: false, wasLive: false, catchingUp: undefined };
    return { view, position, ...isNew };
  }

  /** Begins to read a log, and to bring up the views that are behind. */
  #begin(reading: Reading): void {
    const { log, tracks, abort } = reading;
    const [first] = tracks.values();
    if (first === undefined) return;
    if (reading.done === undefined) {
      reading.front = first.position;
      reading.done = this.#read(log, abort.signal, reading, {
        from: () => reading.front,
        tracks: () => [...tracks.values()].filter(({ isLive }) => isLive),
        onPosition: (position) => {
          for (const track of tracks.values()) if (track.isLive) track.position = position;
          reading.front = position;
          for (const track of tracks.values()) goLive(reading, track);
        },
      });
    }
    for (const track of tracks.values()) {
      goLive(reading, track);
      if (!track.isLive && track.catchingUp === undefined) this.#bringUp(reading, track);
    }
  }

  #bringUp(reading: Reading, track: Track): void {
    track.catchingUp = new AbortController();
    const signal = AbortSignal.any([reading.abort.signal, track.catchingUp.signal]);
    void this.#read(reading.log, signal, track, {
      from: () => track.position,
      tracks: () => [track],
      onPosition: (position) => {
        track.position = position;
        goLive(reading, track);
      },
      end: () => reading.front,
    });
  }

  /** Reads lines for views from one failure to the next. @param who what is unreadable if that fails */
  async #read(
    log: string,
    signal: AbortSignal,
    who: Reading | Track,
    { from, tracks, onPosition, ...end }: Lines,
  ): Promise<void> {
    const { pollMs, retryMs } = this.#options;
    while (!signal.aborted) {
      try {
        await followLines(log, from(), {
          onLine: (text) => {
            addLine(text, tracks());
          },
          onPosition: (position) => {
            if (signal.aborted) return;
            this.#unreadable.delete(who);
            onPosition(position);
            this.#commitSoon();
          },
          ...{ signal, pollMs, ...end },
        });
      } catch (error) {
        this.#unreadable.add(who);
        this.#setProblem(error, log);
      }
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #fail(error: unknown): void {
    this.#close();
    this.#setProblem(error, this.#file);
    if (isDamage(error) && putAside(this.#file)) {
      const { report } = this.#options;
      report(
        `Usage is read from the log again; the damaged file is ${this.#file}.damaged`,
        "warning",
      );
    }
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#prepare();
      this.commit();
    }, this.#options.retryMs);
    this.#retry.unref();
  }

  #close(): void {
    try {
      this.#database?.close();
    } catch {
      // It is closed.
    }
    this.#database = undefined;
    this.#opened.clear();
  }

  /** A problem is reported once. */
  #setProblem(error: unknown, file: string): void {
    const isFirst = this.#problem === undefined;
    const { path = file } = error as NodeJS.ErrnoException;
    this.#problem = `Usage cannot be recorded (${databaseProblem(error)})`;
    if (isFirst)
      this.#options.report(
        `${this.#problem}; the gateway tries again until it can. File: ${path}`,
        "warning",
      );
  }

  /** Ends the problem: the file was written. */
  #recover(): void {
    if (this.#problem !== undefined && this.#unreadable.size === 0) {
      this.#problem = undefined;
      this.#options.report("Usage is recorded again.");
      for (const view of this.#opened) view.recovered?.(this.#reread.has(view));
    }
    if (this.#problem === undefined) this.#reread.clear();
  }
}

/** Which lines are read, and for which views. */
interface Lines {
  from: () => LogPosition;
  tracks: () => Track[];
  onPosition: (position: LogPosition) => void;
  end?: () => LogPosition;
}

/** Lets a view have the lines that the reading reads, once it has all before them. */
function goLive({ front }: Reading, track: Track): void {
  if (track.isLive || !isSame(track.position, front)) return;
  track.isLive = true;
  track.wasLive = true;
  track.catchingUp?.abort();
  track.catchingUp = undefined;
}

function addLine(written: string, tracks: readonly Track[]): void {
  const { line, text, isCut } = readWhole(written);
  for (const { view, isLive, wasLive } of tracks) {
    if (isCut) view.addCut?.();
    if (line !== undefined) view.add(line, text, wasLive && !isLive);
  }
}

async function stop({ abort, done }: Reading): Promise<void> {
  abort.abort();
  await done;
}

function isSame(one: LogPosition | undefined, other: LogPosition | undefined): boolean {
  return one?.inode === other?.inode && one?.offset === other?.offset;
}
