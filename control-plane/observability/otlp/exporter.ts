// Sends the metrics to an OpenTelemetry collector at an interval. One export at a time: while the collector is slow, further
// ones are skipped, and nothing is lost, because sums are cumulative. By fetch and JSON, which the protocol allows: its
// official exporter would be six packages for one request.
import type { Counter, Families } from "../metric-families.ts";

export interface ExporterOptions {
  /** With the path. */
  url: string;
  headers: Readonly<Record<string, string>>;
  intervalMs: number;
  timeoutMs?: number;
  /** Returns the request; its time does not count. */
  request: () => Promise<object>;
  /** Counts failed exports, by FAILURES. */
  failures: Counter;
  report: (line: string, level?: "warning") => void;
}

export interface MetricsExporter {
  /** Exports a last time, for as long as a shutdown may wait, and ends. */
  stop: () => Promise<void>;
}

/** Values of the label `reason`. */
const FAILURES = { failed: "failed", rejected: "rejected", skipped: "skipped" } as const;

const TIMEOUT_MS = 10_000;
const LAST_TIMEOUT_MS = 2_000;

/** Adds the family of failed exports. */
export function exportFailures(families: Families): Counter {
  return families.counter({
    name: "gateway_otlp_export_failures_total",
    help: "Exports of metrics that failed, that the collector rejected in part, or that were skipped because one was under way.",
    labels: ["reason"],
  });
}

/** Starts the exports. A failure is reported when it begins and when it ends. */
export function startMetricsExporter(options: ExporterOptions): MetricsExporter {
  const { intervalMs, timeoutMs = TIMEOUT_MS, failures, report } = options;
  const { host } = new URL(options.url);
  const end = new AbortController();
  let underWay: Promise<void> | undefined;
  let problem: string | undefined;
  const note = (reason: string | undefined) => {
    if (reason !== undefined && problem === undefined)
      report(
        `Metrics cannot be exported to ${host} (${reason}); requests are not affected.`,
        "warning",
      );
    if (reason === undefined && problem !== undefined)
      report(`Metrics are exported to ${host} again.`);
    problem = reason;
  };
  const run = async (signal: AbortSignal) => {
    const result = await send(options, signal);
    // The stop has ended it, and exports once more.
    if (end.signal.aborted) return;
    if (result !== undefined) failures.add([result.kind]);
    note(result?.reason);
  };
  const timer = setInterval(() => {
    if (underWay !== undefined) {
      failures.add([FAILURES.skipped]);
      return;
    }
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)]);
    underWay = run(signal).finally(() => (underWay = undefined));
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      end.abort();
      await underWay;
      await send(options, AbortSignal.timeout(LAST_TIMEOUT_MS));
    },
  };
}

interface Failure {
  kind: string;
  reason: string;
}

/** Sends one request; returns why it failed. Never rejects. */
async function send(
  { url, headers, request }: ExporterOptions,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(await request()),
      redirect: "error",
      signal,
    });
    const text = await response.text();
    if (!response.ok) return { kind: FAILURES.failed, reason: `status ${String(response.status)}` };
    const rejected = rejectedPoints(text);
    if (rejected === 0) return undefined;
    return { kind: FAILURES.rejected, reason: `it rejected ${String(rejected)} data points` };
  } catch (error) {
    return { kind: FAILURES.failed, reason: reasonOf(error) };
  }
}

/** Returns how many data points the collector did not take; its response may be empty. */
function rejectedPoints(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedDataPoints?: number | string };
    };
    return Number(partialSuccess?.rejectedDataPoints ?? 0);
  } catch {
    return 0;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no response in time";
  const { cause } = error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? error.message;
}
