// Reads the sums by period. Names are ranked by SQLite; distributions, which have to be parsed, are read only of the names that
// are shown.
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { Kind, Period } from "./period-sums.ts";
import { type Count, COUNTS, type Time, type Totals } from "./totals.ts";

/** Which requests: since a time in seconds, and only those of a model, or of a key. */
export interface PeriodFilter {
  since: number;
  model?: string | undefined;
  key?: string | undefined;
}

/**
 * Adds the sums of all requests that fit. By hour, there are none of both a model and a key.
 * @param totalsAt returns what the row of a start is added to
 */
export function addPeriods(
  database: UsageDatabase,
  { period, since, model, key }: PeriodFilter & { period: Period },
  times: readonly Time[],
  totalsAt: (start: number) => Totals | undefined,
): void {
  const hasModel = model !== undefined;
  const kind: Kind = key === undefined ? (hasModel ? "model" : "all") : hasModel ? "pair" : "key";
  const rows = database
    .statement(
      `SELECT ${["start", ...COUNTS, ...times].join(", ")} FROM sums
      WHERE period = ? AND kind = ? AND model = ? AND key = ? AND start >= ?`,
    )
    .all(period, kind, model ?? "", key ?? "", since);
  for (const row of rows) totalsAt(Number(row["start"]))?.addRow(row, times);
}

/** What a row of a table is of. Users and groups cannot be filtered. */
export type Subject = "model" | "key" | "user" | "group";

export type NamedCounts = Record<Count, number> & { name: string };

export interface NamesQuery extends PeriodFilter {
  period: Period;
  by: Subject;
  /** Only these. */
  names?: readonly string[] | undefined;
  limit?: number;
}

const SUMS = COUNTS.map((name) => `CAST(sum(${name}) AS REAL) AS ${name}`).join(", ");

/** Returns the sums by name, those with the highest cost first. */
export function readNames(database: UsageDatabase, query: NamesQuery): NamedCounts[] {
  const { column, kind, filter, values } = namesOf(query);
  const { names, limit = -1 } = query;
  const own = names === undefined ? "" : `AND ${column} IN (SELECT value FROM json_each(?))`;
  const rows = database
    .statement(
      `SELECT ${column} AS name, ${SUMS} FROM sums WHERE period = ? AND kind = ? AND start >= ? ${filter} ${own}
      GROUP BY ${column} ORDER BY sum(cost) DESC, sum(calls) DESC, ${column} LIMIT ?`,
    )
    .all(
      ...[query.period, kind, query.since, ...values],
      ...(names === undefined ? [] : [JSON.stringify(names)]),
      limit,
    );
  return rows.map((row) => ({
    name: String(row["name"]),
    ...(Object.fromEntries(COUNTS.map((name) => [name, Number(row[name])])) as Record<
      Count,
      number
    >),
  }));
}

/** Returns the column with the names, the kind of their rows, and what chooses among these. */
function namesOf({ by, model, key }: NamesQuery) {
  const column = by === "model" ? "model" : "key";
  if (by === "user" || by === "group") return { column, kind: by, filter: "", values: [] };
  const chosen = [
    ["model", model],
    ["key", key],
  ].filter((one): one is [string, string] => one[1] !== undefined);
  // The other's name makes it a row of a pair, the own name does not.
  const kind: Kind = chosen.some(([name]) => name !== by) ? "pair" : by;
  return {
    ...{ column, kind },
    filter: chosen.map(([name]) => `AND ${name} = ?`).join(" "),
    values: chosen.map(([, value]) => value),
  };
}
