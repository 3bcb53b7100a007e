// `gateway logs`: the access logs as a table or as JSON, by log or by request, once or as they grow.
import { join } from "node:path";
import type { AccessLogEntry } from "../../../model/access-log-fields.ts";
import { activeModel } from "../log/active-model.ts";
import { findLogDirectory, readable } from "../log/find-log-directory.ts";
import { parseAccessLogLine } from "../log/access-log-line.ts";
import { endOfLog, followLines, lastLines } from "../../log-files/log-files.ts";
import { ACCESS_LOGS, type AccessLogName, accessLogFile, USAGE_LOG } from "../../../model/names.ts";
import { type Colors, colorsFor, printable } from "../../report/terminal.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { NANO_PER_DOLLAR } from "../../../model/budgets.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import type { UsageLine } from "../../usage/usage-line.ts";
import { dollars } from "../dollars.ts";
import { nameOfRequest, passes, usageOfRequests } from "../log/usage-of-requests.ts";
import type { RequestUsage, UsageOfRequests } from "../log/usage-of-requests.ts";
import { PendingRows } from "../log/pending-rows.ts";
import { hasStatus } from "../status-filter.ts";
import type { LogsOptions } from "../command-options.ts";

type Row = AccessLogEntry & { log: AccessLogName } & Partial<RequestUsage>;

