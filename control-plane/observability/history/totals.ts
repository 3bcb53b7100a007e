// Sums over requests: of a second, a minute, a model, a key. Sums of sums are exact, and so are their tokens and money.
import type { ObservedRequest } from "./observed-request.ts";
import { Sketch } from "./sketch.ts";

/** What is added up. */
export const COUNTS = [
  /** Requests of clients. */
  "requests",
  /** Requests for a model, of clients or of the model server, also those that were rejected before it got them. */
  "calls",
  "errors",
  /** Requests whose last attempt was at another model than the first. */
  "fallbacks",
  "input",
  "cached",
  "cacheWrite",
  "output",
  "reasoning",
  /** Nano-dollars. */
  "cost",
  /** Requests with tokens whose model has no known price. */
  "unpriced",
] as const;
export type Count = (typeof COUNTS)[number];

/** What has a distribution, in microseconds; `rate` in output tokens per second. */
export const TIMES = ["duration", "firstToken", "overhead", "provider", "rate"] as const;
export type Time = (typeof TIMES)[number];

export class Totals {
  readonly counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Count, number>;
  readonly times = Object.fromEntries(TIMES.map((name) => [name, new Sketch()])) as Record<
    Time,
    Sketch
  >;

  /** Adds the columns of a row of a table. @param names of the distributions that are needed */
  addRow(row: Readonly<Record<string, unknown>>, names: readonly Time[] = TIMES): void {
    for (const name of COUNTS) this.counts[name] += Number(row[name]);
    for (const name of names) this.times[name].restore(String(row[name]));
  }

  add(request: ObservedRequest): void {
    const { counts, times } = this;
    const { record } = request.line;
    if (request.isOfClient) counts.requests += 1;
    if (request.error !== "") counts.errors += 1;
    if (request.model !== "") counts.calls += 1;
    if (record !== undefined) {
      if (record.first_target !== undefined) counts.fallbacks += 1;
      counts.input += record.input ?? 0;
      counts.cached += record.cache_read ?? 0;
      counts.cacheWrite += record.cache_write ?? 0;
      counts.output += record.output ?? 0;
      counts.reasoning += record.reasoning ?? 0;
    }
    counts.cost += request.cost ?? 0;
    if (request.isUnpriced) counts.unpriced += 1;
    // Times of a model's responses: an error that the gateway writes at once would make them better than they are.
    if (record?.target === undefined || request.error !== "") return;
    for (const name of TIMES) {
      const value = request[name];
      if (value !== undefined && value > 0) times[name].add(value);
    }
  }

  merge(other: Totals): void {
    for (const name of COUNTS) this.counts[name] += other.counts[name];
    for (const name of TIMES) this.times[name].merge(other.times[name]);
  }

  /** Returns the sums and the quantiles that are shown. */
  report(): TotalsReport {
    const { times } = this;
    const of = (name: Time) => ({
      p50: rounded(times[name].quantile(0.5)),
      p95: rounded(times[name].quantile(0.95)),
    });
    return {
      ...this.counts,
      duration: of("duration"),
      firstToken: of("firstToken"),
      overhead: of("overhead"),
      provider: of("provider"),
      rate: of("rate"),
    };
  }
}

export type TotalsReport = Record<Count, number> &
  Record<Time, { p50: number | undefined; p95: number | undefined }>;

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value.toPrecision(3));
}
