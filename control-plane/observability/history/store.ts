// The SQLite file of the history: sums by minute, model and key, the lines of recent requests, and the place in the log that
// both reach, which one transaction changes with them.
import type { KnownPlace } from "../../log-files/known-place.ts";
import { LogDatabase } from "../../log-files/log-database.ts";
import type { LogPosition } from "../../log-files/log-files.ts";
import { COUNTS, TIMES, Totals } from "./totals.ts";

/** Format of the file. */
const VERSION = 2;
/** Rows of `minutes` that are kept: a day of more than 300 active pairs of model and key. */
const MAX_MINUTES = 500_000;

const SCHEMA = `
  CREATE TABLE minutes (
    minute INTEGER NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL,
    ${COUNTS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    ${TIMES.map((name) => `${name} TEXT NOT NULL`).join(", ")},
    PRIMARY KEY (minute, model, key)
  ) WITHOUT ROWID;
  CREATE TABLE requests (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, ended REAL NOT NULL, cost INTEGER, line TEXT NOT NULL
  );
  CREATE INDEX requests_by_id ON requests (id);
  CREATE INDEX requests_by_end ON requests (ended);
`;

/** Sums of one minute, model and key. */
export interface MinuteRow {
  /** Minutes since 1970. */
  minute: number;
  model: string;
  key: string;
  totals: Totals;
}

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

export class Store {
  readonly #database: LogDatabase;

  /** Opens the file, and creates it if it does not exist. Throws as LogDatabase. */
  constructor(file: string) {
    this.#database = new LogDatabase(file, { version: VERSION, schema: SCHEMA });
  }

  /** Returns the places behind the last lines that the file has, in all logs. */
  places(): KnownPlace[] {
    return this.#database.places();
  }

  /** Writes all of it, or nothing. */
  write(
    log: string,
    position: LogPosition,
    minutes: Iterable<MinuteRow>,
    requests: readonly RequestRow[],
  ): void {
    this.#database.write(log, position, () => {
      for (const { minute, model, key, totals } of minutes) {
        this.#database
          .statement(PUT_MINUTE)
          .run(
            minute,
            model,
            key,
            ...COUNTS.map((name) => totals.counts[name]),
            ...TIMES.map((name) => totals.times[name].save()),
          );
      }
      const add = this.#database.statement(
        "INSERT INTO requests (id, ended, cost, line) VALUES (?, ?, ?, ?)",
      );
      for (const { id, ended, cost, line } of requests) add.run(id, ended, cost ?? null, line);
    });
  }

  /** Removes minutes and requests before a time, and the oldest of both above a number of rows. */
  prune(beforeSeconds: number, maxRequests: number, maxMinutes = MAX_MINUTES): void {
    this.#database.inTransaction(() => {
      this.#database
        .statement("DELETE FROM minutes WHERE minute < ?")
        .run(Math.floor(beforeSeconds / 60));
      // A minute goes with all its rows: without some of them its sums would be wrong.
      this.#database
        .statement(
          `DELETE FROM minutes WHERE minute <=
          (SELECT minute FROM minutes ORDER BY minute DESC LIMIT 1 OFFSET ?)`,
        )
        .run(maxMinutes);
      this.#database
        .statement("DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ?")
        .run(maxRequests);
      // Their order is that of their ends, so the search stops at the first recent one.
      this.#database
        .statement(
          `DELETE FROM requests WHERE number < coalesce(
          (SELECT number FROM requests WHERE ended >= ? ORDER BY number LIMIT 1),
          (SELECT max(number) + 1 FROM requests))`,
        )
        .run(beforeSeconds);
    });
  }

  /** Returns the sums from a minute on, oldest first, row by row; only those of a model or a key, if given. */
  *minutes(from: number, model?: string, key?: string): Generator<MinuteRow, void> {
    const rows = this.#database
      .statement(
        `SELECT * FROM minutes WHERE minute >= ?1
        AND (?2 IS NULL OR model = ?2) AND (?3 IS NULL OR key = ?3) ORDER BY minute`,
      )
      .iterate(from, model ?? null, key ?? null);
    for (const row of rows) yield minuteRow(row);
  }

  /** Returns the nano-dollars spent from a minute on. */
  costSince(from: number): number {
    const row = this.#database
      .statement("SELECT sum(cost) AS cost FROM minutes WHERE minute >= ?")
      .get(from);
    return Number(row?.["cost"] ?? 0);
  }

  /** Returns the sums of one minute, model and key. */
  minute(minute: number, model: string, key: string): MinuteRow | undefined {
    const row = this.#database
      .statement("SELECT * FROM minutes WHERE minute = ? AND model = ? AND key = ?")
      .get(minute, model, key);
    return row === undefined ? undefined : minuteRow(row);
  }

  /** Returns the newest requests that ended after a time, oldest first. */
  newest(limit: number, afterSeconds: number): RequestRow[] {
    return this.#database
      .statement(
        "SELECT * FROM (SELECT * FROM requests ORDER BY number DESC LIMIT ?) WHERE ended > ? ORDER BY number",
      )
      .all(limit, afterSeconds)
      .map(requestRow);
  }

  /** Returns the requests that ended at or after a time and before a place, the last that ended first. */
  before(
    { ended, number }: RequestPlace,
    fromSeconds: number,
    limit: number,
  ): (RequestRow & RequestPlace)[] {
    return this.#database
      .statement(
        `SELECT * FROM requests WHERE ended >= ? AND (ended, number) < (?, ?)
        ORDER BY ended DESC, number DESC LIMIT ?`,
      )
      .all(fromSeconds, ended, number, limit)
      .map((row) => ({ ...requestRow(row), number: Number(row["number"]) }));
  }

  /** Returns what has this request id, oldest first: a prompt and the calls of the model server share one. */
  withId(id: string, limit: number): RequestRow[] {
    return this.#database
      .statement("SELECT * FROM requests WHERE id = ? ORDER BY number LIMIT ?")
      .all(id, limit)
      .map(requestRow);
  }

  close(): void {
    this.#database.close();
  }
}

const PUT_MINUTE = `INSERT OR REPLACE INTO minutes VALUES (${Array.from(
  { length: 3 + COUNTS.length + TIMES.length },
  () => "?",
).join(", ")})`;

type Row = Record<string, unknown>;

function minuteRow(row: Row): MinuteRow {
  const totals = new Totals();
  for (const name of COUNTS) totals.counts[name] = Number(row[name]);
  for (const name of TIMES) totals.times[name].restore(String(row[name]));
  return {
    minute: Number(row["minute"]),
    model: String(row["model"]),
    key: String(row["key"]),
    totals,
  };
}

function requestRow(row: Row): RequestRow {
  return {
    id: String(row["id"]),
    ended: Number(row["ended"]),
    cost: row["cost"] === null ? undefined : Number(row["cost"]),
    line: String(row["line"]),
  };
}
