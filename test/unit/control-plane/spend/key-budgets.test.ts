// Budgets of keys, groups and users that come at run time: their limits in Envoy, over restarts, periods and changes.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Spend } from "../../../../control-plane/spend/spend.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";
import { type Budget, budgetFingerprint } from "../../../../model/budgets.ts";
import type { GatewayModel } from "../../../../model/model.ts";
import { FakeEnvoy } from "./fake-envoy.ts";
import { usageLine } from "./lines.ts";

const KEY: Budget = { subject: { key: "anna-laptop" }, amount: 100, per: "day" };
const GROUP: Budget = { subject: { group: "research" }, amount: 1000, per: "month" };
const USER: Budget = { subject: { user: "anna" }, amount: 500, per: "total" };
const OF_ALL: Budget = { subject: "all", amount: 10_000, per: "month" };
const BUDGETS = [KEY, GROUP, USER];
const [ofKey, ofGroup, ofUser] = BUDGETS.map(budgetFingerprint) as [string, string, string];
const DECEMBER = Date.UTC(2026, 11, 1) / 1000;

let directory: string;
let log: string;
let socket: string;
let now: number;
let spend: Spend;
let envoy: FakeEnvoy;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "key-budgets-"));
  log = join(directory, "access_usage.log");
  socket = join(directory, "budgets.sock");
  now = Date.UTC(2026, 10, 30, 12);
  envoy = new FakeEnvoy(socket, []);
  await envoy.start();
  spend = newSpend();
});
afterEach(async () => {
  await spend.close();
  await envoy.stop();
  rmSync(directory, { recursive: true });
});

function newSpend(): Spend {
  const report = () => undefined;
  const usage = new Usage({ directory, report });
  return new Spend({ usage, report, onReadiness: report, now: () => now, lostMs: 50 });
}

function use(parts: Partial<GatewayModel> = {}): Promise<void> {
  const listeners = { ingress: {}, egress: {} };
  const model = { targets: [], aliases: [], ...listeners, ...parts } as unknown as GatewayModel;
  return spend.use({ model, logDirectory: directory, environment: {} });
}

function line(cost: number, at = now): string {
  const client = { key: "anna-laptop", group: "research,writers", user: "anna" };
  return `${usageLine({ at: at / 1000, ...client, cost })}\n`;
}

/** Charges a request, whose record is written. */
function ask(cost: number): void {
  for (const id of [ofKey, ofGroup, ofUser]) envoy.charge(id, cost);
  appendFileSync(log, line(cost));
}

const limit = (id: string) => envoy.limits.get(id)?.limit;
const spent = () => spend.keyGauges().map(({ spent: sum }) => sum);

it("an Envoy gets the amounts minus what keys, groups and users had spent before", async () => {
  writeFileSync(
    log,
    line(500, Date.UTC(2026, 10, 1) - 1000) + line(7, Date.UTC(2026, 10, 1)) + line(5),
  );
  await use();
  await spend.useRuntime([KEY, GROUP, { ...USER, amount: 1000 }]);
  await spend.attach(socket);
  expect([...envoy.limits.values()]).toEqual([
    { id: ofKey, limit: 95, resets: DECEMBER },
    { id: ofGroup, limit: 988, resets: DECEMBER },
    { id: ofUser, limit: 488, resets: 0 },
  ]);
  expect(spent()).toEqual([5, 12, 512]);
});

it("records that are read send no limit within a period; its end does", async () => {
  await use();
  await spend.useRuntime(BUDGETS);
  await spend.attach(socket);
  ask(30);
  await expect.poll(spent).toEqual([30, 30, 30]);
  const pushes = envoy.pushes;
  await spend.useRuntime(BUDGETS);
  expect([envoy.pushes, limit(ofKey)]).toEqual([pushes, 100]);
  now = Date.UTC(2026, 11, 1, 0, 0, 1);
  await spend.useRuntime(BUDGETS);
  expect(limit(ofKey)).toBe(130);
  expect(limit(ofUser)).toBe(500);
  expect(envoy.pushedOfKeys.at(-1)).toBe(2);
});

it("a changed amount, a new budget and a group of the configuration are sent alone", async () => {
  await use();
  await spend.useRuntime([KEY]);
  await spend.attach(socket);
  ask(30);
  await expect.poll(spent).toEqual([30]);
  await spend.useRuntime([{ ...KEY, amount: 200 }, USER]);
  expect([limit(ofKey), limit(ofUser)]).toEqual([200, 470]);
  await use({ groups: [{ name: "research", budgets: [{ amount: 1000, per: "month" }] }] });
  expect(limit(ofGroup)).toBe(970);
});