/** Prints the last lines; with --follow also new lines, until it is interrupted. */
export async function logs(config: string | undefined, options: LogsOptions): Promise<void> {
  const directory = findLogDirectory(config, options.logDir);
  const usage = usageOfRequests(directory, activeModel(config));
  const ofModel = [options.model, options.key, options.session].some((one) => one !== undefined);
  if (ofModel && usage === undefined) {
    throw new GatewayError(`There is no ${accessLogFile(USAGE_LOG)} in ${directory}.`, {
      hint: "--model, --key and --session need the log that observability writes: see docs/observability.md.",
    });
  }
  const names = options.access === undefined ? ACCESS_LOGS : [options.access];
  // Where what is there ends and what is followed begins: no line twice, and none lost.
  const files = names.map((log) => {
    const file = join(directory, accessLogFile(log));
    return { log, file, end: readable(file, () => endOfLog(file)) };
  });
  const isInTime = ({ startTime }: UsageLine) => startTime * 1000 >= (options.since ?? 0);
  const chosen = ofModel
    ? usage?.last(options.lines, (line) => isInTime(line) && passes(options, line))
    : undefined;
  const isWanted = (row: Row | undefined): row is Row =>
    row !== undefined &&
    shows(options, row) &&
    (chosen === undefined || (row.log === "ingress" && chosen.has(nameOfRequest(row))));
  const found = files
    .flatMap(({ log, file, end }) => {
      const isWantedLine = (line: string) => isWanted(toRow(log, line));
      const lines = readable(file, () => lastLines(file, options.lines, isWantedLine, end));
      return lines.map((line) => toRow(log, line)).filter(isWanted);
    })
    .sort((one, other) => one.startTime.localeCompare(other.startTime))
    .slice(-options.lines);
  const print = printer(options.json === true, usage !== undefined);
  for (const row of withUsage(found, usage, chosen)) print(row);
  if (options.follow !== true) {
    if (found.length === 0) explainNothing(directory, options);
    return;
  }
  const interrupted = new AbortController();
  const interrupt = () => {
    interrupted.abort();
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  process.stdout.once("error", interrupt); // as in `gateway logs --follow | head`
  const { signal } = interrupted;
  const pending = new PendingRows<Row, { usage: RequestUsage; isWanted: boolean }>((row, found) => {
    if (found?.isWanted ?? !ofModel) print({ ...row, ...found?.usage });
  });
  await Promise.all([
    ...files.map(({ log, file, end }) => {
      const follow = (line: string) => {
        const row = toRow(log, line);
        if (row === undefined || !shows(options, row)) return;
        if (usage === undefined || log !== "ingress") {
          if (!ofModel) print(row);
        } else pending.add(nameOfRequest(row), row);
      };
      return followLines(file, end, { onLine: follow, signal });
    }),
    ...(usage === undefined
      ? []
      : [
          followLines(usage.file, endOfLog(usage.file), {
            onLine(text) {
              const line = readUsageLine(text);
              if (line === undefined) return;
              const found = { usage: usage.usageOf(line), isWanted: passes(options, line) };
              pending.addUsage(usage.keyOf(line), found);
            },
            signal,
          }),
        ]),
  ]);
  pending.end();
}

/** Returns the rows with what the usage log has of them. */
function withUsage(
  rows: readonly Row[],
  usage: UsageOfRequests | undefined,
  known: Map<string, RequestUsage> | undefined,
): Row[] {
  const names = new Set(rows.filter(({ log }) => log === "ingress").map(nameOfRequest));
  const found = known ?? usage?.last(names.size, (line) => names.has(usage.keyOf(line)));
  return rows.map((row) => ({
    ...row,
    ...(row.log === "ingress" ? found?.get(nameOfRequest(row)) : undefined),
  }));
}

function toRow(log: AccessLogName, line: string): Row | undefined {
  const entry = parseAccessLogLine(line);
  return entry === undefined ? undefined : { log, ...entry };
}

/** Probes come every few seconds: the table leaves them out, unless they are asked for. Programs get every line. */
function shows({ requestId, probes, json, status, since }: LogsOptions, row: Row): boolean {
  if (status !== undefined && !hasStatus(status, row.responseCode)) return false;
  if (since !== undefined && Date.parse(row.startTime) < since) return false;
  if (requestId !== undefined) return row.requestId === requestId;
  return probes === true || json === true || row.log !== "ingress" || !PROBES.has(row.path);
}

const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Not finding a request that was asked for is a failure. */
function explainNothing(directory: string, options: LogsOptions): void {
  const { requestId, status, model, key, session, since } = options;
  if (requestId === undefined) {
    const isFiltered = [status, model, key, session, since].some((one) => one !== undefined);
    const what = isFiltered ? "have no such requests" : "have no requests yet";
    console.error(`The access logs in ${directory} ${what}.`);
    return;
  }
  console.error(`The access logs in ${directory} have no lines of request ${requestId}.`);
  process.exitCode = 1;
}

interface Column {
  head: string;
  /** Fits nearly all values: the rows come one by one, so they cannot be measured first. */
  width: number;
  cell: (row: Row) => string;
}

const TIME: Column = { head: "TIME", width: 24, cell: ({ startTime }) => startTime };
/** The log of clients' requests has those of both listeners. */
const LOG: Column = {
  head: "LOG",
  width: 8,
  cell: ({ log, listener }) => listener ?? (log === "ingress" ? "client" : log),
};
const CODE: Column = { head: "CODE", width: 4, cell: (row) => String(row.responseCode) };
const FLAGS: Column = { head: "FLAGS", width: 5, cell: (row) => row.responseFlags ?? "-" };
const MS: Column = { head: "MS", width: 7, cell: ({ duration }) => number(duration) };
const REQUEST: Column = {
  head: "REQUEST",
  width: 32,
  cell: ({ method, path }) => `${method} ${path}`,
};
const HOST: Column = { head: "HOST", width: 21, cell: (row) => row.upstreamHost ?? "-" };
const ID: Column = { head: "REQUEST ID", width: 0, cell: ({ requestId }) => requestId ?? "-" };

const COLUMNS: readonly Column[] = [
  TIME,
  LOG,
  CODE,
  FLAGS,
  MS,
  { head: "UPSTREAM", width: 8, cell: (row) => number(row.upstreamServiceTime) },
  { head: "RECEIVED", width: 8, cell: (row) => String(row.bytesReceived) },
  { head: "SENT", width: 8, cell: (row) => String(row.bytesSent) },
  REQUEST,
  { head: "AUTHORITY", width: 24, cell: ({ authority }) => authority ?? "-" },
  HOST,
  ID,
];

/** With usage records. */
const USAGE_COLUMNS: readonly Column[] = [
  TIME,
  LOG,
  CODE,
  FLAGS,
  MS,
  { head: "MODEL", width: 30, cell: ({ model }) => model ?? "-" },
  { head: "KEY", width: 14, cell: ({ key }) => key ?? "-" },
  { head: "IN", width: 7, cell: ({ inputTokens }) => number(inputTokens ?? null) },
  { head: "OUT", width: 7, cell: ({ outputTokens }) => number(outputTokens ?? null) },
  {
    head: "COST",
    width: 12,
    cell: ({ costUsd }) =>
      costUsd === undefined || costUsd === null ? "-" : dollars(costUsd * NANO_PER_DOLLAR),
  },
  REQUEST,
  HOST,
  { ...ID, width: 36 },
  {
    head: "ERROR",
    width: 0,
    cell: ({ error, message }) => [error, message].filter(Boolean).join(": ") || "-",
  },
];

/** A function that prints rows; as a table it prints the head before the first one. */
function printer(asJson: boolean, hasUsage: boolean): (row: Row) => void {
  if (asJson) {
    return (row) => {
      console.log(JSON.stringify(row));
    };
  }
  const columns = hasUsage ? USAGE_COLUMNS : COLUMNS;
  const pad = (values: readonly string[]) =>
    values
      .map((value, at) => value.padEnd(columns[at]?.width ?? 0))
      .join(" ")
      .trimEnd();
  const colors = colorsFor(process.stdout);
  let hasHead = false;
  return (row) => {
    if (!hasHead) console.log(colors.dim(pad(columns.map(({ head }) => head))));
    hasHead = true;
    console.log(codeColor(row, colors)(pad(columns.map(({ cell }) => printable(cell(row))))));
  };
}

function number(value: number | null): string {
  return value === null ? "-" : String(value);
}

function codeColor({ responseCode, responseFlags }: Row, colors: Colors): (text: string) => string {
  if (responseCode === 0 || responseCode >= 500) return colors.red;
  if (responseCode >= 400) return colors.yellow;
  return responseFlags === null ? (text) => text : colors.yellow;
}
