// The values of `--since`. Apart from the command, which takes a while to import.
import { InvalidArgumentError } from "commander";

const DAY_MS = 24 * 3600 * 1000;

/** Returns the time of a date (UTC), or of so many days ago. Milliseconds since 1970. */
export function sinceTime(text: string): number {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  if (days !== undefined) return (Math.floor(Date.now() / DAY_MS) - Number(days)) * DAY_MS;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  // A day that a month does not have becomes one of the next month.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError("Expected a date such as 2026-01-31, or days such as 7d.");
  }
  return time;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** The same, or the time some seconds, minutes or hours ago. */
export function recentTime(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNITS[unit] ?? 0);
  try {
    return sinceTime(text);
  } catch {
    throw new InvalidArgumentError("Expected a time such as 15m, 2h, 7d or 2026-01-31.");
  }
}
