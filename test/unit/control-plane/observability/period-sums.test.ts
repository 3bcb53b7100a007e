// Sums by hour and day: the long ranges of the page have the same numbers as the requests, by model, key, person and group.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  DEFAULT_RETENTION,
  History,
} from "../../../../control-plane/observability/history/history.ts";
import type { ObservedRequest } from "../../../../control-plane/observability/history/observed-request.ts";
import { spendBy, summaryOf } from "../../../../control-plane/observability/history/summary.ts";
import { UsageDatabase } from "../../../../control-plane/usage/usage-database.ts";
import type { UsageLine } from "../../../../control-plane/usage/usage-line.ts";

const NOW = Date.UTC(2026, 10, 28, 12) / 1000;
const DAY = 86_400;

let directory: string;
let database: UsageDatabase;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "period-sums-"));
  database = new UsageDatabase(join(directory, "usage.db"));
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

interface Sent {
  daysAgo: number;
  model: string;
  key: string;
  cost: number;
  user?: string;
  group?: string;
}

function start(sent: Sent[], retention = DEFAULT_RETENTION, maxPeriods?: number): History {
  let at = 0;
  const observe = (line: UsageLine): ObservedRequest => {
    const { model, key, cost } = sent[at++] ?? { model: "", key: "", cost: 0 };
    return {
      ...{ line, model, key, cost, error: "", isUnpriced: false, isOfClient: true },
      ...{ firstTarget: undefined, failedAttempts: undefined, overhead: undefined },
      ...{ ended: line.startTime, duration: 1000, firstToken: 500, provider: 900, rate: 50 },
    };
  };
  const usage = {
    problem: undefined,
    query: <R>(work: (from: UsageDatabase) => R) => work(database),
  };
  const history = new History({
    ...{ usage, observe, now: () => NOW * 1000, retention: () => retention },
    ...(maxPeriods === undefined ? {} : { maxPeriods }),
  });
  database.addTables(history.schema);
  history.open();
  for (const { daysAgo, user, group } of sent) {
    const record = { id: "x", listener: "egress", target: "a", input: 10, output: 5, user, group };
    history.add(
      { startTime: NOW - daysAgo * DAY, status: 200, record } as unknown as UsageLine,
      "",
      true,
    );
  }
  database.inTransaction(() => {
    history.write(database);
  });
  history.written();
  return history;
}

const SENT: Sent[] = [
  { daysAgo: 0, model: "a", key: "one", cost: 1, user: "ann", group: "red" },
  { daysAgo: 0, model: "b", key: "one", cost: 2, user: "ann", group: "red" },
  { daysAgo: 5, model: "a", key: "two", cost: 4, user: "bob", group: "red" },
  { daysAgo: 20, model: "a", key: "one", cost: 8, user: "ann", group: "red" },
  { daysAgo: 60, model: "b", key: "two", cost: 16 },
];

it.each([
  ["7d", 7],
  ["30d", 15],
  ["90d", 31],
] as const)("a range of %s has the cost of its days", (range, cost) => {
  const found = summaryOf(start(SENT), { range }, NOW);
  expect(found.total.cost).toBe(cost);
  expect(found.points.cost.reduce((sum, one) => sum + one, 0)).toBe(cost);
  for (const rows of [found.models, found.keys])
    expect(rows.reduce((sum, row) => sum + row.cost, 0)).toBe(cost);
});

it("a model, a key and both choose rows of a long range", () => {
  const history = start(SENT);
  const of = (model?: string, key?: string) =>
    summaryOf(history, { range: "30d", model, key }, NOW).total.cost;
  expect([of("a"), of("b"), of(undefined, "one"), of("a", "one"), of("b", "two")]).toEqual([
    13, 2, 11, 9, 0,
  ]);
  const { keys } = summaryOf(history, { range: "30d", model: "a" }, NOW);
  expect(keys.map(({ name, cost }) => [name, cost])).toEqual([
    ["one", 9],
    ["two", 4],
  ]);
});

it("spend has the persons and groups of keys", () => {
  const history = start(SENT);
  const spent = (by: "key" | "user" | "group") =>
    spendBy(history, { by, days: 30 }, NOW).map(({ name, cost }) => [name, cost]);
  expect(spent("user")).toEqual([
    ["ann", 11],
    ["bob", 4],
  ]);
  expect(spent("group")).toEqual([["red", 15]]);
});

it("a request counts for each group of its key", () => {
  const groups = (group: string) => ({ daysAgo: 1, model: "a", key: "one", cost: 5, group });
  const history = start([groups("red,blue"), groups("blue")]);
  const rows = spendBy(history, { by: "group", days: 30 }, NOW);
  expect(rows.map(({ name, cost }) => [name, cost])).toEqual([
    ["blue", 10],
    ["red", 5],
  ]);
});

it("spend of names has these alone", () => {
  const rows = spendBy(start(SENT), { by: "key", days: 90, names: ["two", "none"] }, NOW);
  expect(rows).toMatchObject([{ name: "two", cost: 20, calls: 2, input: 20 }]);
});

it("the names of a long range have their times", () => {
  const { models, keys, points } = summaryOf(start(SENT), { range: "30d" }, NOW);
  for (const row of [...models, ...keys]) {
    expect(row.firstToken.p50).toBeCloseTo(500, -2);
    expect(row.duration.p95).toBeCloseTo(1000, -2);
  }
  expect(models.map(({ rate }) => Math.round((rate.p50 ?? 0) / 10))).toEqual([5, 5]);
  expect(points.firstToken50.filter((time) => time !== null)).toHaveLength(3);
});

it("sums by hour are kept for 31 days, and no more rows of a kind than the limit", () => {
  const rows = (period: string, kind: string) =>
    Number(
      database
        .statement("SELECT count(*) AS rows FROM sums WHERE period = ? AND kind = ?")
        .get(period, kind)?.["rows"],
    );
  const history = start(SENT);
  expect([rows("hour", "all"), rows("day", "all"), rows("day", "pair")]).toEqual([3, 4, 5]);
  expect(summaryOf(history, { range: "90d" }, NOW).total.cost).toBe(31);
  start([], DEFAULT_RETENTION, 3);
  // The two of the oldest days; the third is of the same day as others.
  expect([rows("day", "all"), rows("day", "pair")]).toEqual([3, 3]);
});

it.each([
  ["SELECT * FROM sums WHERE period = ? AND kind = ? AND start >= ?", "sums_since"],
  [
    "SELECT * FROM sums WHERE period = ? AND kind = ? AND start >= ? AND model = ?",
    "sums_of_model",
  ],
  ["SELECT * FROM sums WHERE period = ? AND kind = ? AND start >= ? AND key = ?", "sums_of_key"],
])("a range is read by its start: %s", (query, index) => {
  start(SENT);
  const [plan] = database.statement(`EXPLAIN QUERY PLAN ${query}`).all("day", "pair", 0);
  expect(plan?.["detail"]).toMatch(new RegExp(`${index} .*start>`));
});

it("sums older than the retention are removed", () => {
  const history = start(SENT, { ...DEFAULT_RETENTION, sumsMs: 10 * DAY * 1000 });
  expect(summaryOf(history, { range: "90d" }, NOW).total.cost).toBe(7);
});
