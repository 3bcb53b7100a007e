// Keys of run time in a real Envoy with two workers: a new key is usable after one push on all workers, a revoked one is rejected at
// once while a stream that runs ends normally, a new Envoy gets all keys again, and a hundred thousand keys fit.
import { createHash } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type KeyRow, pushAllKeys, pushKeys } from "../../control-plane/keys/push-keys.ts";
import { pushLimits } from "../../control-plane/spend/push-limits.ts";
import { startGateway, type Gateway } from "../gateway/gateway.ts";
import { startLedgerProvider, type LedgerProvider } from "../providers/scripts/ledger.ts";

const CONFIG = (url: string) => `
keys: {}
llm_providers:
  - { model: openai/chat-model, access_key: $KEY, base_url: "${url}/v1" }
pricing:
  openai/chat-model: { input: 1, output: 1 }
`;

let gateway: Gateway;
let provider: LedgerProvider;

beforeAll(async () => {
  provider = await startLedgerProvider(17);
  gateway = await start();
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

function start(): Promise<Gateway> {
  const config = CONFIG(`http://127.0.0.1:${String(provider.port)}`);
  return startGateway({ config, environment: { KEY: "a-key-of-a-provider" } });
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function rowOf(key: string): KeyRow {
  return { id: `key_${key}`, name: key };
}

/** Sends a request on its own connection, so that the workers take turns. */
function send(key: string, stream = false): Promise<IncomingMessage> {
  const body = JSON.stringify({
    model: "openai/chat-model",
    messages: [{ role: "user", content: "plan 1 plain" }],
    stream,
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const to = { port: gateway.ports.egress, path: "/v1/chat/completions", method: "POST", headers };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...to, agent: new Agent() }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const bytes of response) text += String(bytes);
  return text;
}

/** Returns the statuses of requests on new connections. */
async function statuses(key: string, count = 12): Promise<number[]> {
  const found = new Set<number>();
  for (let i = 0; i < count; i++) {
    const response = await send(key);
    await textOf(response);
    found.add(response.statusCode ?? 0);
  }
  return [...found];
}

it("a key is usable after one push, and rejected after another one, on all workers", async () => {
  const { budgetsSocketPath: socket } = gateway;
  expect(await statuses("anna")).toEqual([503]);
  const rows = { [hashOf("anna")]: rowOf("anna") };
  expect(await pushAllKeys(socket, { keys: rows, groups: {}, users: {} })).toEqual({
    fresh: 1,
    keys: 1,
  });
  expect(await statuses("anna")).toEqual([200]);
  expect(await statuses("bob")).toEqual([401]);
  await pushKeys(socket, { keys: { [hashOf("bob")]: rowOf("bob") } });
  expect(await statuses("bob")).toEqual([200]);
  const running = await send("bob", true);
  await pushKeys(socket, { keys: { [hashOf("bob")]: null } });
  expect(await statuses("bob")).toEqual([401]);
  expect(running.statusCode).toBe(200);
  expect(await textOf(running)).toContain("[DONE]");
}, 120_000);

it("a budget of a key is enforced on all workers", async () => {
  const { budgetsSocketPath: socket } = gateway;
  const id = "00000000000000aa";
  const row = { ...rowOf("paid"), budgets: [{ id, label: "1 USD a day" }] };
  await pushKeys(socket, { keys: { [hashOf("paid")]: row } });
  expect(await statuses("paid")).toEqual([503]);
  await pushLimits(socket, [], [{ id, limit: 1, resets: 4_000_000_000 }]);
  expect(await statuses("paid")).toEqual([200, 429]);
  const { key_budgets: charged } = await pushLimits(
    socket,
    [],
    [{ id, limit: 1e15, resets: 4_000_000_000 }],
  );
  expect(charged?.[0]?.charged).toBeGreaterThan(0);
  expect(await statuses("paid")).toEqual([200]);
}, 120_000);

it("a new Envoy has no keys, and gets a hundred thousand", async () => {
  await gateway.stop();
  gateway = await start();
  const { budgetsSocketPath: socket } = gateway;
  expect(await statuses("key-7")).toEqual([503]);
  const before = memoryOf(gateway.pid);
  const keys = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, at) => [
      hashOf(`key-${String(at)}`),
      rowOf(`key-${String(at)}`),
    ]),
  );
  const started = performance.now();
  expect(await pushAllKeys(socket, { keys, groups: {}, users: {} })).toMatchObject({
    keys: 100_000,
  });
  const milliseconds = Math.round(performance.now() - started);
  const megabytes = (memoryOf(gateway.pid) - before) / 1e6;
  console.log(`100,000 keys: ${String(milliseconds)} ms, ${megabytes.toFixed(1)} MB`);
  expect(await statuses("key-99999", 4)).toEqual([200]);
  expect(await statuses("key-100000", 4)).toEqual([401]);
  // The VM that reads a push keeps up to 20 MB of its memory.
  expect(megabytes).toBeLessThan(100);
}, 240_000);

/** Returns the resident memory of a process in bytes. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}
