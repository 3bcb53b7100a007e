// Requests of the history that pass the filters of the page, the last that ended first, in pages.
import type { History, RequestPlace } from "../history/history.ts";
import type { Observe } from "../history/observed-request.ts";
import { viewOf } from "../live/row.ts";
import type { RequestView } from "../live/row.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import { matches } from "./assets/filter.js";

const MAX_LIMIT = 200;
/** Lines that one search reads: the process does nothing else meanwhile. */
const MAX_READ = 2_000;

export interface Found {
  rows: RequestView[];
  /** Where the next page begins; undefined at the end of the history. A page may be short, or empty, and have one. */
  next: string | undefined;
}

/** Returns a page. @param query of the URL: filters, `from` and `to` in seconds since 1970, `before` and `limit` */
export function searchRequests(
  history: History,
  observe: Observe,
  query: Readonly<Record<string, string>>,
  maxRead = MAX_READ,
): Found {
  const { model = "", key = "", status = "", text = "" } = query;
  const limit = Math.min(Math.max(Math.trunc(numberOf(query["limit"], 100)), 1), MAX_LIMIT);
  // The minute that `to` names is included.
  const to = numberOf(query["to"], Number.MAX_SAFE_INTEGER) + 60;
  const start = placeOf(query["before"]) ?? { ended: to, number: 0 };
  const rows: RequestView[] = [];
  const lines = history.before(start, numberOf(query["from"], 0), maxRead);
  for (const { line: written, ended, number } of lines) {
    const line = readUsageLine(written);
    const row = line === undefined ? undefined : viewOf(observe(line));
    if (row === undefined || !matches(row, { model, key, status, text })) continue;
    rows.push(row);
    if (rows.length === limit) return { rows, next: `${String(ended)}/${String(number)}` };
  }
  const last = lines.length < maxRead ? undefined : lines.at(-1);
  return { rows, next: last && `${String(last.ended)}/${String(last.number)}` };
}

function numberOf(text: string | undefined, usual: number): number {
  const value = Number(text ?? usual);
  return Number.isFinite(value) ? value : usual;
}

function placeOf(text = ""): RequestPlace | undefined {
  const [, ended, number] = /^(\d+(?:\.\d+)?)\/(\d{1,15})$/.exec(text) ?? [];
  return number === undefined ? undefined : { ended: Number(ended), number: Number(number) };
}
