// A view of the usage log: sums by minute, quarter of an hour, hour and day, and the lines of recent requests.
import { USAGE_SESSION } from "../../../contract/usage-record.ts";
import type { Retention } from "../../../model/model.ts";
import { takeTables } from "../../usage/adopt.ts";
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { UsageLine } from "../../usage/usage-line.ts";
import type { Usage } from "../../usage/usage-follower.ts";
import type { UsageView } from "../../usage/usage-view.ts";
import { DAY_S, PERIOD_SCHEMA, PeriodSums } from "./period-sums.ts";
import { isProbe } from "./observed-request.ts";
import type { Observe, ObservedRequest } from "./observed-request.ts";

/** Stands for the view in usage.db. */
const NAME = "history";
/** Format of history.db, whose table of requests is the same. */
const OLD_VERSION = 2;
/** 24 hours, and one more for the day on which the clock is set back. */
const KEEP_S = 25 * 3600;
/**
 * Rows of `sums` that are kept of each period and kind: 90 days of 5,500 pairs of model and key, 31 days of 670 keys by hour, 26 hours
 * of 4,800 active pairs by quarter of an hour.
 */
const MAX_PERIODS = 500_000;
const MAX_STORY = 200;

/** The session of a line, for an index of the lines that have one; each was read as JSON before it was written. */
const HAS_SESSION = `instr(line, '"${USAGE_SESSION}":"') > 0`;
const SESSION = `json_extract(substr(line, instr(line, '{')), '$.${USAGE_SESSION}')`;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, ended REAL NOT NULL, cost INTEGER, line TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS requests_by_id ON requests (id);
  CREATE INDEX IF NOT EXISTS requests_by_end ON requests (ended);
  CREATE INDEX IF NOT EXISTS requests_by_session ON requests (${SESSION}, ended) WHERE ${HAS_SESSION};
  ${PERIOD_SCHEMA}
