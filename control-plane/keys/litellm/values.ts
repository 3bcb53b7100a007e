// Values of LiteLLM's tables: what PostgreSQL writes in CSV and what JSON has.
import type { Row } from "./read-tables.ts";

export function textOf(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns a number; undefined if there is none, which is LiteLLM's "no limit". */
export function numberOf(row: Row, column: string): number | undefined {
  const value = row[column];
  if (value === null || value === undefined || value === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export function isTrue(row: Row, column: string): boolean {
  return [true, "t", "true", "True"].includes(row[column] as string | boolean);
}

/** Returns a list of texts: JSON, or PostgreSQL's `{a,"b c"}`. */
export function listOf(row: Row, column: string): string[] {
  const value = row[column];
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === "string");
  if (typeof value !== "string" || value === "") return [];
  if (value.startsWith("[")) {
    const parsed = jsonOf(row, column);
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === "string") : [];
  }
  return [...value.replace(/^\{|\}$/g, "").matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(
    ([, quoted, bare = ""]) => quoted?.replace(/\\(.)/g, "$1") ?? bare,
  );
}

export function jsonOf(row: Row, column: string): unknown {
  const value = row[column];
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Returns milliseconds since 1970. PostgreSQL's times without a zone are UTC. */
export function timeOf(row: Row, column: string): number | undefined {
  const value = textOf(row, column);
  if (value === undefined) return undefined;
  const iso = value.replace(" ", "T");
  const time = Date.parse(
    /(?:Z|[+-]\d\d:?\d{0,2})$/.test(iso) ? iso.replace(/([+-]\d\d)$/, "$1:00") : `${iso}Z`,
  );
  return Number.isNaN(time) ? undefined : time;
}

/** Whether a value is set: not null, empty, an empty list or mapping. */
export function isSet(row: Row, column: string): boolean {
  const value = jsonOf(row, column) ?? row[column];
  if (value === null || value === undefined || value === "" || value === "{}" || value === false)
    return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
