// Grants by a real Redis: never more than the amount, whatever happens to gateways and to Redis.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  connectRedis,
  type RedisConnection,
} from "../../../../control-plane/spend/redis/redis-connection.ts";
import {
  type GrantRequest,
  requestGrant,
  SETTLE_MS,
} from "../../../../control-plane/spend/redis/grant-script.ts";
import { missingForRateLimitService } from "../../../../scripts/rate-limit-service.ts";
import { createAuthority } from "../../../gateway/certificates.ts";
import { startRedis, type TestRedis } from "../../../gateway/redis.ts";

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: budgets in Redis, because ${missing}`);

let server: TestRedis;
let redis: RedisConnection;
let number = 0;

async function connect(url: string): Promise<RedisConnection> {
  const ready = Promise.withResolvers<undefined>();
  const connection = await connectRedis({
    url,
    onReady: () => {
      ready.resolve(undefined);
    },
  });
  await ready.promise;
  return connection;
}

describe.skipIf(missing !== undefined)("grants", () => {
  beforeAll(async () => {
    server = await startRedis({ user: "gateway", password: "p@ss word" });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    redis = await connect(server.url.replace("p@ss word", encodeURIComponent("p@ss word")));
    number += 1;
    // Redis had its data for long.
    await redis.send(["SET", "p:memory", "1"]);
  });
  afterEach(() => {
    redis.close();
  });

  const ask = (gateway: string, wanted: number, more: Partial<GrantRequest> = {}) =>
    requestGrant(redis, {
      keys: { budget: `p:budget:${String(number)}`, memory: "p:memory" },
      gateway,
      wanted,
      spent: 0,
      held: 0,
      amount: 100,
      leaseMs: 60_000,
      expires: 0,
      ...more,
    });

  it("Redis grants the requested amounts until none is left, and again those that were returned", async () => {
    expect(await ask("a", 50)).toMatchObject({ granted: 50, room: 100 });
    expect(await ask("b", 80)).toMatchObject({ granted: 50, room: 50 });
    expect(await ask("c", 10)).toMatchObject({ granted: 0, room: 0 });
    expect(await ask("a", 20, { spent: 10 })).toMatchObject({ granted: 20 });
    expect(await ask("c", 90)).toMatchObject({
      granted: 30,
      others: new Map([
        ["a", 10],
        ["b", 0],
      ]),
    });
  });

  it("the sum of grants is never more than the amount, whatever many gateways ask for", async () => {
    const held = new Map<string, number>();
    for (let step = 0; step < 300; step += 1) {
      const gateway = `g${String(step % 7)}`;
      const spent = Math.min(held.get(gateway) ?? 0, step % 13);
      const { granted } = await ask(gateway, (step * 37) % 90, { spent });
      held.set(gateway, Math.max(granted, spent));
      const total = [...held.values()].reduce((sum, one) => sum + one, 0);
      expect(total).toBeLessThanOrEqual(100);
    }
  });

  it("spent amounts are counted also if they exceed the grant, and never become less", async () => {
    await ask("a", 50, { spent: 70 });
    expect((await ask("b", 100)).granted).toBe(30);
    await ask("a", 0, { spent: 60 });
    expect((await ask("b", 100)).granted).toBe(30);
  });

  it("a grant ends with its lease; what was spent stays", async () => {
    await ask("a", 90, { spent: 10, leaseMs: 0 });
    expect(await ask("b", 100)).toMatchObject({ granted: 90, room: 90 });
  });

  it("an amount of a reload counts at once", async () => {
    await ask("a", 50, { spent: 50 });
    expect((await ask("b", 500, { amount: 300 })).granted).toBe(250);
    expect((await ask("b", 500, { amount: 20 })).granted).toBe(0);
  });

  it("a Redis without its data grants nothing new until all gateways have written theirs", async () => {
    await redis.send(["DEL", "p:memory"]);
    const first = await ask("a", 100, { spent: 10, held: 30, others: new Map([["gone", 25]]) });
    expect(first).toMatchObject({ granted: 30, isSettling: true, others: new Map([["gone", 25]]) });
    expect((await ask("b", 100, { spent: 5, held: 20 })).granted).toBe(20);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    expect(await ask("a", 100, { spent: 10, held: 30 })).toMatchObject({
      granted: 55,
      isSettling: false,
    });
  });

  it("keys expire after their period", async () => {
    await ask("a", 10, { expires: Math.floor(Date.now() / 1000) + 100 });
    const ttl = Number(await redis.send(["TTL", `p:budget:${String(number)}`]));
    expect(ttl).toBeGreaterThan(90);
  });

  it("TLS: a server is verified by the authorities, and one of others is rejected", async () => {
    const authority = createAuthority();
    const secure = await startRedis({ password: "p", certificate: authority.issue("127.0.0.1") });
    const ready = Promise.withResolvers<undefined>();
    const verified = await connectRedis({
      url: secure.url,
      authorities: authority.cert,
      onReady: () => {
        ready.resolve(undefined);
      },
    });
    await ready.promise;
    expect(await verified.send(["PING"])).toBe("PONG");
    const rejected = await connectRedis({
      url: secure.url,
      authorities: createAuthority().cert,
      onReady: () => undefined,
    });
    await expect.poll(() => rejected.problem()).toMatch(/CERT|VERIFY/);
    for (const one of [verified, rejected]) one.close();
    await secure.stop();
  });

  it("no problem has anything of the URL", async () => {
    const url = new URL(server.url);
    url.password = "wrong-secret";
    const wrong = await connectRedis({ url: url.href, onReady: () => undefined });
    await expect.poll(() => wrong.problem()).toContain("WRONGPASS");
    await expect(wrong.send(["PING"])).rejects.toThrow("WRONGPASS");
    expect(wrong.problem()).not.toContain("secret");
    wrong.close();
  });

  it("a Redis that stands still fails in time, and one that comes back is used", async () => {
    server.pause();
    await expect(redis.send(["PING"])).rejects.toThrow("it does not respond");
    server.resume();
    await expect.poll(() => redis.send(["PING"]).catch(String)).toBe("PONG");
    await server.kill();
    await expect.poll(() => redis.problem()).toBe("ECONNREFUSED");
    await server.start();
    await expect.poll(() => redis.problem()).toBeUndefined();
  });
});