`;

/** The place of a request in the order of ends. */
export interface RequestPlace {
  /** Seconds since 1970. */
  ended: number;
  number: number;
}

/** A request as it is kept: its line of access_usage.log. */
export interface RequestRow {
  id: string;
  /** Seconds since 1970. */
  ended: number;
  /** Nano-dollars at the time of the request. */
  cost: number | undefined;
  line: string;
}

/** What is kept without a setting. */
export const DEFAULT_RETENTION: Retention = {
  maxRequests: 50_000,
  requestsMs: 24 * 3600_000,
  sumsMs: 90 * DAY_S * 1000,
  maxSessions: 100_000,
};

export interface HistoryOptions {
  usage: Pick<Usage, "problem" | "query">;
  observe: Observe;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Returns what is kept; it may change with the configuration. */
  retention?: () => Retention;
  maxPeriods?: number;
}

export class History implements UsageView {
  readonly name = NAME;
  readonly schema = SCHEMA;
  readonly adoption = {
    file: "history.db",
    take: takeTables(NAME, OLD_VERSION, ["requests"]),
  };
  readonly #options: Required<HistoryOptions>;
  readonly #listeners = new Set<(request: ObservedRequest) => void>();
  /** What was added and not written. */
  readonly #periods = new PeriodSums();
  #requests: RequestRow[] = [];
  #prunedAt = 0;

  constructor(options: HistoryOptions) {
    this.#options = {
      retention: () => DEFAULT_RETENTION,
      maxPeriods: MAX_PERIODS,
      ...options,
    };
  }

  /** Why there is no history at the moment, as a sentence; undefined if there is one. */
  get problem(): string | undefined {
    const { problem } = this.#options.usage;
    return problem && `${problem}; live requests are shown, and the gateway tries again.`;
  }

  /** Returns what `work` makes of the file, which has the sums (read-periods.ts); undefined while there is a problem. */
  overPeriods<Result>(work: (database: UsageDatabase) => Result): Result | undefined {
    return this.#options.usage.query(work);
  }

  /** Returns the nano-dollars spent since a time of the last 25 hours: hours and days begin with a quarter of an hour everywhere. */
  costSince(seconds: number): number {
    const sum =
      "SELECT sum(cost) AS cost FROM sums WHERE period = 'quarter' AND kind = 'all' AND start >= ?";
    return Number(this.#rows(sum, seconds)?.[0]?.["cost"] ?? 0);
  }

  /** Returns the newest requests that ended after a time, oldest first: without the file, those that wait for it. */
  newest(limit: number, afterSeconds = 0): RequestRow[] {
    const rows = this.#rows(
      "SELECT * FROM (SELECT * FROM requests ORDER BY number DESC LIMIT ?) WHERE ended > ? ORDER BY number",
      limit,
      afterSeconds,
    );
    const isNew = ({ ended }: RequestRow) => ended > afterSeconds;
    return rows?.map(requestRow) ?? this.#requests.slice(-limit).filter(isNew);
  }

  /** Returns the requests that ended at or after a time and before a place, the last that ended first. */
  before(
    { ended, number }: RequestPlace,
    fromSeconds: number,
    limit: number,
  ): readonly (RequestRow & RequestPlace)[] {
    const rows = this.#rows(
      `SELECT * FROM requests WHERE ended >= ? AND (ended, number) < (?, ?)
      ORDER BY ended DESC, number DESC LIMIT ?`,
      ...[fromSeconds, ended, number, limit],
    );
    return (rows ?? []).map(placedRow);
  }

  /** Returns the requests with a session's id before a place, the last that ended first: of any key. */
  ofSession(
    session: string,
    { ended, number }: RequestPlace,
    limit: number,
  ): readonly (RequestRow & RequestPlace)[] {
    const rows = this.#rows(
      `SELECT * FROM requests WHERE ${HAS_SESSION} AND ${SESSION} = ? AND (ended, number) < (?, ?)
      ORDER BY ended DESC, number DESC LIMIT ?`,
      ...[session, ended, number, limit],
    );
    return (rows ?? []).map(placedRow);
  }

  /** Returns what has this request id, oldest first: a prompt and the calls of the model server share one. */
  withId(id: string): RequestRow[] {
    const query = "SELECT * FROM requests WHERE id = ? ORDER BY number LIMIT ?";
    return (this.#rows(query, id, MAX_STORY) ?? []).map(requestRow);
  }

  /** Calls a function with each request from now on. Returns a function that ends that. */
  subscribe(onRequest: (request: ObservedRequest) => void): () => void {
    this.#listeners.add(onRequest);
    return () => this.#listeners.delete(onRequest);
  }

  open(): void {
    this.written();
    this.#prunedAt = 0;
  }

  add(line: UsageLine, text: string, isRepeated: boolean): void {
    const { requestsMs, sumsMs, maxRequests } = this.#options.retention();
    const age = this.#now() - line.startTime;
    const keepRequestsS = Math.max(KEEP_S, requestsMs / 1000);
    if (age > Math.max(keepRequestsS, sumsMs / 1000) || isProbe(line)) return;
    const request = this.#options.observe(line);
    this.#periods.add(request, this.#now());
    if (age > keepRequestsS) return;
    const { ended, cost } = request;
    this.#requests.push({ id: line.record?.id ?? "", ended, cost, line: text });
    if (this.#requests.length > 2 * maxRequests) this.#requests.splice(0, maxRequests);
    if (!isRepeated) for (const onRequest of this.#listeners) onRequest(request);
  }

  write(database: UsageDatabase): void {
    const add = database.statement(
      "INSERT INTO requests (id, ended, cost, line) VALUES (?, ?, ?, ?)",
    );
    for (const { id, ended, cost, line } of this.#requests) add.run(id, ended, cost ?? null, line);
    const { maxPeriods: maxRows, retention } = this.#options;
    this.#periods.write(database, {
      ...{ now: this.#now(), keepSeconds: retention().sumsMs / 1000, maxRows },
    });
    if (this.#prunedAt !== Math.floor(this.#now() / 60)) this.#prune(database);
  }

  written(): void {
    this.#periods.clear();
    this.#requests = [];
    this.#prunedAt = Math.floor(this.#now() / 60);
  }

  /** Removes the requests that are too old, and the oldest above a number. */
  #prune(database: UsageDatabase): void {
    const before = this.#now() - KEEP_S;
    const { maxRequests, requestsMs } = this.#options.retention();
    database
      .statement("DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ?")
      .run(maxRequests);
    // Their order is that of their ends, so the search stops at the first recent one.
    database
      .statement(
        `DELETE FROM requests WHERE number < coalesce(
        (SELECT number FROM requests WHERE ended >= ? ORDER BY number LIMIT 1),
        (SELECT max(number) + 1 FROM requests))`,
      )
      .run(Math.min(before, this.#now() - requestsMs / 1000));
  }

  #rows(query: string, ...values: (string | number)[]): Row[] | undefined {
    return this.#options.usage.query((database) => database.statement(query).all(...values));
  }

  #now(): number {
    return this.#options.now() / 1000;
  }
}

type Row = Record<string, unknown>;

const placedRow = (row: Row) => ({ ...requestRow(row), number: Number(row["number"]) });

function requestRow(row: Row): RequestRow {
  return {
    id: String(row["id"]),
    ended: Number(row["ended"]),
    cost: row["cost"] === null ? undefined : Number(row["cost"]),
    line: String(row["line"]),
  };
}
