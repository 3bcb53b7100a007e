// Gateways that share keys by a real Redis, also while Redis is down and after it has lost its data.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { missingForRateLimitService } from "../../../../scripts/rate-limit-service.ts";
import { startRedis, type TestRedis } from "../../../gateway/redis.ts";
import { type Desk, openDesk } from "./key-desk.ts";

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: shared keys, because ${missing}`);

const YAML = "keys: {store: redis}\nredis: {url: $REDIS_URL}\n";
const SOON = { timeout: 30_000, interval: 50 };

describe.skipIf(missing !== undefined)("gateways with one Redis", { timeout: 120_000 }, () => {
  let redis: TestRedis;
  let desks: Desk[];
  let first: Desk;
  let second: Desk;

  const open = async (directory?: string) => {
    const environment = { REDIS_URL: redis.url };
    const desk = await openDesk(YAML, {
      environment,
      ...(directory === undefined ? {} : { directory }),
    });
    desks.push(desk);
    return desk;
  };
  const statusAt = async (desk: Desk, name: string) => {
    const { status, body } = await desk.ask("GET", `/keys/${name}`);
    return status === 200 ? body.status : status;
  };

  beforeEach(async () => {
    redis = await startRedis({ password: "a-password" });
    desks = [];
    first = await open();
    second = await open();
  });
  afterEach(async () => {
    for (const desk of desks) await desk.close();
    await redis.stop();
  });

  it("a key is known to the other gateway within a second", async () => {
    const started = performance.now();
    const { body } = await first.ask("POST", "/keys", { name: "one" });
    await vi.waitFor(async () => {
      expect(await statusAt(second, "one")).toBe("active");
    }, SOON);
    console.log(
      `known to the other gateway after ${String(Math.round(performance.now() - started))} ms`,
    );
    await second.ask("PATCH", "/keys/one", { disabled: true });
    await vi.waitFor(async () => {
      expect(await statusAt(first, body.id)).toBe("disabled");
    }, SOON);
  });

  it("two gateways that create the same name at once: one of them does", async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? first : second).ask("POST", "/keys", { name: "one" }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    await vi.waitFor(async () => {
      expect((await first.ask("GET", "/keys")).body.data).toEqual(
        (await second.ask("GET", "/keys")).body.data,
      );
    }, SOON);
  });

  it("a key that was revoked while Redis is down is revoked at the other gateway when Redis is back", async () => {
    await first.ask("POST", "/keys", { name: "one" });
    await vi.waitFor(async () => {
      expect(await statusAt(second, "one")).toBe("active");
    }, SOON);
    const { id } = (await first.ask("GET", "/keys/one")).body;
    await second.ask("PATCH", "/keys/one", { disabled: false });
    await redis.kill();
    await vi.waitFor(async () => {
      expect((await first.ask("POST", "/keys", { name: "two" })).status).toBe(503);
    }, SOON);
    expect((await first.ask("DELETE", `/keys/${id}`)).body.status).toBe("revoked");
    expect(await statusAt(second, id)).toBe("active");
    // It comes back without data, which the gateways restore.
    await redis.start();
    await vi.waitFor(async () => {
      expect(await statusAt(second, id)).toBe("revoked");
    }, SOON);
    expect(await statusAt(first, id)).toBe("revoked");
    expect(first.lines.join()).not.toContain("a-password");
  });

  it("a gateway starts with its copy while Redis is down, and a new one gets all from Redis", async () => {
    for (let at = 0; at < 5; at++) await first.ask("POST", "/keys", { name: `key-${String(at)}` });
    await first.ask("POST", "/groups", { name: "ops" });
    const third = await open();
    expect((await third.ask("GET", "/keys")).body.data).toHaveLength(5);
    expect((await third.ask("GET", "/groups/ops")).status).toBe(200);
    await redis.kill();
    await third.keys.close();
    const again = await open(third.directory);
    expect((await again.ask("GET", "/keys")).body.data).toHaveLength(5);
    expect(again.keys.problem).toContain("Redis cannot be used");
  });
});
