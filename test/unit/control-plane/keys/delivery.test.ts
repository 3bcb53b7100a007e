// How keys reach Envoys: all of them after a start, then changes, whatever fails in between.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hashOf, type KeyRecord } from "../../../../control-plane/keys/key-records.ts";
import { KeyFile } from "../../../../control-plane/keys/key-file.ts";
import { type FakeEnvoy, startFakeEnvoy } from "./fake-envoy.ts";
import { type Desk, openDesk } from "./key-desk.ts";

let desk: Desk;
let envoy: FakeEnvoy;
let socket: string;
const GROUPS =
  "keys: {}\ngroups:\n  research: {models: [openai/gpt-4o], budget: {amount: 5 USD, per: month}}\n";

beforeEach(async () => {
  desk = await openDesk(GROUPS);
  socket = join(desk.directory, "envoy.sock");
  envoy = await startFakeEnvoy(socket);
  await desk.keys.attach(socket);
});
afterEach(async () => {
  await envoy.close();
  await desk.close();
});

it("a whole push ends with `complete` and has the groups of the configuration", () => {
  expect(envoy.pushes.at(-1)?.complete).toBe(1);
  expect(envoy.groups.get("research")).toMatchObject({
    models: ["openai/gpt-4o"],
    budgets: [{ label: "5 USD a month" }],
  });
});

it("a key is valid when its creation is confirmed, and invalid when its revocation is", async () => {
  const { body } = await desk.ask("POST", "/keys", {
    name: "one",
    owner: "ann",
    groups: ["research"],
    ratelimits: [{ requests: 60, tokens: 1000, unit: "minute" }],
    budget: [{ amount: "2 USD", per: "day", unpriced: "reject" }],
    expires: "2030-01-01",
  });
  expect(envoy.keys.get(hashOf(body.key))).toEqual({
    id: body.id,
    name: "one",
    owner: "ann",
    groups: ["research"],
    expires: 1_893_456_000,
    limits: [
      { tokens: 1000, per: "minute" },
      { requests: 60, per: "minute" },
    ],
    budgets: [
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        label: "2 USD a day",
        rejects_unpriced: 1,
      },
    ],
  });
  await desk.ask("PATCH", "/keys/one", { disabled: true });
  expect(envoy.keys.get(hashOf(body.key))?.disabled).toBe(1);
  await desk.ask("DELETE", "/keys/one");
  expect(envoy.keys.size).toBe(0);
});

it("a rotated key is valid until the end of its grace period, and not without one", async () => {
  const { body } = await desk.ask("POST", "/keys", { name: "one" });
  const { body: next } = await desk.ask("POST", "/keys/one/rotate", { grace: "1h" });
  const until = Date.parse(next.old_key_valid_until) / 1000;
  expect(envoy.keys.get(hashOf(body.key))?.expires).toBe(Math.ceil(until));
  expect(envoy.keys.get(hashOf(next.key))).not.toHaveProperty("expires");
  const { body: last } = await desk.ask("POST", "/keys/one/rotate", {});
  expect([...envoy.keys.keys()]).toEqual([hashOf(last.key)]);
});

it("an Envoy that has lost its keys gets all again with the next change", async () => {
  await desk.ask("POST", "/keys", { name: "one" });
  envoy.restart();
  await desk.ask("POST", "/keys", { name: "two" });
  await vi.waitFor(() => {
    expect(envoy.keys.size).toBe(2);
    expect(envoy.groups.size).toBe(1);
  });
});

it("a change that Envoy does not accept is sent again until it does", async () => {
  envoy.isDown = true;
  const { body, status } = await desk.ask("POST", "/keys", { name: "one" });
  expect(status).toBe(201);
  envoy.isDown = false;
  await vi.waitFor(() => {
    expect(envoy.keys.has(hashOf(body.key))).toBe(true);
  }, 10_000);
});

it("a reload that changes groups removes those that are gone", async () => {
  await desk.use("keys: {}\ngroups:\n  ops: {}\n");
  await vi.waitFor(() => {
    expect([...envoy.groups.keys()]).toEqual(["ops"]);
  });
});

it("100,000 keys are given to Envoy in pushes below 4 MiB", { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  const file = new KeyFile(join(directory, "keys.db"));
  const record = (at: number): KeyRecord => ({
    ...{
      id: `key_${String(at)}`,
      name: `key-${String(at)}`,
      hash: hashOf(String(at)),
      hint: "gwk_…abcd",
    },
    ...{
      owner: `user-${String(at % 500)}@example.com`,
      groups: ["research"],
      created: 1,
      createdBy: "ann",
    },
    ...{ updated: 1, version: 1, budgets: [{ amount: 20_000_000_000, per: "month" as const }] },
  });
  file.write(Array.from({ length: 100_000 }, (_, at) => ({ kind: "key", record: record(at) })));
  file.close();
  const other = await startFakeEnvoy(join(directory, "envoy.sock"));
  const started = performance.now();
  const many = await openDesk(GROUPS, { directory });
  await many.keys.attach(join(directory, "envoy.sock"));
  const ms = performance.now() - started;
  console.log(`100,000 keys: ${String(Math.round(ms))} ms until Envoy has them`);
  expect(other.keys.size).toBe(100_000);
  await other.close();
  await many.close();
  rmSync(directory, { recursive: true, force: true });
});
