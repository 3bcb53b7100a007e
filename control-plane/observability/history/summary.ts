// The history as the page shows it: points of a chart, and sums by model and by key.
import type { History } from "./history.ts";
import type { MinuteRow } from "./store.ts";
import { Totals } from "./totals.ts";
import type { TotalsReport } from "./totals.ts";

/** The ranges that can be chosen, with the minutes of one point. */
export const RANGES = {
  "1h": { minutes: 60, step: 1 },
  "6h": { minutes: 360, step: 5 },
  "24h": { minutes: 1440, step: 15 },
} as const;
export type Range = keyof typeof RANGES;

export interface SummaryQuery {
  range: Range;
  /** Only this model, or this key. */
  model?: string | undefined;
  key?: string | undefined;
}

export type Named = TotalsReport & { name: string };

/** Returns points and sums of a range that ends now. */
export function summaryOf(
  history: History,
  { range, model, key }: SummaryQuery,
  nowSeconds: number,
) {
  const { minutes, step } = RANGES[range];
  // The last point has the minute that is not over.
  const end = Math.floor(nowSeconds / 60 / step) * step + step;
  const from = end - minutes;
  const rows = history
    .minutesSince(from * 60)
    .filter((row) => (model ?? row.model) === row.model && (key ?? row.key) === row.key);
  const points = Array.from({ length: minutes / step }, () => new Totals());
  for (const row of rows) points[Math.floor((row.minute - from) / step)]?.merge(row.totals);
  return {
    range,
    from: from * 60,
    step: step * 60,
    points: columnsOf(points),
    total: sumOf(rows).report(),
    models: named(rows, (row) => row.model),
    keys: named(rows, (row) => row.key),
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

function named(rows: readonly MinuteRow[], nameOf: (row: MinuteRow) => string): Named[] {
  const groups = Map.groupBy(rows, nameOf);
  return [...groups]
    .map(([name, own]) => ({ name, ...sumOf(own).report() }))
    .sort((one, other) => other.cost - one.cost || other.calls - one.calls);
}

function sumOf(rows: readonly MinuteRow[]): Totals {
  const sum = new Totals();
  for (const { totals } of rows) sum.merge(totals);
  return sum;
}
