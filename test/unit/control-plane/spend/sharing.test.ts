// Gateways that share budgets by a Redis that evicts keys, hangs, or has a URL that the client does not accept.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Budget, budgetFingerprint } from "../../../../model/budgets.ts";
import type { GatewayModel } from "../../../../model/model.ts";
import { connectRedis } from "../../../../control-plane/spend/redis/redis-connection.ts";
import { budgetKey } from "../../../../control-plane/spend/redis/redis-keys.ts";
import { SharedBudgets } from "../../../../control-plane/spend/redis/shared-budgets.ts";
import { Spend } from "../../../../control-plane/spend/spend.ts";
import type { Tally } from "../../../../control-plane/spend/tallies.ts";
import { Usage } from "../../../../control-plane/usage/usage-follower.ts";
import { missingForRateLimitService } from "../../../../scripts/rate-limit-service.ts";
import { startRedis, type TestRedis } from "../../../gateway/redis.ts";

const BUDGET: Budget = { subject: "all", amount: 100, per: "total" };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sharing-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function newSpend(): { spend: Spend; use: (url: string) => Promise<void> } {
  const report = () => undefined;
  const usage = new Usage({ directory, report });
  const spend = new Spend({ usage, report, onReadiness: () => undefined });
  const use = (text: string) => {
    const redis = { url: { text }, prefix: "p", onFailure: "deny" as const };
    const model = {
      ...{ targets: [], aliases: [], ingress: {}, egress: {} },
      ...{ budgets: [BUDGET], redis },
    } as unknown as GatewayModel;
    return spend.use({ model, logDirectory: directory, environment: {} });
  };
  return { spend, use };
}

it("a URL that the client does not accept can be replaced, and the gateway stops", async () => {
  const { spend, use } = newSpend();
  await expect(use("redis://127.0.0.1:1/abc")).rejects.toThrow("Invalid pathname");
  await use("redis://127.0.0.1:1");
  await expect(use("redis://127.0.0.1:1/abc")).rejects.toThrow("Invalid pathname");
  await spend.close();
});

/** A server that is no Redis: it responds to each command with these bytes. */
async function startFake(
  respond: (socket: Socket) => void,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", () => {
      respond(socket);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

it("a response that is larger than it may be closes the connection, and is not kept", async () => {
  let sent = 0;
  let closed = 0;
  const block = Buffer.alloc(1 << 16);
  const fake = await startFake((socket) => {
    const send = () => {
      while (!socket.destroyed && sent < 1 << 28) {
        sent += block.length;
        if (!socket.write(block)) return;
      }
    };
    socket.write("$1000000000\r\n");
    socket.on("drain", send).on("close", () => (closed += 1));
    send();
  });
  const redis = await connectRedis({ url: fake.url, onReady: () => undefined });
  await expect.poll(() => redis.problem()).toBe("its response is larger than 1 MiB");
  // A connection had at most 1 MiB, and what was in the buffers of the system.
  await expect.poll(() => closed).toBeGreaterThan(0);
  expect(sent / closed).toBeLessThan(1 << 25);
  redis.close();
  await fake.stop();
});

it("a client reads only a fixed word of Redis of a failure", async () => {
  let text = "-NOAUTH Authentication required by secret.host\r\n";
  const fake = await startFake((socket) => socket.write(text));
  const { spend, use } = newSpend();
  await use(fake.url);
  await expect
    .poll(() => spend.missing, { timeout: 20_000 })
    .toMatch(/^Redis cannot be used \(NOAUTH\): /);
  text = "-you are <b>hacked</b>\r\n";
  await expect
    .poll(() => spend.missing, { timeout: 20_000 })
    .toMatch(/^Redis cannot be used \(it responds with an error\): /);
  await fake.stop();
  await expect.poll(() => spend.missing, { timeout: 20_000 }).toMatch(/\(ECONNREFUSED\): /);
  await spend.close();
});

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: sharing by Redis, because ${missing}`);

describe.skipIf(missing !== undefined)("a Redis", () => {
  let server: TestRedis;
  beforeEach(async () => {
    server = await startRedis();
  });
  afterEach(() => server.stop());

  it("a Redis that sends many small responses stays connected", async () => {
    const maxResponseBytes = 1 << 12;
    let ready = 0;
    const onReady = () => (ready += 1);
    const redis = await connectRedis({ url: server.url, maxResponseBytes, onReady });
    await expect.poll(() => ready).toBe(1);
    for (let count = 0; count < 2000; count += 1) await redis.send(["EXISTS", "nothing"]);
    expect([redis.problem(), ready]).toEqual([undefined, 1]);
    redis.close();
  });

  it("a Redis that hangs does not delay the end of the gateway", async () => {
    const { spend, use } = newSpend();
    await use(server.url);
    const redis = await connectRedis({ url: server.url, onReady: () => undefined });
    const hasAsked = () => redis.send(["EXISTS", budgetKey("p", BUDGET, 0)]).catch(String);
    await expect.poll(hasAsked).toBe(1);
    redis.close();
    server.pause();
    await sleep(5_000);
    const start = performance.now();
    await spend.close();
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it("a dead connection to Redis is replaced", { timeout: 20_000 }, async () => {
    const sockets: { client: Socket; upstream: Socket }[] = [];
    const proxy = createServer((client) => {
      const upstream = connectSocket(Number(new URL(server.url).port), "127.0.0.1");
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
      sockets.push({ client, upstream });
    }).listen(0, "127.0.0.1");
    await expect.poll(() => proxy.listening).toBe(true);
    const url = `redis://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
    const redis = await connectRedis({ url, onReady: () => undefined });
    const ping = () => redis.send(["PING"]).catch(String);
    await expect.poll(ping).toBe("PONG");
    // The path is interrupted without a sign: nothing arrives, and nothing is closed.
    sockets[0]?.client.unpipe();
    expect(await ping()).toContain("it does not respond");
    expect(redis.problem()).toBe("it does not respond");
    await expect.poll(ping, { timeout: 12_000, interval: 100 }).toBe("PONG");
    expect(redis.problem()).toBeUndefined();
    redis.close();
    for (const { client, upstream } of sockets) for (const one of [client, upstream]) one.destroy();
    proxy.close();
  });

  it("a Redis that has evicted a budget gets back what the others have spent", async () => {
    const gateway = async (id: string, spent: number) => {
      const ready = Promise.withResolvers<undefined>();
      const redis = await connectRedis({
        url: server.url,
        onReady: () => {
          ready.resolve(undefined);
        },
      });
      await ready.promise;
      const period = { start: 0, end: Infinity };
      const tally = { id: budgetFingerprint(BUDGET), budget: BUDGET, period, spent } as Tally;
      const settings = { prefix: "p", onFailure: "deny" as const };
      const options = { redis, settings, gateway: id, tallies: () => [tally] };
      return { redis, tally, budgets: new SharedBudgets({ ...options, envoy: () => undefined }) };
    };
    const [first, second] = [await gateway("a", 60), await gateway("b", 0)];
    await first.redis.send(["SET", "p:memory", "1"]);
    await first.budgets.begin();
    await second.budgets.begin();
    expect(second.budgets.spentOf(second.tally)).toBe(60);
    await second.redis.send(["DEL", budgetKey("p", BUDGET, 0)]);
    await sleep(300);
    await second.budgets.sync();
    expect(second.budgets.spentOf(second.tally)).toBe(60);
    expect(second.budgets.grantOf(second.tally).granted).toBeLessThanOrEqual(40);
    for (const { redis } of [first, second]) redis.close();
  });
});
