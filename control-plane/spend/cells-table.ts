// The tables of what was spent in usage.db: sums by UTC day, client key and model, and the id of the gateway.
import { randomBytes } from "node:crypto";
import type { Budget } from "../../model/budgets.ts";
import type { UsageDatabase } from "../usage/usage-database.ts";
import { type Cell, dayOf, SUMS } from "./cell.ts";
import {
  spentBySubject,
  spentOfSubject,
  type Subject,
  SUBJECTS_SCHEMA,
  type SubjectSum,
  subjectsSince,
} from "./subject-sums.ts";

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS cells (
    day INTEGER NOT NULL, key TEXT NOT NULL, target TEXT NOT NULL,
    ${SUMS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    PRIMARY KEY (day, key, target)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS cells_of_key ON cells (key, day);
  CREATE TABLE IF NOT EXISTS gateway (id TEXT NOT NULL);
  ${SUBJECTS_SCHEMA}
`;

// As floating-point numbers: exact up to nine million dollars, and never too large to be read.
const COLUMNS = `day, key, target, ${SUMS.map((name) => `CAST(${name} AS REAL) AS ${name}`).join(", ")}`;

const ADD = `INSERT INTO cells VALUES (?, ?, ?, ${SUMS.map(() => "?").join(", ")})
  ON CONFLICT DO UPDATE SET ${SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`;

/** Runs a query of the file; returns undefined while it cannot be used. */
type Query = <Result>(work: (database: UsageDatabase) => Result) => Result | undefined;

export class CellsTable {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** 16 hexadecimal digits that stand for the file, and with it for this gateway; undefined while the file cannot be used. */
  get id(): string | undefined {
    return this.#query(gatewayId);
  }

  /** Returns the nano-dollars spent on a budget's subject since a time; undefined while the file cannot be used. */
  spentSince(time: number, { subject }: Pick<Budget, "subject">): number | undefined {
    // They are in key-tallies.ts, by the sums of all of them.
    if (subject !== "all" && ("group" in subject || "user" in subject)) return 0;
    const { key, target }: { key?: string; target?: string } = subject === "all" ? {} : subject;
    const row = this.#query((database) =>
      database
        .statement(
          `SELECT CAST(coalesce(sum(cost), 0) AS REAL) AS cost FROM cells
          WHERE day >= ?1 AND (?2 IS NULL OR key = ?2) AND (?3 IS NULL OR target = ?3 OR substr(target, 1, length(?3) + 1) = ?3 || ' ')`,
        )
        .get(dayOf(time), key ?? null, target ?? null),
    );
    return row && Number(row["cost"]);
  }

  /** Returns the cells of the days from a time on, oldest first. */
  cellsSince(time: number, before?: number): Cell[] {
    const query = `SELECT ${COLUMNS} FROM cells WHERE day >= ? AND day < ? ORDER BY day, key, target`;
    const end = before === undefined ? Number.MAX_SAFE_INTEGER : dayOf(before);
    const rows = this.#query((database) => database.statement(query).all(dayOf(time), end));
    return (rows ?? []).map(cellOf);
  }

  /** Returns the sums of groups and users of the days from a time on, oldest first. */
  subjectsSince(time: number): SubjectSum[] {
    return this.#query((database) => subjectsSince(database, time)) ?? [];
  }

  /** Returns what keys, groups and users have spent since a time; undefined while the file cannot be used. */
  spentBySubject(time: number): Map<string, number> | undefined {
    return this.#query((database) => spentBySubject(database, time));
  }

  /** Returns what a key, a group or a user has spent since a time; undefined while the file cannot be used. */
  spentOfSubject(time: number, subject: Subject): number | undefined {
    return this.#query((database) => spentOfSubject(database, time, subject));
  }

  /** Returns the sums of a cell as the file has them. */
  cell({ day, key, target }: Pick<Cell, "day" | "key" | "target">): Cell | undefined {
    const query = `SELECT ${COLUMNS} FROM cells WHERE day = ? AND key = ? AND target = ?`;
    const row = this.#query((database) => database.statement(query).get(day, key, target));
    return row && cellOf(row);
  }
}

/** Returns the id, which a new file gets. */
export function gatewayId(database: UsageDatabase): string {
  const found = database.statement("SELECT id FROM gateway").get();
  if (found !== undefined) return String(found["id"]);
  const id = randomBytes(8).toString("hex");
  database.statement("INSERT INTO gateway VALUES (?)").run(id);
  return id;
}

export function addCells(database: UsageDatabase, cells: Iterable<Cell>): void {
  const add = database.statement(ADD);
  for (const cell of cells) {
    add.run(cell.day, cell.key, cell.target, ...SUMS.map((name) => cell[name]));
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
