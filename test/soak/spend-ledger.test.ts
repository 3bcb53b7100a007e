// Thousands of requests over 8 keys and 6 models on two gateways that share a Redis. In between one gateway and Redis are killed.
// What the gateways have recorded is what the provider has answered, but for what was in flight at the kill; nothing is charged
// twice. SPEND_REQUESTS=20000 is the long form.
import { Agent } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import {
  type BudgetGateway,
  configurationWith,
  openGateway,
  type Prompt,
  secretOf,
  type Spent,
} from "../cli/budget-desk.ts";
import { type PricedProvider, startPricedProvider } from "../providers/scripts/priced.ts";
import { startRedis, type TestRedis } from "../gateway/redis.ts";

const REQUESTS = Number(process.env["SPEND_REQUESTS"] ?? 20_000);
const AT_ONCE = 16;
const KEYS = Array.from({ length: 8 }, (_, at) => `KEY_${String(at)}`);
const MODELS = Array.from({ length: 6 }, (_, at) => `m${String(at)}`);
const SECONDS = { timeout: 60_000, interval: 500 };

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: spend of two gateways, because ${missing}`);

/** The request of a number. */
function promptOf(number: number): Prompt {
  return {
    number,
    key: KEYS[number % KEYS.length] ?? "",
    model: `fake/${MODELS[Math.floor(number / KEYS.length) % MODELS.length] ?? ""}`,
    input: 1 + ((number * 7919) % 3000),
    output: 1 + ((number * 104_729) % 900),
    stream: number % 3 === 0,
  };
}

/** Micro-dollars by key and model: a token costs one. */
type Sums = Map<string, number>;

function add(sums: Sums, { key = "", model = "", input = 0, output = 0 }: Prompt): void {
  const name = `${key} ${model}`;
  sums.set(name, (sums.get(name) ?? 0) + input + output);
}

function sumsOf({ spend }: Spent): Sums {
  const micros = (usd: number) => Math.round(usd * 1e6);
  return new Map(
    spend.map(({ key, model, costUsd }) => [`${key ?? ""} ${model}`, micros(costUsd)]),
  );
}

const total = (sums: Sums) => [...sums.values()].reduce((sum, one) => sum + one, 0);

describe.skipIf(missing !== undefined)("two gateways that share a Redis", () => {
  let provider: PricedProvider;
  let redis: TestRedis;
  let gateways: BudgetGateway[];
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    provider = await startPricedProvider();
    redis = await startRedis({ user: "gateway", password: "a-password" });
    gateways = [await openGateway(agent), await openGateway(agent)];
    for (const gateway of gateways) {
      const keys = KEYS.map((key) => `{key: $${key}, budget: {amount: 900 USD, per: month}}`);
      const more = [
        "budgets: [{amount: 5000 USD, per: month}, {model: fake/m0, amount: 4000 USD, per: day}]",
        "redis: {url: $REDIS_URL}",
      ];
      const text = configurationWith(gateway, provider, MODELS, keys.join(", "), more.join("\n"));
      const secrets = Object.fromEntries(KEYS.map((key): [string, string] => [key, secretOf(key)]));
      gateway.write(text, { ...secrets, REDIS_URL: redis.url });
    }
    await Promise.all(gateways.map((gateway) => gateway.up()));
  });
  afterAll(async () => {
    agent.destroy();
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await redis.stop();
    await provider.stop();
  });

  it("spend is what the provider has answered, over kills of a gateway and of Redis", async () => {
    const [first, second] = gateways;
    if (first === undefined || second === undefined) throw new Error("there are two gateways");
    const answered: Sums = new Map();
    const statuses = new Map<number | string, number>();
    let isFirstUp = true;
    let sent = 0;
    const send = async (number: number) => {
      const gateway = number % 2 === 0 && isFirstUp ? first : second;
      const prompt = promptOf(number);
      const status = await gateway.ask(prompt).then(
        (response) => response.status,
        () => {
          isFirstUp = false;
          return "broken";
        },
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) add(answered, prompt);
    };
    const worker = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        await send(sent);
      }
    };
    const at = (part: number) =>
      expect.poll(() => sent, { timeout: 170_000, interval: 20 }).toBeGreaterThan(REQUESTS * part);
    const faults = async () => {
      await at(0.25);
      await first.kill();
      isFirstUp = false;
      await first.up();
      isFirstUp = true;
      await at(0.5);
      await redis.kill();
      await at(0.65);
      await redis.start();
      await at(0.8);
      await second.desk.run("reload");
    };
    await Promise.all([faults(), ...Array.from({ length: AT_ONCE }, worker)]);

    const booked: Sums = new Map();
    for (const [number, { times }] of provider.bookings) {
      // The gateway retries what had no connection, never what a provider has answered.
      expect(times).toBe(1);
      add(booked, promptOf(number));
    }
    const broken = statuses.get("broken") ?? 0;
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== "broken")).toEqual(
      [],
    );
    // Those that were in flight at the kill, or found no gateway just after it.
    expect(broken).toBeGreaterThan(0);
    expect(broken).toBeLessThanOrEqual(2 * AT_ONCE);
    const largest = 4000 * AT_ONCE;

    for (const gateway of gateways) {
      const isWhole = async () => total(sumsOf(await gateway.spent())) >= total(answered);
      await expect.poll(isWhole, SECONDS).toBe(true);
      const found = await gateway.spent();
      expect(found.gateways).toBe(2);
      const spent = sumsOf(found);
      for (const [name, sum] of booked) {
        expect(spent.get(name) ?? 0, name).toBeLessThanOrEqual(sum);
        expect(spent.get(name) ?? 0, name).toBeGreaterThanOrEqual(answered.get(name) ?? 0);
      }
      expect(total(booked) - total(spent)).toBeLessThanOrEqual(largest);
      const ofAll = found.budgets.find(({ budget }) => budget.endsWith("all requests"));
      expect(Math.round((ofAll?.spentUsd ?? 0) * 1e6)).toBe(total(spent));
    }
    console.log(
      `· ${String(REQUESTS)} requests, ${String(broken)} broken: ${String(total(booked))} micro-dollars answered, ${String(total(booked) - total(answered))} of them in broken responses`,
    );
  });
});
