// A gateway that ends with its users: who they are, also after a kill.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addUser, endUnused } from "../../../../control-plane/supervisor/users.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-users-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

it("a gateway with a user does not end, and one without does", () => {
  const user = addUser(directory, { endsUnused: false });
  expect(endUnused(directory)).toBe(false);
  user?.remove();
  expect(endUnused(directory)).toBe(true);
});

it("a gateway that is about to end gets no user any more", () => {
  addUser(directory, { endsUnused: false })?.remove();
  expect(endUnused(directory)).toBe(true);
  expect(addUser(directory, { endsUnused: true })).toBeUndefined();
  // Nothing is left of the attempt, and the next gateway has users again.
  expect(endUnused(directory)).toBe(true);
  expect(addUser(directory, { endsUnused: false })).toBeDefined();
});

it("a second user keeps the gateway", () => {
  addUser(directory, { endsUnused: false })?.remove();
  const user = addUser(directory, { endsUnused: true });
  expect(user).toBeDefined();
  expect(endUnused(directory)).toBe(false);
});

it("the files of a user that was killed are removed", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const place = join(directory, "users", String(pid));
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "process.json"), JSON.stringify({ pid, startTime: "1" }));
  writeFileSync(join(place, "settings.json"), "a key");
  expect(endUnused(directory)).toBe(true);
  expect(existsSync(place)).toBe(false);
});

it("the directory of a user is private", () => {
  const user = addUser(directory, { endsUnused: false });
  expect(statSync(user?.directory ?? "").mode & 0o077).toBe(0);
});
