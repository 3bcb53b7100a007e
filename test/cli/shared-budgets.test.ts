// Two gateways that share a budget by a real Redis, also while Redis is down and after it has lost its data.
import { Agent } from "node:http";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import { type PricedProvider, startPricedProvider } from "../providers/scripts/priced.ts";
import { startRedis, type TestRedis } from "../gateway/redis.ts";
import { type BudgetGateway, configurationWith, openGateway, secretOf } from "./budget-desk.ts";

const SECONDS = { timeout: 60_000, interval: 200 };
const AT_ONCE = 8;

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: shared budgets, because ${missing}`);

describe.skipIf(missing !== undefined)("two gateways with one Redis", () => {
  let provider: PricedProvider;
  let redis: TestRedis;
  let gateways: BudgetGateway[];
  const agent = new Agent({ keepAlive: true });
  let number: number;

  beforeEach(async () => {
    provider = await startPricedProvider();
    redis = await startRedis({ password: "a-password" });
    gateways = [await openGateway(agent), await openGateway(agent)];
    number = 0;
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await redis.stop();
    await provider.stop();
  });
  afterAll(() => {
    agent.destroy();
  });

  /** Starts both gateways with a budget of so many requests, which cost a tenth of a cent. */
  async function up(requests: number, onFailure: "allow" | "deny"): Promise<void> {
    for (const gateway of gateways) {
      const keys = `{key: $TEAM, budget: {amount: ${String(requests / 1000)} USD, per: month}}, $OTHER`;
      const more = `redis: {url: $REDIS_URL, on_failure: ${onFailure}}`;
      gateway.write(configurationWith(gateway, provider, ["m0"], keys, more), {
        ...{ TEAM: secretOf("TEAM"), OTHER: secretOf("OTHER"), REDIS_URL: redis.url },
      });
    }
    await Promise.all(gateways.map((gateway) => gateway.up()));
  }

  const ask = (gateway: BudgetGateway, key = "TEAM") => gateway.ask({ number: (number += 1), key });

  /** Sends requests to a gateway until the budget is used up, or so many were accepted. Returns how many were. */
  async function use(gateway: BudgetGateway, most = Infinity): Promise<number> {
    let accepted = 0;
    let isUsedUp = false;
    let left = most;
    const worker = async () => {
      while (!isUsedUp && left > 0) {
        left -= 1;
        const { status, text } = await ask(gateway);
        if (status === 200) {
          accepted += 1;
          continue;
        }
        left += 1;
        if (text.includes("used up")) isUsedUp = true;
        else await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return accepted;
  }

  const at = (index: number): BudgetGateway => {
    const found = gateways[index];
    if (found === undefined) throw new Error("there are two gateways");
    return found;
  };
  const [first, second] = [() => at(0), () => at(1)];

  it("two gateways with one Redis exceed a budget of 1,000 requests by those in flight at most, and use all of it", async () => {
    await up(1000, "deny");
    const [one, two] = await Promise.all([use(first()), use(second())]);
    expect(one + two).toBeGreaterThanOrEqual(1000);
    expect(one + two).toBeLessThan(1000 + 2 * AT_ONCE);
    expect(Math.min(one, two)).toBeGreaterThan(0);
    await expect
      .poll(async () => (await first().spent()).budgets[0]?.spentUsd, SECONDS)
      .toBe((one + two) / 1000);
    expect((await second().spent()).gateways).toBe(2);
  });

  it("all of a budget can be used at one gateway while the other one is idle", async () => {
    await up(300, "deny");
    expect(await use(second(), 20)).toBe(20);
    const rest = await use(first());
    expect(rest).toBeGreaterThanOrEqual(280);
    expect(rest).toBeLessThan(280 + AT_ONCE);
  });

  it("no request is rejected early while much is left", async () => {
    await up(2000, "deny");
    for (let index = 0; index < 400; index += 1) {
      expect((await ask(at(index % 2))).status).toBe(200);
    }
  });

  it("Redis down, on_failure deny: the part of each gateway can be used, and /readyz has the reason", async () => {
    await up(300, "deny");
    await use(first(), 10);
    await redis.kill();
    await expect.poll(async () => (await first().ready()).status, SECONDS).toBe(503);
    const { body } = await first().ready();
    expect(body.reason).toContain("Redis cannot be used (ECONNREFUSED)");
    expect(JSON.stringify(body)).not.toContain("a-password");
    expect((await ask(first(), "OTHER")).status).toBe(200);
    let accepted = 10;
    let status = 200;
    while (status === 200) {
      const response = await ask(first());
      status = response.status;
      if (status === 200) accepted += 1;
      else expect(response.headers["retry-after"]).toBe("1");
    }
    expect(status).toBe(429);
    expect(accepted).toBeGreaterThan(20);
    expect(accepted).toBeLessThan(300);

    await redis.start();
    await expect.poll(async () => (await first().ready()).status, SECONDS).toBe(200);
    const rest = (await Promise.all([use(first()), use(second())])).reduce((sum, one) => sum + one);
    expect(accepted + rest).toBeGreaterThanOrEqual(300);
    expect(accepted + rest).toBeLessThan(300 + 2 * AT_ONCE);
    await expect
      .poll(async () => (await second().spent()).budgets[0]?.spentUsd, SECONDS)
      .toBe((accepted + rest) / 1000);
  });

  it.each(["allow", "deny"] as const)(
    "a gateway starts while Redis is down, on_failure %s",
    async (onFailure) => {
      await redis.kill();
      await up(5, onFailure);
      const { status, headers } = await ask(first());
      expect(status).toBe(onFailure === "allow" ? 200 : 429);
      if (onFailure === "deny") expect(headers["retry-after"]).toBe("1");
      await redis.start();
      await expect.poll(async () => (await ask(first())).status, SECONDS).toBe(200);
    },
  );

  it("Redis down, on_failure allow: each gateway goes on with what it knows, and spend is whole when Redis is back", async () => {
    await up(200, "allow");
    await use(first(), 50);
    await use(second(), 50);
    await expect.poll(async () => (await second().spent()).gateways, SECONDS).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await redis.kill();
    await expect
      .poll(async () => (await first().ready()).body.note, SECONDS)
      .toContain("Redis cannot");
    expect((await first().ready()).status).toBe(200);
    // Each of them knows that 100 were used.
    const more = await Promise.all([use(first()), use(second())]);
    for (const one of more) {
      expect(one).toBeGreaterThanOrEqual(100);
      expect(one).toBeLessThan(100 + AT_ONCE);
    }
    await redis.start();
    await expect.poll(async () => (await first().ready()).body.note, SECONDS).toBeUndefined();
    const all = 100 + more.reduce((sum, one) => sum + one);
    for (const gateway of gateways) {
      await expect
        .poll(async () => (await gateway.spent()).budgets[0]?.spentUsd, SECONDS)
        .toBe(all / 1000);
      expect((await ask(gateway)).status).toBe(429);
    }
  });
});
