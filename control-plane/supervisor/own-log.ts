// The gateway's own log: standard error, also after its file was removed. Lines of text, or JSON objects.
import { appendFileSync, readlinkSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

export type LogFormat = "text" | "json";

/** The levels of the gateway's own lines. */
export type ReportLevel = "info" | "warning" | "error";

/** Reports a line to the user. */
export type Report = (line: string, level?: ReportLevel) => void;

/** A line as JSON shows it. */
export interface LogEntry {
  /** Default: now. */
  time?: Date;
  level: string;
  component: string;
  message: string;
}

/** The component of the gateway's own process. */
export const GATEWAY = "gateway";

const STANDARD_ERROR = "/proc/self/fd/2";
const REMOVED = " (deleted)";

/** Of this process, as standard error is. */
let format: LogFormat = "text";
let hasNodesLines = false;

/** Sets the format of the lines from now on, also of warnings and errors that Node would print as text. */
export function setLogFormat(next: LogFormat): void {
  format = next;
  if (next === "text" || hasNodesLines) return;
  hasNodesLines = true;
  process.removeAllListeners("warning").on("warning", (warning) => {
    writeEntry(`(node) ${String(warning)}`, nodeEntry("warning", String(warning)));
  });
  process.on("uncaughtException", (error) => {
    const text = error.stack ?? String(error);
    writeEntry(text, nodeEntry("error", text));
    process.exit(1);
  });
}

export function logFormat(): LogFormat {
  return format;
}

const nodeEntry = (level: ReportLevel, message: string): LogEntry => ({
  level,
  component: GATEWAY,
  message,
});

/** Writes one entry: as text, which may have colours and several lines, or as one line of JSON. */
export function writeEntry(text: string, entry: LogEntry): void {
  writeLine(format === "text" ? text : jsonLine(entry));
}

function jsonLine({ time = new Date(), level, component, message }: LogEntry): string {
  const plain = stripVTControlCharacters(message);
  return JSON.stringify({ time: time.toISOString(), level, component, message: plain });
}

/** Writes a line to standard error; if that is a file that was removed, to a new file at the same path. */
function writeLine(line: string): void {
  const file = removedFile();
  if (file === undefined || !append(file, line)) console.error(line);
}

/**
 * Returns the path of a removed log file. A process cannot reopen its standard error: without this, all later lines
 * would be lost with the file.
 */
function removedFile(): string | undefined {
  try {
    const target = readlinkSync(STANDARD_ERROR);
    return target.endsWith(REMOVED) ? target.slice(0, -REMOVED.length) : undefined;
  } catch {
    return undefined; // no /proc
  }
}

function append(file: string, line: string): boolean {
  try {
    appendFileSync(file, `${line}\n`);
    return true;
  } catch {
    return false;
  }
}
