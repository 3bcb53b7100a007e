// Alerts of budgets: when there is an event, and what of them is kept over a restart.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BudgetAlerts, type BudgetState } from "../../../../control-plane/alerts/budget-alerts.ts";
import type { WebhookEvent } from "../../../../control-plane/alerts/webhooks.ts";

const NAME = "key research a month";

let directory: string;
let file: string;
let events: WebhookEvent[];
let states: BudgetState[];
let isAccepting: boolean;
let alerts: BudgetAlerts;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "alerts-"));
  file = join(directory, "alerts.json");
  events = [];
  isAccepting = true;
  alerts = open();
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function open(): BudgetAlerts {
  return new BudgetAlerts({
    file,
    writeFile: (path, text) => {
      writeFileSync(path, text);
    },
    budgets: {
      all: () => states,
      changed: () => states,
      has: (name) => states.some((state) => state.name === name),
    },
    send: (event) => {
      events.push(event);
      return Promise.resolve(isAccepting);
    },
  });
}

async function check(spent: number, { name = NAME, resets = 1_000 } = {}): Promise<void> {
  states = [{ name, limit: 100e9, spent: spent * 1e9, resets }];
  alerts.check();
  await Promise.resolve();
  await Promise.resolve();
}

function restart(): void {
  alerts.save();
  alerts = open();
}

const percents = () => events.map(({ data }) => (data as { percent: number }).percent);

it("a budget has one event for each threshold and period, also over a restart", async () => {
  for (const spent of [10, 79.99, 80, 85]) await check(spent);
  restart();
  for (const spent of [90, 100, 120]) await check(spent);
  for (const spent of [0, 150]) await check(spent, { resets: 2_000 });
  expect(percents()).toEqual([80, 100, 100]);
  expect(events[0]?.data).toEqual({
    budget: NAME,
    percent: 80,
    limit_usd: 100,
    spent_usd: 80,
    resets: "1970-01-01T00:00:01.000Z",
  });
});

it("an alert that the receiver has not accepted comes again after a restart, with the same identity", async () => {
  isAccepting = false;
  for (const spent of [80, 85]) await check(spent);
  expect(percents()).toEqual([80]);
  restart();
  await check(85);
  expect(percents()).toEqual([80, 80]);
  expect(events[0]?.identity).toBe(events[1]?.identity);
});

it("alerts of budgets that were removed are not kept", async () => {
  await check(80);
  await check(80, { name: "key other a month" });
  alerts.save();
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object)).toEqual([
    "key other a month",
  ]);
});
