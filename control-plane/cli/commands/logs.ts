// `gateway logs`: the access logs as a table or as JSON, by log or by request, once or as they grow.
import { join } from "node:path";
import type { AccessLogEntry } from "../../ir/access-log-fields.ts";
import { findLogDirectory, readable } from "../log/log-directory.ts";
import { parseAccessLogLine } from "../log/access-log-line.ts";
import { endOfLog, followLines, lastLines } from "../../log-files/log-files.ts";
import { ACCESS_LOGS, type AccessLogName, accessLogFile } from "../../ir/names.ts";
import { type Colors, colorsFor, printable } from "../../config/diagnostics/terminal.ts";
import type { LogsOptions } from "./options.ts";

type Row = AccessLogEntry & { log: AccessLogName };

/** Prints the last lines; with --follow also new lines, until it is interrupted. */
export async function logs(config: string | undefined, options: LogsOptions): Promise<void> {
  const directory = findLogDirectory(config, options.logDir);
  const names = options.access === undefined ? ACCESS_LOGS : [options.access];
  const isWanted = (row: Row | undefined): row is Row => row !== undefined && shows(options, row);
  // Where what is there ends and what is followed begins: no line twice, and none lost.
  const files = names.map((log) => {
    const file = join(directory, accessLogFile(log));
    return { log, file, end: readable(file, () => endOfLog(file)) };
  });
  const found = files
    .flatMap(({ log, file, end }) => {
      const isWantedLine = (line: string) => isWanted(toRow(log, line));
      const lines = readable(file, () => lastLines(file, options.lines, isWantedLine, end));
      return lines.map((line) => toRow(log, line)).filter(isWanted);
    })
    .sort((one, other) => one.startTime.localeCompare(other.startTime))
    .slice(-options.lines);
  const print = printer(options.json === true);
  found.forEach(print);
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
  await Promise.all(
    files.map(({ log, file, end }) => {
      const follow = (line: string) => {
        const row = toRow(log, line);
        if (isWanted(row)) print(row);
      };
      return followLines(file, end, { onLine: follow, signal: interrupted.signal });
    }),
  );
}

function toRow(log: AccessLogName, line: string): Row | undefined {
  const entry = parseAccessLogLine(line);
  return entry === undefined ? undefined : { log, ...entry };
}

/** Probes come every few seconds: the table leaves them out, unless they are asked for. Programs get every line. */
function shows({ requestId, probes, json }: LogsOptions, row: Row): boolean {
  if (requestId !== undefined) return row.requestId === requestId;
  return probes === true || json === true || row.log !== "ingress" || !PROBES.has(row.path);
}

const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Not finding a request that was asked for is a failure. */
function explainNothing(directory: string, { requestId }: LogsOptions): void {
  if (requestId === undefined) {
    console.error(`The access logs in ${directory} have no requests yet.`);
    return;
  }
  console.error(`The access logs in ${directory} have no lines of request ${requestId}.`);
  process.exitCode = 1;
}

/** Column widths that fit nearly all values: the rows come one by one, so they cannot be measured first. */
const COLUMNS = [
  { head: "TIME", width: 24 },
  { head: "LOG", width: 8 },
  { head: "CODE", width: 4 },
  { head: "FLAGS", width: 5 },
  { head: "MS", width: 7 },
  { head: "UPSTREAM", width: 8 },
  { head: "IN", width: 8 },
  { head: "OUT", width: 8 },
  { head: "REQUEST", width: 32 },
  { head: "AUTHORITY", width: 24 },
  { head: "HOST", width: 21 },
  { head: "REQUEST ID", width: 0 },
] as const;

/** A function that prints rows; as a table it prints the head before the first one. */
function printer(asJson: boolean): (row: Row) => void {
  if (asJson) {
    return (row) => {
      console.log(JSON.stringify(row));
    };
  }
  const colors = colorsFor(process.stdout);
  let hasHead = false;
  return (row) => {
    if (!hasHead) console.log(colors.dim(pad(COLUMNS.map(({ head }) => head))));
    hasHead = true;
    console.log(codeColor(row, colors)(pad(cells(row))));
  };
}

function cells(row: Row): string[] {
  return [
    row.startTime,
    row.log,
    String(row.responseCode),
    row.responseFlags ?? "-",
    number(row.duration),
    number(row.upstreamServiceTime),
    String(row.bytesReceived),
    String(row.bytesSent),
    `${row.method} ${row.path}`,
    row.authority ?? "-",
    row.upstreamHost ?? "-",
    row.requestId ?? "-",
  ].map(printable);
}

function number(value: number | null): string {
  return value === null ? "-" : String(value);
}

function pad(values: readonly string[]): string {
  return values
    .map((value, column) => value.padEnd(COLUMNS[column]?.width ?? 0))
    .join(" ")
    .trimEnd();
}

function codeColor({ responseCode, responseFlags }: Row, colors: Colors): (text: string) => string {
  if (responseCode === 0 || responseCode >= 500) return colors.red;
  if (responseCode >= 400) return colors.yellow;
  return responseFlags === null ? (text) => text : colors.yellow;
}
