// The history as the page shows it: points of a chart, and sums by model and by key.
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { History } from "./history.ts";
import { DAY_S, HOUR_S, PERIODS } from "./period-sums.ts";
import type { Period } from "./period-sums.ts";
import { addPeriods, type NamedCounts, readNames } from "./read-periods.ts";
import type { PeriodFilter, Subject } from "./read-periods.ts";
import { TIMES, Totals } from "./totals.ts";
import type { Time, TotalsReport } from "./totals.ts";

interface RangeRow {
  seconds: number;
  /** It ends with the period of so many seconds that is not over. Longer ranges have days of UTC. */
  align: number;
  /** Seconds of a point, and the period whose rows it sums up. */
  step: number;
  points: Period;
  /** The period whose rows are summed up by name, and the one of rows of both a model and a key. */
  names: Period;
  pairs: Period;
}

/** The ranges that can be chosen. By names, a range reads at most a hundred rows of each. */
export const RANGES = {
  "1h": { seconds: HOUR_S, align: 60, step: 60, ...of("minute", "minute", "minute") },
  "6h": { seconds: 6 * HOUR_S, align: 900, step: 300, ...of("minute", "quarter", "quarter") },
  "24h": { seconds: DAY_S, align: HOUR_S, step: 900, ...of("quarter", "hour", "quarter") },
  "7d": { seconds: 7 * DAY_S, align: DAY_S, step: HOUR_S, ...of("hour", "day", "day") },
  "30d": { seconds: 30 * DAY_S, align: DAY_S, step: 6 * HOUR_S, ...of("hour", "day", "day") },
  "90d": { seconds: 90 * DAY_S, align: DAY_S, step: DAY_S, ...of("day", "day", "day") },
} as const satisfies Readonly<Record<string, RangeRow>>;
export type Range = keyof typeof RANGES;

function of(points: Period, names: Period, pairs: Period) {
  return { points, names, pairs };
}

/** Names that a range has, and how many of them have times. Its total has all requests. */
const MAX_NAMES = 1_000;
const MAX_TIMED = 100;

export interface SummaryQuery {
  range: Range;
  /** Only this model, or this key. */
  model?: string | undefined;
  key?: string | undefined;
}

type Named = TotalsReport & { name: string };

/** What the page shows of a range. */
export interface Summary {
  range: Range;
  /** Seconds since 1970, and of one point. */
  from: number;
  step: number;
  points: ReturnType<typeof columnsOf>;
  total: TotalsReport;
  models: Named[];
  keys: Named[];
  problem: string | undefined;
}

/** Returns points and sums of a range that ends now. */
export function summaryOf(
  history: History,
  { range, model, key }: SummaryQuery,
  nowSeconds: number,
): Summary {
  const { seconds, align, pairs, ...usual } = RANGES[range];
  const isPair = model !== undefined && key !== undefined;
  const period = isPair ? pairs : usual.points;
  const step = Math.max(usual.step, PERIODS[period]);
  const since = Math.floor(nowSeconds / align) * align + align - seconds;
  const points = Array.from({ length: seconds / step }, () => new Totals());
  const filter = { since, model, key };
  const total = new Totals();
  const names = history.overPeriods((database) => {
    const pointAt = (start: number) => points[Math.floor((start - since) / step)];
    addPeriods(database, { period, ...filter }, TIMES, pointAt);
    for (const point of points) total.merge(point);
    // A filter by the other makes the rows those of pairs.
    const of = (by: "model" | "key", other: string | undefined) => ({
      by,
      ...filter,
      period: other === undefined ? usual.names : pairs,
    });
    return {
      models: named(database, of("model", key), ["firstToken", "duration", "rate"]),
      keys: named(database, of("key", model), ["firstToken", "duration"]),
    };
  });
  return {
    ...{ range, from: since, step },
    points: columnsOf(points),
    total: total.report(),
    ...(names ?? { models: [], keys: [] }),
    problem: history.problem,
  };
}

/** Returns the names with the highest cost; the first ones have times, which take longer to read. */
function named(
  database: UsageDatabase,
  query: PeriodFilter & { period: Period; by: "model" | "key" },
  times: readonly Time[],
): Named[] {
  return readNames(database, { ...query, limit: MAX_NAMES }).map((counts, at) => {
    const totals = new Totals();
    if (at < MAX_TIMED)
      addPeriods(database, { ...query, [query.by]: counts.name }, times, () => totals);
    return { ...totals.report(), ...counts };
  });
}

/**
 * What was spent, by key, by the owner of keys, or by group, over days of UTC that end today.
 * @param names absent: all
 */
export function spendBy(
  history: History,
  query: { by: Exclude<Subject, "model">; days: number; names?: readonly string[] | undefined },
  nowSeconds: number,
): NamedCounts[] {
  const { days, ...more } = query;
  const since = (Math.floor(nowSeconds / DAY_S) - days + 1) * DAY_S;
  return (
    history.overPeriods((database) => readNames(database, { period: "day", since, ...more })) ?? []
  );
}

/** Returns the nano-dollars of this hour and of today, by the clock of this machine. */
export function spentSince(history: History, nowSeconds: number): { hour: number; today: number } {
  const now = new Date(nowSeconds * 1000);
  const hour = now.setMinutes(0, 0, 0) / 1000;
  const today = now.setHours(0) / 1000;
  return { hour: history.costSince(hour), today: history.costSince(today) };
}

/** Columns of the charts. */
function columnsOf(points: readonly Totals[]) {
  const reports = points.map((point) => point.report());
  return {
    requests: reports.map(({ requests }) => requests),
    errors: reports.map(({ errors }) => errors),
    input: reports.map(({ input }) => input),
    cached: reports.map(({ cached }) => cached),
    output: reports.map(({ output }) => output),
    cost: reports.map(({ cost }) => cost),
    firstToken50: reports.map(({ firstToken }) => firstToken.p50 ?? null),
    firstToken95: reports.map(({ firstToken }) => firstToken.p95 ?? null),
  };
}
