// What becomes of keys when their file cannot be used, and when a process ends in the middle of a change.
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Desk, openDesk } from "./key-desk.ts";

const desks: Desk[] = [];
async function open(directory?: string): Promise<Desk> {
  const desk = await openDesk("keys: {}\n", directory === undefined ? {} : { directory });
  desks.push(desk);
  return desk;
}
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

it("a damaged file is not replaced: keys cannot be created, and the reason is reported", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  writeFileSync(
    join(directory, "keys.db"),
    "this is no database, and has more than a header of text".repeat(40),
  );
  const desk = await open(directory);
  const { status, body, headers } = await desk.ask("POST", "/keys", { name: "one" });
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("5");
  expect(body.error.message).toContain("file is not a database");
  expect(desk.keys.problem).toContain("Restore it from a backup");
  expect(() => desk.keys.groups.hasCreated("ops")).toThrow("not available");
  expect(readFileSync(join(directory, "keys.db"), "utf8")).toContain("this is no database");
});

it("a file of a newer version is not touched", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  const database = new DatabaseSync(join(directory, "keys.db"));
  database.exec("PRAGMA user_version = 99");
  database.close();
  expect((await open(directory)).keys.problem).toContain("newer version");
});

it("a locked or full file rejects the change with 503, and the next one succeeds", async () => {
  const desk = await open();
  const other = new DatabaseSync(join(desk.directory, "keys.db"));
  other.exec("BEGIN IMMEDIATE");
  const { status, body } = await desk.ask("POST", "/keys", { name: "one" });
  expect([status, body.error.message]).toEqual([503, expect.stringContaining("locked")]);
  other.exec("ROLLBACK");
  other.close();
  expect((await desk.ask("POST", "/keys", { name: "one" })).status).toBe(201);
});

it("a file keeps keys over a restart, and a copy of it is a backup", async () => {
  const desk = await open();
  await desk.ask("POST", "/keys", { name: "one" });
  await desk.keys.close();
  const directory = mkdtempSync(join(tmpdir(), "keys-"));
  copyFileSync(join(desk.directory, "keys.db"), join(directory, "keys.db"));
  const second = await open(directory);
  expect((await second.ask("GET", "/keys/one")).status).toBe(200);
});

it("two changes of one name at once: one is made", async () => {
  const desk = await open();
  const statuses = await Promise.all(
    Array.from(
      { length: 10 },
      async () => (await desk.ask("POST", "/keys", { name: "one" })).status,
    ),
  );
  expect(statuses.sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
});

it(
  "a process that is killed while it creates keys leaves whole keys only",
  { timeout: 60_000 },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "keys-"));
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "create-for-ever.ts"), directory],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const confirmed: string[] = [];
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (text: string) => {
        confirmed.push(...text.split("\n").filter(Boolean));
        if (confirmed.length >= 20) child.kill("SIGKILL");
      });
      child.on("close", () => {
        resolve();
      });
    });
    const desk = await open(directory);
    const { body } = await desk.ask("GET", "/keys?limit=500");
    const names = new Set(body.data.map(({ name }) => name));
    // The last line may be cut.
    for (const name of confirmed.slice(0, 20)) expect(names).toContain(name);
    expect((await desk.ask("POST", "/keys", { name: "after" })).status).toBe(201);
    rmSync(directory, { recursive: true, force: true });
  },
);
