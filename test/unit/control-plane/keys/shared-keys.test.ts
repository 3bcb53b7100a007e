// What becomes of a change whose response of Redis does not arrive, and of revocations that a Redis without data does not know.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeyFile } from "../../../../control-plane/keys/key-file.ts";
import { hashOf, type KeyRecord } from "../../../../control-plane/keys/key-records.ts";
import { SharedKeys } from "../../../../control-plane/keys/shared-keys.ts";
import type { RedisConnection } from "../../../../control-plane/spend/redis/redis-connection.ts";

/** A Redis with the keys alone: it makes each change, unless its version does not follow. */
const redis = {
  keys: new Map<string, string>(),
  /** What it does with the next change. */
  next: "responds",
  isDown: false,
};

function connectFake({ onReady }: { onReady: () => void }): Promise<RedisConnection> {
  onReady();
  const write = (words: readonly string[]) => {
    const [id = "", , version = "", , record = ""] = words.slice(11);
    const before = Number.parseInt(redis.keys.get(id) ?? "0", 10);
    if (words[8] === "1" && before !== Number(version) - 1) return "changed one";
    redis.keys.set(id, `${version} ${record}`);
    return "done";
  };
  const respond = (words: readonly string[]): unknown => {
    if (redis.isDown) throw new Error("it does not respond");
    switch (words[0]) {
      case "EVAL": {
        const { next } = redis;
        redis.next = "responds";
        const result = next === "loses it" || next === "dies" ? "" : write(words);
        redis.isDown = next === "dies";
        if (next !== "responds") throw new Error("it does not respond");
        return result;
      }
      case "HGET":
        return redis.keys.get(words[2] ?? "") ?? null;
      case "HSCAN":
        return ["0", words[1]?.endsWith(":keys") === true ? [...redis.keys].flat() : []];
      case "GET":
        return String(redis.keys.size);
      default:
        return [];
    }
  };
  return Promise.resolve({
    send: (words) => Promise.resolve().then(() => respond(words)),
    problem: () => (redis.isDown ? "it does not respond" : undefined),
    close: () => undefined,
  });
}

const record = (id: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
  ...{ id, name: `name-${id}`, hash: hashOf(id), hint: "gwk_…abcd" },
  ...{ created: 1, createdBy: "ann", updated: 1, version: 1, ...more },
});

let directory: string;
let file: KeyFile;
let shared: SharedKeys;
beforeEach(async () => {
  redis.keys.clear();
  Object.assign(redis, { next: "responds", isDown: false });
  directory = mkdtempSync(join(tmpdir(), "keys-"));
  file = new KeyFile(join(directory, "keys.db"));
  shared = new SharedKeys({
    settings: { url: { text: "redis://127.0.0.1:1" }, prefix: "test", onFailure: "allow" },
    environment: {},
    file: () => file,
    report: () => undefined,
    onProblem: () => undefined,
    onChange: () => undefined,
    connect: connectFake,
  });
  await shared.start();
});
afterEach(async () => {
  await shared.close();
  file.close();
  rmSync(directory, { recursive: true });
});

it("a change that Redis has made without a response is made here, too", async () => {
  redis.next = "makes it";
  await shared.write([{ kind: "key", record: record("a") }], false);
  expect(file.key("a")).toEqual(record("a"));
});

it.each([
  ["loses it", "so the change is not made"],
  ["dies", "it is not known whether the change is made"],
] as const)("a change is reported as it is if Redis %s", async (next, message) => {
  redis.next = next;
  await expect(shared.write([{ kind: "key", record: record("a") }], false)).rejects.toThrow(
    message,
  );
  expect(file.key("a")).toBeUndefined();
});

it("a batch with one name twice is not sent to Redis", async () => {
  const twin = record("b", { name: "name-a" });
  const changes = [record("a"), twin].map((one) => ({ kind: "key" as const, record: one }));
  await expect(shared.write(changes, false)).rejects.toThrow("have the name name-a");
  expect(redis.keys.size).toBe(0);
});

it("keys that were revoked without Redis are revoked in one that has lost its data", async () => {
  for (const id of ["a", "b"]) {
    file.write([{ kind: "key", record: record(id) }]);
    file.write([{ kind: "key", record: record(id, { version: 2, revoked: 5 }) }]);
    file.addPending(id);
  }
  await shared.sync();
  expect(file.pending()).toEqual([]);
  for (const id of ["a", "b"]) expect(redis.keys.get(id)).toContain('"revoked":5');
});

it("a revocation outlasts a version of another gateway that a Redis without data gets first", async () => {
  file.write([{ kind: "key", record: record("a") }]);
  file.write([{ kind: "key", record: record("a", { version: 2, revoked: 5 }) }]);
  redis.keys.set("a", `4 ${JSON.stringify(record("a", { version: 4, owner: "ann" }))}`);
  await shared.sync();
  expect(file.key("a")).toMatchObject({ version: 5, revoked: 5, owner: "ann" });
  expect(redis.keys.get("a")).toMatch(/^5 .*"revoked":5/);
});

it("a revocation counts if another change has the same version", () => {
  file.take([{ kind: "key", record: record("a", { owner: "ann" }) }]);
  file.take([{ kind: "key", record: record("a", { revoked: 5 }) }]);
  expect(file.key("a")).toHaveProperty("revoked", 5);
});
