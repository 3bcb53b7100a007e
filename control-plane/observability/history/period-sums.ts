// Sums by hour and by day, which are kept longer than minutes and requests. What the page asks for is summed up when it is written:
// all requests, each model, each key, and by day each pair of both. So 30 days need a few thousand rows, whatever the traffic.
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { ObservedRequest } from "./observed-request.ts";
import { COUNTS, TIMES, Totals } from "./totals.ts";

export const HOUR_S = 3600;
export const DAY_S = 86_400;

/** Seconds of a period, by its word. Days are those of UTC. */
export const PERIODS = { hour: HOUR_S, day: DAY_S } as const;
export type Period = keyof typeof PERIODS;

/** What a row sums up: all requests, those of a model, of a key, of both, of a key's owner, of a group. */
type Kind = "all" | "model" | "key" | "pair" | "user" | "group";

/** Returns the model and the key of a row; undefined if the request belongs to none. A user or a group stands in place of a key. */
const NAMES: Readonly<Record<Kind, (request: ObservedRequest) => [string, string] | undefined>> = {
  all: () => ["", ""],
  model: ({ model }) => [model, ""],
  key: ({ key }) => ["", key],
  pair: ({ model, key }) => [model, key],
  user: ({ line }) => (line.record?.user === undefined ? undefined : ["", line.record.user]),
  group: ({ line }) => (line.record?.group === undefined ? undefined : ["", line.record.group]),
};

/** Pairs by hour would be more rows than all others together. */
const KINDS_OF: Readonly<Record<Period, readonly Kind[]>> = {
  hour: ["all", "model", "key"],
  day: ["all", "model", "key", "pair", "user", "group"],
};

export const PERIOD_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sums (
    period TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL, start INTEGER NOT NULL,
    ${COUNTS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    ${TIMES.map((name) => `${name} TEXT NOT NULL`).join(", ")},
    PRIMARY KEY (period, kind, model, key, start)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS sums_by_key ON sums (period, kind, key);
  CREATE INDEX IF NOT EXISTS sums_by_start ON sums (start);
`;

const PUT = `INSERT OR REPLACE INTO sums VALUES (${Array.from(
  { length: 5 + COUNTS.length + TIMES.length },
  () => "?",
).join(", ")})`;

export interface PeriodRow {
  /** Seconds since 1970. */
  start: number;
  /** Empty in a row that sums up all of them. */
  model: string;
  key: string;
  totals: Totals;
}

interface OwnRow extends PeriodRow {
  period: Period;
  kind: Kind;
}

type Row = Record<string, unknown>;

/** The sums that were added and not written. */
export class PeriodSums {
  readonly #rows = new Map<string, OwnRow>();
  #prunedDay = 0;

  add(request: ObservedRequest): void {
    for (const [period, seconds] of Object.entries(PERIODS) as [Period, number][]) {
      const start = Math.floor(request.ended / seconds) * seconds;
      for (const kind of KINDS_OF[period]) {
        const names = NAMES[kind](request);
        if (names === undefined) continue;
        const [model, key] = names;
        const name = [period, kind, model, key, start].join("\u0000");
        const row = this.#rows.get(name) ?? {
          ...{ period, kind, model, key, start },
          totals: new Totals(),
        };
        this.#rows.set(name, row);
        row.totals.add(request);
      }
    }
  }

  /** @param before removes what began before it, once a day. Seconds since 1970 */
  write(database: UsageDatabase, before: number): void {
    for (const row of this.#rows.values()) addRow(database, row);
    const day = Math.floor(before / DAY_S);
    if (day === this.#prunedDay) return;
    database.statement("DELETE FROM sums WHERE start < ?").run(day * DAY_S);
    this.#prunedDay = day;
  }

  clear(): void {
    this.#rows.clear();
  }
}

export interface PeriodQuery {
  period: Period;
  /** Seconds since 1970. */
  since: number;
  /** Only this model, or this key. */
  model?: string | undefined;
  key?: string | undefined;
  /** What each row is of; absent: one of all. A user and a group stand alone. */
  by?: "model" | "key" | "user" | "group";
}

/** Returns the rows. By hour, there are none of both a model and a key. */
export function readSums(
  database: UsageDatabase,
  { period, since, model, key, by }: PeriodQuery,
): PeriodRow[] {
  if (by === "user" || by === "group") return select(database, { period, since }, by);
  const hasModel = model !== undefined || by === "model";
  const hasKey = key !== undefined || by === "key";
  const kind: Kind = hasModel ? (hasKey ? "pair" : "model") : hasKey ? "key" : "all";
  return select(database, { period, since, model, key }, kind);
}

function select(
  database: UsageDatabase,
  { period, since, model, key }: PeriodQuery,
  kind: Kind,
): PeriodRow[] {
  const rows = database
    .statement(
      `SELECT * FROM sums WHERE period = ?1 AND kind = ?2 AND start >= ?3
      AND (?4 IS NULL OR model = ?4) AND (?5 IS NULL OR key = ?5)`,
    )
    .all(period, kind, since, model ?? null, key ?? null);
  return rows.map(rowOf);
}

/** Adds to the sums that the file has. */
function addRow(
  database: UsageDatabase,
  { period, kind, model, key, start, totals }: OwnRow,
): void {
  const found = database
    .statement(
      "SELECT * FROM sums WHERE period = ? AND kind = ? AND model = ? AND key = ? AND start = ?",
    )
    .get(period, kind, model, key, start);
  const sum = found === undefined ? new Totals() : rowOf(found).totals;
  sum.merge(totals);
  const counts = COUNTS.map((name) => sum.counts[name]);
  const times = TIMES.map((name) => sum.times[name].save());
  database.statement(PUT).run(period, kind, model, key, start, ...counts, ...times);
}

function rowOf(row: Row): PeriodRow {
  const totals = new Totals();
  for (const name of COUNTS) totals.counts[name] = Number(row[name]);
  for (const name of TIMES) totals.times[name].restore(String(row[name]));
  return {
    start: Number(row["start"]),
    model: String(row["model"]),
    key: String(row["key"]),
    totals,
  };
}