it("a key's spend survives a restart of the gateway and of Envoy", async () => {
  await use();
  await spend.useRuntime(BUDGETS);
  await spend.attach(socket);
  ask(30);
  await expect.poll(spent).toEqual([30, 30, 30]);
  await spend.close();
  await envoy.stop();
  await envoy.start();
  spend = newSpend();
  await use();
  await spend.useRuntime(BUDGETS);
  await spend.attach(socket);
  expect([limit(ofKey), limit(ofGroup), limit(ofUser)]).toEqual([70, 970, 470]);
});

it("an Envoy that runs on keeps what it has charged", async () => {
  await use();
  await spend.useRuntime(BUDGETS);
  await spend.attach(socket);
  ask(30);
  await expect.poll(spent).toEqual([30, 30, 30]);
  spend.detach(socket);
  await spend.attach(socket);
  expect([limit(ofKey), envoy.charged.get(ofKey)]).toEqual([100, 30]);
});

it("a budget that is removed and comes again counts what Envoy has charged once", async () => {
  await use();
  await spend.useRuntime([KEY]);
  await spend.attach(socket);
  ask(30);
  await expect.poll(spent).toEqual([30]);
  await spend.useRuntime([]);
  await spend.useRuntime([KEY]);
  expect([limit(ofKey), envoy.charged.get(ofKey)]).toEqual([100, 30]);
  ask(10);
  await expect.poll(spent).toEqual([40]);
  expect(limit(ofKey)).toBe(100);
});

it("the cost of lost records is added to keys, groups and users, once, and a restart does not forget it", async () => {
  const inOther: Budget = { ...GROUP, subject: { group: "writers" } };
  envoy.ids.push(budgetFingerprint(OF_ALL));
  await use({ budgets: [OF_ALL] });
  await spend.useRuntime([...BUDGETS, inOther]);
  await spend.attach(socket);
  const charge = (cost: number) => {
    for (const budget of [...BUDGETS, inOther, OF_ALL])
      envoy.charge(budgetFingerprint(budget), cost);
  };
  charge(30);
  appendFileSync(log, line(30));
  await expect.poll(spent).toEqual([30, 30, 30, 30]);
  charge(25);
  envoy.charge(ofUser, 5);
  let hasAsked = false;
  envoy.onPush = () => {
    if (hasAsked) return;
    hasAsked = true;
    // A request that goes on, whose record is written.
    charge(10);
    appendFileSync(log, line(10));
  };
  await Promise.all([spend.addLost(), spend.addLost()]);
  expect(spent()).toEqual([65, 65, 70, 65]);
  expect(spend.gauges().map((one) => one.spent)).toEqual([70]);
  expect([limit(ofKey), limit(ofGroup), limit(ofUser)]).toEqual([100, 1000, 500]);
  await spend.close();
  await envoy.stop();
  await envoy.start();
  spend = newSpend();
  await use({ budgets: [OF_ALL] });
  await spend.useRuntime([...BUDGETS, inOther]);
  await spend.attach(socket);
  expect([limit(ofKey), limit(ofGroup), limit(ofUser)]).toEqual([35, 935, 430]);
});

it("charges whose records come late are added to no key, group or user", async () => {
  await use();
  await spend.useRuntime(BUDGETS);
  await spend.attach(socket);
  for (const id of [ofKey, ofGroup, ofUser]) envoy.charge(id, 30);
  const added = spend.addLost();
  appendFileSync(log, line(30));
  await added;
  expect(spent()).toEqual([30, 30, 30]);
});

it("a hundred thousand budgets are set within parts, and a record costs no more for them", async () => {
  const many = Array.from({ length: 100_000 }, (_, at): Budget => ({
    ...KEY,
    subject: { key: `key-${String(at)}` },
  }));
  await use();
  await spend.useRuntime([...many, ...BUDGETS]);
  await spend.attach(socket);
  expect(envoy.limits.size).toBe(100_003);
  expect(Math.max(...envoy.pushedOfKeys)).toBe(20_000);
  ask(30);
  await expect.poll(() => spent().at(-1), { timeout: 30_000 }).toBe(30);
  envoy.charge(ofUser, 7);
  await spend.addLost();
  expect(spent().at(-1)).toBe(37);
}, 120_000);
