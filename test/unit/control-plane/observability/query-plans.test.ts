// What the page reads of usage.db is found by an index, whatever the number of rows: by SQLite's plan of each statement, not by time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  DEFAULT_RETENTION,
  History,
} from "../../../../control-plane/observability/history/history.ts";
import type { Observe } from "../../../../control-plane/observability/history/observed-request.ts";
import { SessionHistory } from "../../../../control-plane/observability/history/session-history.ts";
import {
  RANGES,
  spendBy,
  spentSince,
  summaryOf,
} from "../../../../control-plane/observability/history/summary.ts";
import type { Range } from "../../../../control-plane/observability/history/summary.ts";
import { searchRequests } from "../../../../control-plane/observability/page/search.ts";
import { searchSessions } from "../../../../control-plane/observability/page/page-sessions.ts";
import { UsageDatabase } from "../../../../control-plane/usage/usage-database.ts";

const NOW = 1_795_000_000;

let directory: string;
let database: UsageDatabase;
let history: History;
let sessions: SessionHistory;
/** The statements that were used. */
let asked: Set<string>;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "query-plans-"));
  database = new UsageDatabase(join(directory, "usage.db"));
  asked = new Set();
  const recording = {
    statement(text: string) {
      asked.add(text);
      return database.statement(text);
    },
  } as UsageDatabase;
  const query = <Result>(work: (from: UsageDatabase) => Result) => work(recording);
  const observe: Observe = () => {
    throw new Error("there are no requests");
  };
  history = new History({ usage: { problem: undefined, query }, observe, now: () => NOW * 1000 });
  const usage = { query };
  const retention = () => DEFAULT_RETENTION;
  sessions = new SessionHistory({ usage, observe, now: () => NOW * 1000, retention });
  for (const { schema } of [history, sessions]) database.addTables(schema);
});
afterAll(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

/** Returns the steps of the plans of what `work` asks for. */
function plansOf(work: () => unknown): string[] {
  asked.clear();
  work();
  expect(asked.size).toBeGreaterThan(0);
  return [...asked].flatMap((text) =>
    database
      .statement(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => String(detail)),
  );
}

/** A step that reads a table as a whole. */
const READS_ALL = /^SCAN (?:sums|requests|sessions)/;

const FILTERS = [{}, { model: "a" }, { key: "b" }, { model: "a", key: "b" }];

it.each(Object.keys(RANGES) as Range[])("the range %s is read by an index", (range) => {
  for (const filter of FILTERS) {
    const plans = plansOf(() => summaryOf(history, { range, ...filter }, NOW));
    expect(plans.filter((step) => READS_ALL.test(step))).toEqual([]);
    expect(plans.filter((step) => step.startsWith("SEARCH sums USING")).length).toBeGreaterThan(1);
  }
});

it.each([
  ["spend of keys", () => spendBy(history, { by: "key", days: 30 }, NOW)],
  ["spend of some users", () => spendBy(history, { by: "user", days: 9, names: ["a"] }, NOW)],
  ["spend of groups", () => spendBy(history, { by: "group", days: 400 }, NOW)],
  ["spend of this hour and today", () => spentSince(history, NOW)],
  ["a page of requests", () => searchRequests(history, () => ({}) as never, {})],
  [
    "a search of requests",
    () =>
      searchRequests(history, () => ({}) as never, {
        ...{ text: "limit", key: "a", model: "b", status: "errors", from: "1", to: "9" },
        before: "5/5",
      }),
  ],
  ["a story", () => history.withId("x")],
  ["a page of sessions", () => searchSessions(sessions, {}, NOW, undefined)],
  [
    "a search of a person's sessions",
    () => searchSessions(sessions, { text: "a", key: "b", from: "1", to: "9" }, NOW, "ann"),
  ],
  ["a session", () => sessions.withId("x", 9)],
  ["the turns of a session", () => history.ofSession("x", { ended: 5, number: 5 }, 9)],
])("%s is read by an index", (_, work) => {
  const plans = plansOf(work);
  expect(plans.filter((step) => READS_ALL.test(step))).toEqual([]);
  expect(plans.some((step) => step.startsWith("SEARCH"))).toBe(true);
});
