// Reads one line of an access log by the list of its fields. Pure.
import {
  ACCESS_LOG_FIELDS,
  type AccessLogEntry,
  type AccessLogField,
} from "../../../model/access-log-fields.ts";

const FIELDS = Object.entries<AccessLogField>(ACCESS_LOG_FIELDS);
const QUOTED = FIELDS.filter(([, { quoted }]) => quoted !== undefined);
const WITH_QUOTES = QUOTED.findIndex(([, { quoted }]) => quoted === "may contain quotes");
const START = FIELDS.filter(([, { quoted }]) => quoted === undefined);
/** A line: each field before the quoted ones, then all quoted ones together. */
const LINE = new RegExp(`^${START.map(([, field]) => pattern(field)).join(" ")} "(.*)"$`);

/** Returns the fields of a line, text or JSON; undefined for a line of a different form. */
export function parseAccessLogLine(line: string): AccessLogEntry | undefined {
  return line.startsWith("{") ? parseJsonLine(line) : parseTextLine(line);
}

function parseJsonLine(line: string): AccessLogEntry | undefined {
  let values: Record<string, unknown>;
  try {
    values = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const isWhole = FIELDS.every(([name]) => Object.hasOwn(values, name));
  return isWhole ? entryOf((name) => textOf(values[name])) : undefined;
}

/** What the value is in a line of text. */
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "-";
}

function parseTextLine(line: string): AccessLogEntry | undefined {
  const found = LINE.exec(line.replace(/\r?\n$/, ""));
  if (found === null) return undefined;
  const [, ...groups] = found;
  const quoted = splitQuoted(groups.pop() ?? "");
  if (quoted === undefined) return undefined;
  const texts = [...groups, ...quoted];
  return entryOf((_, index) => texts[index] ?? "-");
}

function entryOf(textOfField: (name: string, index: number) => string): AccessLogEntry {
  return Object.fromEntries(
    FIELDS.map(([name, { value }], index) => [name, READERS[value](textOfField(name, index))]),
  ) as unknown as AccessLogEntry;
}

function pattern({ value, before = "", after = "" }: AccessLogField): string {
  const isNumber = value === "number" || value === "numberOrNull";
  const text = isNumber ? "\\d+|-" : `[^\\s${escape(after)}]+`;
  return `${escape(before)}(${text})${escape(after)}`;
}

function escape(text: string): string {
  return text.replace(/\W/g, "\\$&");
}

/** Returns the quoted values: the one that may contain `" "` takes all parts that are left over. */
function splitQuoted(text: string): string[] | undefined {
  const parts = text.split('" "');
  const extra = parts.length - QUOTED.length;
  if (extra < 0) return undefined;
  const end = WITH_QUOTES + 1 + extra;
  const joined = parts.slice(WITH_QUOTES, end).join('" "');
  return [...parts.slice(0, WITH_QUOTES), joined, ...parts.slice(end)];
}

const READERS = {
  text: (text: string) => text,
  number: (text: string) => numberOrNull(text) ?? 0,
  textOrNull: (text: string) => (text === "-" || text === "" ? null : text),
  numberOrNull,
} as const satisfies Record<AccessLogField["value"], (text: string) => string | number | null>;

function numberOrNull(text: string): number | null {
  return text === "-" ? null : Number(text);
}
