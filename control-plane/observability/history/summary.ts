// The history as the page shows it: points of a chart, and sums by model and by key.
import type { History, MinuteRow } from "./history.ts";
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

/** Sums of a model and a key over the range: few, whatever the number of minutes. */
type Pair = Omit<MinuteRow, "minute">;

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

function named(pairs: readonly Pair[], nameOf: (pair: Pair) => string): Named[] {
  const groups = Map.groupBy(pairs, nameOf);
  return [...groups]
    .map(([name, own]) => ({ name, ...sumOf(own).report() }))
    .sort((one, other) => other.cost - one.cost || other.calls - one.calls);
}

function sumOf(pairs: readonly Pair[]): Totals {
  const sum = new Totals();
  for (const { totals } of pairs) sum.merge(totals);
  return sum;
}
