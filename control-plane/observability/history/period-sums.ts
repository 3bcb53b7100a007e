// Sums by hour and by day, which are kept longer than minutes and requests. What the page asks for is summed up when it is written:
// all requests, each model, each key, and by day each pair of both. So a view needs a row per name and day, whatever the traffic.
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { ObservedRequest } from "./observed-request.ts";
import { COUNTS, TIMES, Totals } from "./totals.ts";

export const HOUR_S = 3600;
export const DAY_S = 86_400;

/** Seconds of a period, by its word. Days are those of UTC. */
const PERIODS = { hour: HOUR_S, day: DAY_S } as const;
export type Period = keyof typeof PERIODS;

/** What a row sums up: all requests, those of a model, of a key, of both, of a key's owner, of a group. */
export type Kind = "all" | "model" | "key" | "pair" | "user" | "group";

/** Returns the model and the key of each row that a request belongs to. A user or a group stands in place of a key. */
const NAMES: Readonly<Record<Kind, (request: ObservedRequest) => (readonly [string, string])[]>> = {
  all: () => [["", ""]],
  model: ({ model }) => [[model, ""]],
  key: ({ key }) => [["", key]],
  pair: ({ model, key }) => [[model, key]],
  user: ({ line }) => (line.record?.user === undefined ? [] : [["", line.record.user]]),
  // As the ledger counts them: a request counts for each of its groups.
  group: ({ line }) => line.record?.group?.split(",").map((name) => ["", name] as const) ?? [],
};

/** Pairs by hour would be more rows than all others together. */
const KINDS_OF: Readonly<Record<Period, readonly Kind[]>> = {
  hour: ["all", "model", "key"],
  day: ["all", "model", "key", "pair", "user", "group"],
};

// With counts in the indexes, names are ranked without the rows, which have three kilobytes of distributions.
export const PERIOD_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sums (
    period TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL, start INTEGER NOT NULL,
    ${COUNTS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    ${TIMES.map((name) => `${name} TEXT NOT NULL`).join(", ")},
    PRIMARY KEY (period, kind, model, key, start)
  ) WITHOUT ROWID;
  DROP INDEX IF EXISTS sums_by_key;
  DROP INDEX IF EXISTS sums_by_start;
  CREATE INDEX IF NOT EXISTS sums_since ON sums (period, kind, start, ${COUNTS.join(", ")});
  CREATE INDEX IF NOT EXISTS sums_of_model ON sums (period, kind, model, start, ${COUNTS.join(", ")});
  CREATE INDEX IF NOT EXISTS sums_of_key ON sums (period, kind, key, start);
`;

const PUT = `INSERT INTO sums VALUES (${Array.from(
  { length: 5 + COUNTS.length + TIMES.length },
  () => "?",
).join(", ")}) ON CONFLICT DO UPDATE SET
  ${[...COUNTS, ...TIMES].map((name) => `${name} = excluded.${name}`).join(", ")}`;

/** Views by hour are of at most 30 days. */
const HOURS_KEPT_S = 31 * DAY_S;

interface Row {
  period: Period;
  kind: Kind;
  /** Seconds since 1970. */
  start: number;
  /** Empty in a row that sums up all of them. */
  model: string;
  key: string;
  totals: Totals;
}

export interface PeriodsKept {
  /** Seconds since 1970. */
  now: number;
  keepSeconds: number;
  /** Rows of each period and kind. */
  maxRows: number;
}

/** The sums that were added and not written. */
export class PeriodSums {
  readonly #rows = new Map<string, Row>();
  #prunedDay = 0;

  add(request: ObservedRequest): void {
    for (const [period, seconds] of Object.entries(PERIODS) as [Period, number][]) {
      const start = Math.floor(request.ended / seconds) * seconds;
      for (const kind of KINDS_OF[period]) {
        for (const [model, key] of NAMES[kind](request)) {
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
  }

  /** Adds the sums to the file, and removes old ones once a day. */
  write(database: UsageDatabase, kept: PeriodsKept): void {
    for (const row of this.#rows.values()) addRow(database, row);
    const day = Math.floor(kept.now / DAY_S);
    if (day === this.#prunedDay) return;
    prune(database, kept);
    this.#prunedDay = day;
  }

  clear(): void {
    this.#rows.clear();
  }
}

/** A period goes with all its rows: without some of them its sums would be wrong. */
function prune(database: UsageDatabase, { now, keepSeconds, maxRows }: PeriodsKept): void {
  const from = {
    hour: now - Math.min(keepSeconds, HOURS_KEPT_S),
    day: now - keepSeconds,
  } satisfies Record<Period, number>;
  for (const period of Object.keys(PERIODS) as Period[]) {
    const before = Math.floor(from[period] / DAY_S) * DAY_S;
    for (const kind of KINDS_OF[period]) {
      database
        .statement("DELETE FROM sums WHERE period = ? AND kind = ? AND start < ?")
        .run(period, kind, before);
      database
        .statement(
          `DELETE FROM sums WHERE period = ?1 AND kind = ?2 AND start <= (SELECT start FROM sums
          WHERE period = ?1 AND kind = ?2 ORDER BY start DESC LIMIT 1 OFFSET ?3)`,
        )
        .run(period, kind, maxRows);
    }
  }
}

/** Adds to the sums that the file has. */
function addRow(database: UsageDatabase, { period, kind, model, key, start, totals }: Row): void {
  const found = database
    .statement(
      "SELECT * FROM sums WHERE period = ? AND kind = ? AND model = ? AND key = ? AND start = ?",
    )
    .get(period, kind, model, key, start);
  if (found !== undefined) totals.addRow(found);
  const counts = COUNTS.map((name) => totals.counts[name]);
  const times = TIMES.map((name) => totals.times[name].save());
  database.statement(PUT).run(period, kind, model, key, start, ...counts, ...times);
}
