// How keys reach Envoys: all of them after a start, then changes, whatever fails in between.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hashOf, type KeyRecord } from "../../../../control-plane/keys/key-records.ts";
import { Keys } from "../../../../control-plane/keys/key-service.ts";
import { KeyFile } from "../../../../control-plane/keys/key-file.ts";
import { type FakeEnvoy, startFakeEnvoy } from "./fake-envoy.ts";
import { type Desk, modelOf, openDesk } from "./key-desk.ts";

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

it("a row that Envoy rejects does not keep others from it, and is reported once", async () => {
  envoy.rejects = (row) => "owner" in row && row.owner === "bad";
  const input = (at: number) => ({
    ...{ name: `key-${String(at)}`, hash: hashOf(String(at)) },
    owner: at === 3 ? "bad" : "ann",
  });
  await desk.ask("POST", "/keys/import", { keys: Array.from({ length: 9 }, (_, at) => input(at)) });
  expect(envoy.keys.size).toBe(8);
  expect(envoy.keys.has(hashOf("3"))).toBe(false);
  envoy.restart();
  await desk.ask("PATCH", "/keys/key-1", { disabled: true });
  await vi.waitFor(() => {
    expect([envoy.keys.size, envoy.groups.size]).toEqual([8, 1]);
  });
  expect(desk.lines.filter((line) => line.includes("Envoy rejects key key-3"))).toHaveLength(1);
});

it("a changed row that Envoy rejects is removed, so that the key does not keep what it had", async () => {
  const { body } = await desk.ask("POST", "/keys", { name: "one", owner: "ann" });
  envoy.rejects = (row) => "owner" in row && row.owner === "bad";
  await desk.ask("PATCH", "/keys/one", { owner: "bad" });
  expect(envoy.keys.has(hashOf(body.key))).toBe(false);
});

it("a user's row that Envoy rejects allows nothing, because a user without one has no limits", async () => {
  envoy.rejects = ({ limits }) => limits !== undefined;
  await desk.use("keys: {}\nusers:\n  ann: {ratelimits: [{requests: 1, unit: day}]}\n  bob: {}\n");
  await vi.waitFor(() => {
    expect(Object.fromEntries(envoy.users)).toEqual({ ann: { models: [] }, bob: {} });
  });
});

it("a stored name that Envoy rejects is left out, and keeps nothing else from Envoy", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  const file = new KeyFile(join(directory, "keys.db"));
  // 200 bytes, and 201 of JSON.
  const name = `CORP\\${"a".repeat(195)}`;
  const record = { created: 1, updated: 1, version: 1 };
  file.write([
    { kind: "group", record: { ...record, name: `user ${name}` } },
    { kind: "group", record: { ...record, name: "user ann" } },
  ]);
  file.close();
  const other = await startFakeEnvoy(join(directory, "envoy.sock"));
  const old = await openDesk(GROUPS, { directory });
  await old.keys.attach(join(directory, "envoy.sock"));
  expect([...other.users.keys(), ...other.groups.keys()]).toEqual(["ann", "research"]);
  expect(other.pushes.at(-1)?.complete).toBe(1);
  expect(old.lines.filter((line) => line.includes(`Envoy rejects user ${name}: `))).toHaveLength(1);
  await other.close();
  await old.close();
});

it("a group that changes while a push is on its way reaches Envoy", async () => {
  let reloaded: Promise<void> | undefined;
  envoy.onPush = () => {
    reloaded ??= desk.use("keys: {}\ngroups:\n  ops: {}\n");
  };
  await desk.ask("POST", "/keys", { name: "one" });
  await reloaded;
  await vi.waitFor(() => {
    expect([...envoy.groups.keys()]).toEqual(["ops"]);
  });
});

it("a key of more than 8 rotations ago is invalid at an Envoy that was away for all of them", async () => {
  const { body } = await desk.ask("POST", "/keys", { name: "one" });
  expect(envoy.keys.size).toBe(1);
  envoy.isDown = true;
  const rotated = [];
  const service = desk.keys;
  for (let at = 0; at < 10; at++) rotated.push(service.rotate("one", { graceMs: 0 }));
  const keys = await Promise.all(rotated).catch(() => []);
  envoy.isDown = false;
  expect(keys).toHaveLength(10);
  await vi.waitFor(() => {
    expect([...envoy.keys.keys()]).toEqual([hashOf(keys.at(-1)?.key ?? "")]);
  }, 10_000);
  expect(envoy.keys.has(hashOf(body.key))).toBe(false);
});

it("a change reads no record of other keys, and gives budgets only if it changes some", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  let given = 0;
  const keys = new Keys({ directory, report: () => undefined, onBudgets: () => (given += 1) });
  await keys.use({ model: modelOf("keys: {}\n"), environment: {} });
  const budgets = [{ amount: 5, per: "day" as const }];
  await keys.create({ name: "one", budgets }, "ann");
  expect(keys.budgets()).toEqual([{ ...budgets[0], subject: { key: "one" } }]);
  const all = vi.spyOn(KeyFile.prototype, "keysAfter");
  given = 0;
  await keys.update("one", { isDisabled: true });
  await keys.create({ name: "two" }, "ann");
  expect(given).toBe(0);
  await keys.update("two", { budgets });
  expect([given, keys.budgets().length]).toEqual([1, 2]);
  await keys.revoke("one");
  expect([given, keys.budgets().length]).toEqual([2, 1]);
  expect(all).not.toHaveBeenCalled();
  all.mockRestore();
  await keys.close();
  rmSync(directory, { recursive: true });
});

it(
  "a push of groups of more than 4 MiB is given to Envoy in parts",
  { timeout: 60_000 },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "keys-"));
    const file = new KeyFile(join(directory, "keys.db"));
    const models = Array.from({ length: 60 }, (_, at) => "m".repeat(180) + String(at));
    const groups = Array.from({ length: 400 }, (_, at) => ({
      kind: "group" as const,
      record: { name: `group-${String(at)}`, models, created: 1, updated: 1, version: 1 },
    }));
    file.write(groups);
    file.close();
    const other = await startFakeEnvoy(join(directory, "envoy.sock"));
    const many = await openDesk("keys: {}\n", { directory });
    await many.keys.attach(join(directory, "envoy.sock"));
    expect(other.groups.size).toBe(400);
    await other.close();
    await many.close();
  },
);

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
  // `attach` waits 10 s at most, which a busy machine exceeds.
  await expect.poll(() => other.keys.size, { timeout: 100_000 }).toBe(100_000);
  const ms = performance.now() - started;
  console.log(`100,000 keys: ${String(Math.round(ms))} ms until Envoy has them`);
  await other.close();
  await many.close();
  rmSync(directory, { recursive: true, force: true });
});
