// Keys of two gateways with one Redis, each with its Envoy: created, changed and revoked at one, they count at both, also when Redis
// stops in the middle of it.
import { Agent } from "node:http";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import { freePort } from "../free-port.ts";
import { startRedis, type TestRedis } from "../gateway/redis.ts";
import { type PricedProvider, startPricedProvider } from "../providers/scripts/priced.ts";
import { type BudgetGateway, configurationWith, openGateway, secretOf } from "./budget-desk.ts";

const SOON = { timeout: 60_000, interval: 20 };
const TOKEN = "a-token-of-the-admin-0123456789";

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: shared keys in Envoy, because ${missing}`);

interface Shared extends BudgetGateway {
  api: (method: string, path: string, body?: object) => Promise<Reply>;
  /** The status of a request with a key. */
  use: (key: string) => Promise<number>;
}
interface Reply {
  status: number;
  body: { key?: string; status?: string; error?: { message: string } };
}

describe.skipIf(missing !== undefined)("two gateways with one Redis", { timeout: 240_000 }, () => {
  const agent = new Agent({ keepAlive: true });
  let provider: PricedProvider;
  let redis: TestRedis;
  let first: Shared;
  let second: Shared;

  const open = async (): Promise<Shared> => {
    const gateway = await openGateway(agent);
    const port = await freePort();
    const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
    const shared: Shared = {
      ...gateway,
      async api(method, path, body) {
        const response = await fetch(`http://127.0.0.1:${String(port)}/api/v1${path}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as Reply["body"] };
      },
      async use(key) {
        const url = `http://127.0.0.1:${String(gateway.ports.egress)}/v1/chat/completions`;
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
          body: JSON.stringify({
            model: "fake/m0",
            messages: [{ role: "user", content: "1 5 5" }],
          }),
        });
        await response.text();
        return response.status;
      },
    };
    const more = (onFailure: string) =>
      [
        "keys: {store: redis}",
        `redis: {url: $REDIS_URL, on_failure: ${onFailure}}`,
        `observability: {metrics: {port: ${String(port)}, token: $METRICS_TOKEN}}`,
      ].join("\n");
    shared.up = async () => {
      const text = configurationWith(gateway, provider, ["m0"], "$TEAM", more(policy));
      gateway.write(text, { TEAM: secretOf("TEAM"), METRICS_TOKEN: TOKEN, REDIS_URL: redis.url });
      await gateway.up();
    };
    return shared;
  };
  let policy: "allow" | "deny";

  const up = async (onFailure: typeof policy) => {
    policy = onFailure;
    await Promise.all([first.up(), second.up()]);
  };
  const create = async (gateway: Shared, name: string) => {
    const { status, body } = await gateway.api("POST", "/keys", { name });
    expect(status, body.error?.message).toBe(201);
    return body.key ?? "";
  };
  /** Waits until both gateways respond so to a key. */
  const expectAtBoth = async (key: string, status: number) => {
    const started = performance.now();
    for (const one of [first, second]) await expect.poll(() => one.use(key), SOON).toBe(status);
    return Math.round(performance.now() - started);
  };

  beforeEach(async () => {
    provider = await startPricedProvider();
    redis = await startRedis({ password: "a-password" });
    [first, second] = [await open(), await open()];
  });
  afterEach(async () => {
    redis.resume();
    await Promise.all([first.close(), second.close()]);
    await redis.stop();
    await provider.stop();
  });
  afterAll(() => {
    agent.destroy();
  });

  it("a key that is created, changed and revoked at one gateway is so at both", async () => {
    await up("allow");
    const key = await create(first, "one");
    const times = [await expectAtBoth(key, 200)];
    await second.api("PATCH", "/keys/one", { disabled: true });
    times.push(await expectAtBoth(key, 401));
    await first.api("PATCH", "/keys/one", { disabled: false });
    times.push(await expectAtBoth(key, 200));
    await second.api("DELETE", "/keys/one");
    times.push(await expectAtBoth(key, 401));
    console.log(`at both gateways after ${times.join(", ")} ms`);
    // Both create the same name at once.
    const made = await Promise.all(
      [first, second, first, second].map((one) => one.api("POST", "/keys", { name: "twin" })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const twin = made.find(({ status }) => status === 201)?.body.key ?? "";
    await expectAtBoth(twin, 200);
  });

  it("Redis that stops in the middle of a revoke: the key is refused where it was asked, and at the other gateway when Redis is back", async () => {
    await up("allow");
    const [key, other] = [await create(first, "one"), await create(first, "other")];
    await expectAtBoth(key, 200);
    await expectAtBoth(other, 200);
    redis.pause();
    const revoked = await first.api("DELETE", "/keys/one");
    expect([revoked.status, revoked.body.status]).toEqual([200, "revoked"]);
    expect([await first.use(key), await second.use(key)]).toEqual([401, 200]);
    redis.resume();
    await expectAtBoth(key, 401);
    await redis.kill();
    expect((await first.api("DELETE", "/keys/other")).body.status).toBe("revoked");
    expect([await first.use(other), await second.use(other)]).toEqual([401, 200]);
    // It has lost its data, which the gateways restore.
    await redis.start();
    await expectAtBoth(other, 401);
    await expectAtBoth(await create(second, "next"), 200);
  });

  it("Redis down, on_failure deny: a gateway is not ready, creates nothing, and revokes", async () => {
    await up("deny");
    const [key, other] = [await create(first, "one"), await create(first, "other")];
    await expectAtBoth(key, 200);
    await expectAtBoth(other, 200);
    await redis.kill();
    await expect.poll(async () => (await second.ready()).status, SOON).toBe(503);
    const { body } = await second.ready();
    expect(body.reason).toContain("Redis cannot be used");
    expect(JSON.stringify(body)).not.toContain("a-password");
    const refused = await second.api("POST", "/keys", { name: "late" });
    expect([refused.status, refused.body.error?.message]).toEqual([
      503,
      expect.stringContaining("not made") as string,
    ]);
    expect((await second.api("DELETE", "/keys/one")).body.status).toBe("revoked");
    // Who is still sent here is served by what is known.
    expect([await second.use(key), await second.use(other)]).toEqual([401, 200]);
    await redis.start();
    await expectAtBoth(key, 401);
    await expect.poll(async () => (await second.ready()).status, SOON).toBe(200);
    await expectAtBoth(await create(second, "late"), 200);
  });
});
