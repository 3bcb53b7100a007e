// The value of `--status`. Apart from the command, which takes a while to import.
import { InvalidArgumentError } from "commander";

const FORM = /^(?:[1-5]\d\d|[1-5]xx|errors)$/;

/** Returns the filter as it is. */
export function statusFilter(text: string): string {
  if (FORM.test(text)) return text;
  throw new InvalidArgumentError("Expected a status such as 429, 4xx, 5xx or errors.");
}

/** Returns whether a status passes. 0 is no response, which is an error. */
export function hasStatus(filter: string, status: number): boolean {
  if (filter === "errors") return status === 0 || status >= 400;
  if (filter.endsWith("xx")) return String(status).startsWith(filter.slice(0, 1)) && status >= 100;
  return String(status) === filter;
}
