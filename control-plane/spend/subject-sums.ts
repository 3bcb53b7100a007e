// What was spent on a UTC day by groups and users, as the usage records name them: a request counts for each of its groups.
import type { UsageDatabase } from "../usage/usage-database.ts";
import type { UsageRecord } from "../usage/usage-line.ts";
import { type Cell, dayOf, SUMS } from "./cell.ts";

/** A key, a group or a user. */
export interface Subject {
  kind: string;
  name: string;
}

export interface SubjectSum extends Record<(typeof SUMS)[number], number> {
  /** UTC days since 1970. */
  day: number;
  kind: "group" | "user";
  name: string;
}

export const SUBJECTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS subjects (
    day INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    ${SUMS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    PRIMARY KEY (kind, name, day)
  ) WITHOUT ROWID;
`;

const ADD = `INSERT INTO subjects VALUES (?, ?, ?, ${SUMS.map(() => "?").join(", ")})
  ON CONFLICT DO UPDATE SET ${SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`;
// As floating-point numbers, as those of cells.
const COLUMNS = `day, kind, name, ${SUMS.map((name) => `CAST(${name} AS REAL) AS ${name}`).join(", ")}`;

/** Sums that were not written yet. */
export class SubjectSums {
  readonly #sums = new Map<string, SubjectSum>();

  /** Adds a request. @param cell what it has used */
  add(record: UsageRecord, cell: Cell): void {
    const { group, user } = record;
    const sums = Object.fromEntries(SUMS.map((sum) => [sum, cell[sum]])) as Pick<
      Cell,
      (typeof SUMS)[number]
    >;
    const { day } = cell;
    for (const name of group?.split(",") ?? []) this.addSum({ day, ...sums, kind: "group", name });
    if (user !== undefined) this.addSum({ day, ...sums, kind: "user", name: user });
  }

  all(): SubjectSum[] {
    return [...this.#sums.values()];
  }

  addSum(sum: SubjectSum): void {
    const id = [sum.day, sum.kind, sum.name].join("\u0000");
    const found = this.#sums.get(id);
    if (found === undefined) this.#sums.set(id, sum);
    else for (const name of SUMS) found[name] += sum[name];
  }
}

export function addSubjects(database: UsageDatabase, sums: Iterable<SubjectSum>): void {
  const add = database.statement(ADD);
  for (const sum of sums) add.run(sum.day, sum.kind, sum.name, ...SUMS.map((name) => sum[name]));
}

/** Returns the sums of the days from a time on, oldest first. */
export function subjectsSince(database: UsageDatabase, time: number): SubjectSum[] {
  const rows = database
    .statement(`SELECT ${COLUMNS} FROM subjects WHERE day >= ? ORDER BY day, kind, name`)
    .all(dayOf(time));
  return rows.map((row) => ({
    day: Number(row["day"]),
    kind: row["kind"] === "user" ? "user" : "group",
    name: String(row["name"]),
    ...(Object.fromEntries(SUMS.map((name) => [name, Number(row[name])])) as Record<
      (typeof SUMS)[number],
      number
    >),
  }));
}

/**
 * Returns the nano-dollars that keys, groups and users have spent since a time, each by its kind and name: `key research`. One query
 * for all of them, because there may be a hundred thousand.
 */
export function spentBySubject(database: UsageDatabase, time: number): Map<string, number> {
  const rows = database
    .statement(
      `SELECT 'key ' || key AS subject, CAST(sum(cost) AS REAL) AS cost FROM cells WHERE day >= ?1 GROUP BY key
      UNION ALL
      SELECT kind || ' ' || name, CAST(sum(cost) AS REAL) FROM subjects WHERE day >= ?1 GROUP BY kind, name`,
    )
    .all(dayOf(time));
  return new Map(rows.map((row) => [String(row["subject"]), Number(row["cost"])]));
}

/** Returns the nano-dollars that one of them has spent since a time. */
export function spentOfSubject(
  database: UsageDatabase,
  time: number,
  { kind, name }: Subject,
): number {
  const row =
    kind === "key"
      ? database
          .statement("SELECT CAST(sum(cost) AS REAL) AS cost FROM cells WHERE key = ? AND day >= ?")
          .get(name, dayOf(time))
      : database
          .statement(
            "SELECT CAST(sum(cost) AS REAL) AS cost FROM subjects WHERE kind = ? AND name = ? AND day >= ?",
          )
          .get(kind, name, dayOf(time));
  return Number(row?.["cost"] ?? 0);
}
