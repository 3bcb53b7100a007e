// The lock of a download: taken over from a process that has ended, never from one that runs.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { alone } from "../../../../control-plane/download/alone.ts";
import * as processes from "../../../../control-plane/processes/process-identity.ts";

vi.mock("../../../../control-plane/processes/process-identity.ts", { spy: true });

let directory: string;
let lock: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-lock-"));
  lock = join(directory, "file.lock");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

it("a lock that another process has taken over in the same moment stays with it", async () => {
  writeFileSync(lock, JSON.stringify(processes.identityOf(process.ppid)));
  // What this process sees first is the lock of the process before.
  vi.mocked(processes.isAlive).mockReturnValueOnce(false);
  let hasRun = false;
  const waiting = vi.fn();
  const done = alone(lock, waiting, () => Promise.resolve((hasRun = true)));
  await expect.poll(() => waiting.mock.calls.length).toBe(1);
  expect(existsSync(lock)).toBe(true);
  expect(hasRun).toBe(false);
  rmSync(lock);
  await done;
  expect(hasRun).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
});

it("files of processes that were killed while they waited are removed", async () => {
  const [killed, running] = [2 ** 22 + 1, process.ppid].map((pid) => `file.lock.${String(pid)}`);
  for (const name of [killed, running, "file.lock.other"]) {
    writeFileSync(join(directory, name ?? ""), "{}");
  }
  await alone(lock, expect.unreachable, () => Promise.resolve());
  expect(readdirSync(directory).sort()).toEqual([running, "file.lock.other"].sort());
});
