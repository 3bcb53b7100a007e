// Budgets of one gateway, through restarts, crashes and reloads: what was spent is neither forgotten nor counted twice.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callAdmin } from "../../control-plane/supervisor/admin.ts";
import { type PricedProvider, startPricedProvider } from "../providers/scripts/priced.ts";
import { type BudgetGateway, configurationWith, openGateway, secretOf } from "./budget-desk.ts";
import { emptyDisk, fillDisk, hasSmallDisks, removeDisk, smallDisk } from "./small-disk.ts";

const SECONDS = { timeout: 60_000, interval: 100 };
/** A prompt of 1,000 tokens costs a tenth of a cent. */
const PER_DOLLAR = 1000;

let provider: PricedProvider;
let gateway: BudgetGateway;
const agent = new Agent({ keepAlive: true });
let number: number;

beforeEach(async () => {
  provider = await startPricedProvider();
  gateway = await openGateway(agent);
  number = 0;
});
afterEach(async () => {
  await gateway.close();
  await provider.stop();
});

/** A budget of so many requests of one key, or of its group. */
function write(requests: number, more = "", isOfGroup = false): void {
  const budget = `budget: {amount: ${String(requests / PER_DOLLAR)} USD, per: month}`;
  const keys = `{key: $TEAM, ${isOfGroup ? "groups: [research]" : budget}}, $OTHER`;
  const groups = isOfGroup ? `groups: {research: {${budget}}}\n` : "";
  gateway.write(configurationWith(gateway, provider, ["m0", "m1"], keys, more + groups), {
    TEAM: secretOf("TEAM"),
    OTHER: secretOf("OTHER"),
  });
}

const ask = (key = "TEAM", model = "fake/m0") => gateway.ask({ number: (number += 1), key, model });

/** Sends so many requests, one after the other, and returns how many were accepted. */
async function accepted(requests: number, key = "TEAM"): Promise<number> {
  let count = 0;
  for (let at = 0; at < requests; at += 1) if ((await ask(key)).status === 200) count += 1;
  return count;
}

it("a budget is whole over stops, kills of the gateway and of Envoy, and `gateway spend` shows it", async () => {
  write(40);
  await gateway.up();
  expect(await accepted(10)).toBe(10);
  await gateway.desk.run("down");
  await gateway.up();
  expect(await accepted(10)).toBe(10);
  await gateway.kill();
  expect((await gateway.spent()).spend).toMatchObject([
    { key: "TEAM", model: "fake/m0", requests: 20, costUsd: 0.02 },
  ]);
  await gateway.up();
  expect(await accepted(10)).toBe(10);
  // So that Envoy has written its records.
  await expect.poll(async () => (await gateway.spent()).spend[0]?.requests, SECONDS).toBe(30);
  const { envoyPid } = await gateway.status();
  process.kill(envoyPid ?? 0, "SIGKILL");
  await expect.poll(async () => (await gateway.status()).envoyPid, SECONDS).not.toBe(envoyPid);
  await expect.poll(async () => (await gateway.status()).ready, SECONDS).toBe(true);
  expect(await accepted(20)).toBe(10);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.text).toContain("0.04 USD a month of key TEAM");
  expect((await ask("OTHER")).status).toBe(200);
  await expect
    .poll(async () => (await gateway.spent()).budgets, SECONDS)
    .toMatchObject([{ spentUsd: 0.04, leftUsd: 0 }]);
});

it("an Envoy that crashes under load loses the records of its last moments, and nothing else", async () => {
  write(100_000);
  await gateway.up();
  const answered: number[] = [];
  let isOver = false;
  const worker = async () => {
    while (!isOver) {
      const status = await ask().then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) answered.push(performance.now());
    }
  };
  const workers = Array.from({ length: 8 }, worker);
  const { envoyPid } = await gateway.status();
  await expect.poll(() => answered.length, SECONDS).toBeGreaterThan(500);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  process.kill(envoyPid ?? 0, "SIGKILL");
  const killed = performance.now();
  await expect.poll(() => answered.some((at) => at > killed + 500), SECONDS).toBe(true);
  isOver = true;
  await Promise.all(workers);
  // Envoy flushes five times a second; a busy machine may be late.
  const lost = answered.filter((at) => at > killed - 1_000 && at < killed + 50).length;
  await expect
    .poll(async () => (await gateway.spent()).spend[0]?.requests, SECONDS)
    .toBeGreaterThanOrEqual(answered.length - lost);
  expect((await gateway.spent()).spend[0]?.requests).toBeLessThanOrEqual(provider.bookings.size);
});

