// Sums by minute, quarter of an hour, hour and day. What the page asks for is summed up when it is written: all requests, each model,
// each key, and pairs of both. So a view needs a row per name and period, whatever the traffic, and a range has at most a hundred of
// its periods. A period is kept as long as the ranges that read it.
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { ObservedRequest } from "./observed-request.ts";
import { COUNTS, TIMES, Totals } from "./totals.ts";

export const HOUR_S = 3600;
export const DAY_S = 86_400;

/** Seconds of a period, by its word. Days are those of UTC. */
export const PERIODS = { minute: 60, quarter: 900, hour: HOUR_S, day: DAY_S } as const;
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

/**
 * Seconds that rows of a kind are kept: those of the range that reads them, and one period more. Pairs by minute are most of the
 * rows, and by hour they would be more than all others of that period.
 */
export const KEPT_S: Readonly<Record<Period, Partial<Record<Kind, number>>>> = {
  minute: { all: 7 * HOUR_S, model: 7 * HOUR_S, key: 7 * HOUR_S, pair: 2 * HOUR_S },
  // A day has 25 hours when the clock is set back.
  quarter: { all: 26 * HOUR_S, model: 26 * HOUR_S, key: 26 * HOUR_S, pair: 26 * HOUR_S },
  hour: { all: 31 * DAY_S, model: 31 * DAY_S, key: 31 * DAY_S },
  day: {
    ...{ all: Infinity, model: Infinity, key: Infinity, pair: Infinity },
    ...{ user: Infinity, group: Infinity },
  },
};

const PERIOD_WORDS = Object.keys(PERIODS) as Period[];
const kindsOf = (period: Period) => Object.entries(KEPT_S[period]) as [Kind, number][];

/** Periods whose old rows are removed each minute; those of the others are removed once a day. */
const SHORT: readonly Period[] = ["minute", "quarter"];

// With counts in the indexes, names are ranked without the rows, which have three kilobytes of distributions.
export const PERIOD_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sums (
    period TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL, start INTEGER NOT NULL,
    ${COUNTS.map((name) => `${name} INTEGER NOT NULL`).join(", ")},
    ${TIMES.map((name) => `${name} TEXT NOT NULL`).join(", ")},
    PRIMARY KEY (period, kind, model, key, start)
  ) WITHOUT ROWID;
  DROP TABLE IF EXISTS minutes;
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

interface SumsRow {
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
  readonly #rows = new Map<string, SumsRow>();
  /** Number of the last day and minute in which old rows were removed. */
  #pruned = { day: 0, minute: 0 };

  /** @param now seconds since 1970: of a request that is read late, only the periods that are still kept are summed up */
  add(request: ObservedRequest, now: number): void {
    for (const period of PERIOD_WORDS) {
      const seconds = PERIODS[period];
      const start = Math.floor(request.ended / seconds) * seconds;
      for (const [kind, kept] of kindsOf(period)) {
        if (now - start > kept) continue;
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

  /** Adds the sums to the file, and removes old ones. */
  write(database: UsageDatabase, kept: PeriodsKept): void {
    for (const row of this.#rows.values()) addRow(database, row);
    const day = Math.floor(kept.now / DAY_S);
    const minute = Math.floor(kept.now / 60);
    if (minute === this.#pruned.minute) return;
    for (const period of PERIOD_WORDS)
      if (SHORT.includes(period) || day !== this.#pruned.day) prune(database, period, kept);
    this.#pruned = { day, minute };
  }

  clear(): void {
    this.#rows.clear();
  }
}

/** Removes a period's old rows. A period goes with all its rows: without some of them its sums would be wrong. */
function prune(
  database: UsageDatabase,
  period: Period,
  { now, keepSeconds, maxRows }: PeriodsKept,
): void {
  const unit = SHORT.includes(period) ? PERIODS[period] : DAY_S;
  for (const [kind, kept] of kindsOf(period)) {
    const before = Math.floor((now - Math.min(keepSeconds, kept)) / unit) * unit;
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

/** Adds to the sums that the file has. The row stays what was added: a transaction that fails is tried again. */
function addRow(
  database: UsageDatabase,
  { period, kind, model, key, start, totals }: SumsRow,
): void {
  const found = database
    .statement(
      "SELECT * FROM sums WHERE period = ? AND kind = ? AND model = ? AND key = ? AND start = ?",
    )
    .get(period, kind, model, key, start);
  const sum = new Totals();
  if (found !== undefined) sum.addRow(found);
  sum.merge(totals);
  const counts = COUNTS.map((name) => sum.counts[name]);
  const times = TIMES.map((name) => sum.times[name].save());
  database.statement(PUT).run(period, kind, model, key, start, ...counts, ...times);
}
