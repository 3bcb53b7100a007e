// The history as the page shows it: points of a chart, and sums by model and by key.
import type { UsageDatabase } from "../../usage/usage-database.ts";
import type { History, MinuteRow } from "./history.ts";
import { DAY_S, HOUR_S } from "./period-sums.ts";
import { addPeriods, type NamedCounts, readNames } from "./read-periods.ts";
import type { PeriodFilter, Subject } from "./read-periods.ts";
import { Totals } from "./totals.ts";
import type { Time, TotalsReport } from "./totals.ts";

/** The ranges that are summed up from minutes, with the minutes of one point. */
const MINUTE_RANGES = {
  "1h": { minutes: 60, step: 1 },
  "6h": { minutes: 360, step: 5 },
  "24h": { minutes: 1440, step: 15 },
} as const;

/** The longer ones, in days of UTC, with the period that is read and the seconds of one point. */
const DAY_RANGES = {
  "7d": { days: 7, period: "hour", step: HOUR_S },
  "30d": { days: 30, period: "hour", step: 6 * HOUR_S },
  "90d": { days: 90, period: "day", step: DAY_S },
} as const;

/** Names that a long range has, and how many of them have times. Its total has all requests. */
const MAX_NAMES = 1_000;
const MAX_TIMED = 100;

/** The ranges that can be chosen. */
export const RANGES = { ...MINUTE_RANGES, ...DAY_RANGES };
export type Range = keyof typeof RANGES;

export interface SummaryQuery {
  range: Range;
  /** Only this model, or this key. */
  model?: string | undefined;
  key?: string | undefined;
}

/** Sums of a model and a key over the range: few, whatever the number of minutes. */
type Pair = Omit<MinuteRow, "minute">;

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
export function summaryOf(history: History, query: SummaryQuery, nowSeconds: number): Summary {
  const { range } = query;
  return isOfMinutes(range)
    ? minuteSummary(history, { ...query, range }, nowSeconds)
    : daySummary(history, { ...query, range }, nowSeconds);
}

function isOfMinutes(range: Range): range is keyof typeof MINUTE_RANGES {
  return Object.hasOwn(MINUTE_RANGES, range);
}

/** Reads the rows that are summed up already: of a model and a key together there are days only. */
function daySummary(
  history: History,
  { range, model, key }: SummaryQuery & { range: keyof typeof DAY_RANGES },
  nowSeconds: number,
): Summary {
  const { days, period: usual, step: usualStep } = DAY_RANGES[range];
  const isPair = model !== undefined && key !== undefined;
  const [period, step] = isPair ? (["day", DAY_S] as const) : ([usual, usualStep] as const);
  const since = (Math.floor(nowSeconds / DAY_S) - days + 1) * DAY_S;
  const points = Array.from({ length: (days * DAY_S) / step }, () => new Totals());
  const filter = { since, model, key };
  const total = new Totals();
  const names = history.overPeriods((database) => {
    const pointAt = (start: number) => points[Math.floor((start - since) / step)];
    addPeriods(database, { period, ...filter }, ["firstToken"], pointAt);
    for (const point of points) total.merge(point);
    return {
      models: namedOfDays(database, { by: "model", ...filter }, ["firstToken", "duration", "rate"]),
      keys: namedOfDays(database, { by: "key", ...filter }, ["firstToken", "duration"]),
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
function namedOfDays(
  database: UsageDatabase,
  query: PeriodFilter & { by: "model" | "key" },
  times: readonly Time[],
): Named[] {
  return readNames(database, { ...query, limit: MAX_NAMES }).map((counts, at) => {
    const totals = new Totals();
    if (at < MAX_TIMED)
      addPeriods(
        database,
        { period: "day", ...query, [query.by]: counts.name },
        times,
        () => totals,
      );
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
  return history.overPeriods((database) => readNames(database, { since, ...more })) ?? [];
}

function minuteSummary(
  history: History,
  { range, model, key }: SummaryQuery & { range: keyof typeof MINUTE_RANGES },
  nowSeconds: number,
): Summary {
  const { minutes, step } = MINUTE_RANGES[range];
  // The last point has the minute that is not over.
  const end = Math.floor(nowSeconds / 60 / step) * step + step;
  const from = end - minutes;
  const add = (rows: Iterable<MinuteRow>) => {
    const points = Array.from({ length: minutes / step }, () => new Totals());
    const pairs = new Map<string, Pair>();
    for (const row of rows) {
      points[Math.floor((row.minute - from) / step)]?.merge(row.totals);
      pairOf(pairs, row).totals.merge(row.totals);
    }
    return { points, sums: [...pairs.values()] };
  };
  const { points, sums } = history.overMinutes({ since: from * 60, model, key }, add) ?? add([]);
  return {
    range,
    from: from * 60,
    step: step * 60,
    points: columnsOf(points),
    total: sumOf(sums).report(),
    models: named(sums, (pair) => pair.model),
    keys: named(sums, (pair) => pair.key),
    problem: history.problem,
  };
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

function pairOf(pairs: Map<string, Pair>, { model, key }: MinuteRow): Pair {
  const name = `${model}\u0000${key}`;
  const found = pairs.get(name) ?? { model, key, totals: new Totals() };
  pairs.set(name, found);
  return found;
}

function named<Row extends { totals: Totals }>(
  pairs: readonly Row[],
  nameOf: (pair: Row) => string,
): Named[] {
  const groups = Map.groupBy(pairs, nameOf);
  return [...groups]
    .map(([name, own]) => ({ name, ...sumOf(own).report() }))
    .sort((one, other) => other.cost - one.cost || other.calls - one.calls);
}

function sumOf(pairs: readonly { totals: Totals }[]): Totals {
  const sum = new Totals();
  for (const { totals } of pairs) sum.merge(totals);
  return sum;
}