it("a reload changes amounts and adds budgets, which count what was spent before", async () => {
  write(10);
  await gateway.up();
  expect(await accepted(12)).toBe(10);
  write(15);
  expect((await gateway.desk.run("reload")).code).toBe(0);
  expect(await accepted(12)).toBe(5);
  expect(await accepted(3, "OTHER")).toBe(3);
  await expect.poll(async () => (await gateway.spent()).spend.length, SECONDS).toBe(2);
  write(15, "budgets: [{amount: 0.024 USD, per: day}]");
  expect((await gateway.desk.run("reload")).code).toBe(0);
  expect(await accepted(10, "OTHER")).toBe(6);
  write(15);
  expect((await gateway.desk.run("reload")).code).toBe(0);
  expect(await accepted(4, "OTHER")).toBe(4);
});

it("a gateway without budgets gets its first by a reload, and loses it by another one", async () => {
  const plain = configurationWith(gateway, provider, ["m0"], "$TEAM", "");
  gateway.write(plain, { TEAM: secretOf("TEAM") });
  await gateway.up();
  expect(await accepted(3)).toBe(3);
  gateway.write(`${plain}\nbudgets: [{amount: 0.005 USD, per: total}]`, { TEAM: secretOf("TEAM") });
  expect((await gateway.desk.run("reload")).code).toBe(0);
  expect(await accepted(10)).toBe(5);
  gateway.write(plain, { TEAM: secretOf("TEAM") });
  expect((await gateway.desk.run("reload")).code).toBe(0);
  expect(await accepted(3)).toBe(3);
});

it("concurrent requests exceed a budget by those in flight at most", async () => {
  write(100);
  await gateway.up();
  provider.delayMs = 50;
  const AT_ONCE = 20;
  let passed = 0;
  const worker = async () => {
    for (let at = 0; at < 15; at += 1) if ((await ask()).status === 200) passed += 1;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(passed).toBeLessThan(100 + AT_ONCE);
  await expect.poll(async () => (await gateway.spent()).spend[0]?.requests, SECONDS).toBe(passed);
});

describe.skipIf(!hasSmallDisks)("a full disk", () => {
  let directory: string;
  beforeEach(() => {
    directory = smallDisk(8);
    mkdirSync(join(directory, "logs"));
    gateway.desk.environment["XDG_STATE_HOME"] = join(directory, "state");
  });
  afterEach(async () => {
    await gateway.desk.run("down");
    removeDisk(directory);
  });

  /** Writes of Envoy that have failed so far. The gateway can write neither its log nor its state. */
  async function failedWrites(): Promise<number> {
    const root = join(directory, "state/gateway");
    const sockets = readdirSync(root).map((name) => join(root, name, "admin.sock"));
    const admin = sockets.find((path) => existsSync(path)) ?? "";
    const { body } = await callAdmin(admin, "GET", "/stats?filter=write_failed");
    return Number(/write_failed: (\d+)/.exec(body)?.[1]);
  }

  it.each(["key", "group"])(
    "a budget of a %s is not created a second time after a full disk has room again",
    async (of) => {
      const isOfGroup = of === "group";
      write(20, `access_log: {directory: ${join(directory, "logs")}}\n`, isOfGroup);
      await gateway.up();
      const ownLog = () => readFileSync(join(directory, "logs/gateway.log"), "utf8");
      // What becomes free is filled at once; only the last page of each file has room.
      const filling = setInterval(() => {
        fillDisk(directory);
      }, 5);
      try {
        await vi.waitFor(async () => {
          await accepted(10, "OTHER");
          expect(await failedWrites()).toBeGreaterThan(0);
        }, SECONDS);
        expect(await accepted(30)).toBe(20);
        const failed = await failedWrites();
        await vi.waitFor(async () => {
          await accepted(1, "OTHER");
          expect(await failedWrites()).toBeGreaterThan(failed);
        }, SECONDS);
      } finally {
        clearInterval(filling);
      }
      const recorded = await gateway.spent();
      if (!isOfGroup) expect(recorded.budgets[0]?.leftUsd).toBeGreaterThan(0);
      emptyDisk(directory);
      await vi.waitFor(async () => {
        await accepted(1, "OTHER");
        expect(ownLog()).toContain("were lost; their cost is added to the budgets");
        if (!isOfGroup)
          expect((await gateway.spent()).budgets).toMatchObject([{ spentUsd: 0.02, leftUsd: 0 }]);
      }, SECONDS);
      expect((await ask()).status).toBe(429);
      await gateway.desk.run("down");
      await gateway.up();
      expect((await ask()).status).toBe(429);
      expect((await gateway.spent()).spend).toContainEqual(
        expect.objectContaining({ key: isOfGroup ? null : "TEAM", model: null, requests: 0 }),
      );
    },
  );
});
