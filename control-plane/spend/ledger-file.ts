// The SQLite file of what was spent: sums by UTC day, client key and model, and the place in access_usage.log that they reach.
import { randomBytes } from "node:crypto";
import type { KnownPlace } from "../log-files/known-place.ts";
import { LogDatabase } from "../log-files/log-database.ts";
import type { LogPosition } from "../log-files/log-files.ts";
import { type Cell, SUMS } from "./cell.ts";

/** Name of the file in the state directory. */
export const LEDGER_FILE = "spend.db";
/** Format of the file. */
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE cells (
    day INTEGER NOT NULL, key TEXT NOT NULL, target TEXT NOT NULL,
    ${SUMS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    PRIMARY KEY (day, key, target)
  ) WITHOUT ROWID;
  CREATE TABLE gateway (id TEXT NOT NULL);
`;

// As floating-point numbers: exact up to nine million dollars, and never too large to be read.
const COLUMNS = `day, key, target, ${SUMS.map((name) => `CAST(${name} AS REAL) AS ${name}`).join(", ")}`;

const ADD = `INSERT INTO cells VALUES (?, ?, ?, ${SUMS.map(() => "?").join(", ")})
  ON CONFLICT DO UPDATE SET ${SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`;

/** Which cells are summed: all, or those of a key or a model. */
export interface CellFilter {
  key?: string;
  target?: string;
}

export class LedgerFile {
  readonly #database: LogDatabase;

  /** Opens the file, and creates it if it does not exist, unless it is only read. Throws as LogDatabase. */
  constructor(file: string, { isReadOnly = false } = {}) {
    this.#database = new LogDatabase(file, { version: VERSION, schema: SCHEMA, isReadOnly });
  }

  /** Returns 16 hexadecimal digits that stand for this file, and with it for this gateway, where several gateways share. */
  id(): string {
    const found = this.#database.statement("SELECT id FROM gateway").get();
    if (found !== undefined) return String(found["id"]);
    const id = randomBytes(8).toString("hex");
    this.#database.statement("INSERT INTO gateway VALUES (?)").run(id);
    return id;
  }

  /** Returns the places behind the last lines that are in the sums, in all logs. */
  places(): KnownPlace[] {
    return this.#database.places();
  }

  /** Adds what was read of a log up to a position: all of it, or nothing. */
  add(log: string, position: LogPosition, cells: Iterable<Cell>): void {
    this.#database.write(log, position, () => {
      const add = this.#database.statement(ADD);
      for (const cell of cells) {
        add.run(cell.day, cell.key, cell.target, ...SUMS.map((name) => cell[name]));
      }
    });
  }

  /** Returns the nano-dollars spent from a UTC day on. */
  spentSince(day: number, { key, target }: CellFilter = {}): number {
    const row = this.#database
      .statement(
        `SELECT CAST(coalesce(sum(cost), 0) AS REAL) AS cost FROM cells
          WHERE day >= ?1 AND (?2 IS NULL OR key = ?2) AND (?3 IS NULL OR target = ?3 OR substr(target, 1, length(?3) + 1) = ?3 || ' ')`,
      )
      .get(day, key ?? null, target ?? null);
    return Number(row?.["cost"]);
  }

  /** Returns the cells from a UTC day on, oldest first. */
  *cellsSince(day: number, beforeDay = Number.MAX_SAFE_INTEGER): Generator<Cell, void> {
    const rows = this.#database
      .statement(
        `SELECT ${COLUMNS} FROM cells WHERE day >= ? AND day < ? ORDER BY day, key, target`,
      )
      .iterate(day, beforeDay);
    for (const row of rows) yield cellOf(row);
  }

  cell({ day, key, target }: Pick<Cell, "day" | "key" | "target">): Cell | undefined {
    const row = this.#database
      .statement(`SELECT ${COLUMNS} FROM cells WHERE day = ? AND key = ? AND target = ?`)
      .get(day, key, target);
    return row === undefined ? undefined : cellOf(row);
  }

  /** Runs queries on one state of the file. */
  read<Result>(work: () => Result): Result {
    const result: Result[] = [];
    this.#database.inTransaction(() => result.push(work()), "DEFERRED");
    return result[0] as Result;
  }

  close(): void {
    this.#database.close();
  }
}

function cellOf(row: Record<string, unknown>): Cell {
  const sums = Object.fromEntries(SUMS.map((name) => [name, Number(row[name])]));
  return {
    day: Number(row["day"]),
    key: String(row["key"]),
    target: String(row["target"]),
    ...(sums as Record<(typeof SUMS)[number], number>),
  };
}
