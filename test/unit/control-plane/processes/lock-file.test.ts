// The lock of a log directory that two users can write.
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { takeLock } from "../../../../control-plane/processes/lock-file.ts";
import { lockLogs } from "../../../../control-plane/supervisor/log-directory.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lock-"));
  chmodSync(directory, 0o777);
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

it("a lock file can be read by every user who reaches its directory", () => {
  expect(lockLogs(directory)).toBeUndefined();
  expect(statSync(join(directory, ".gateway.lock")).mode & 0o777).toBe(0o644);
});

// Only root can act as another user.
it.runIf(process.getuid?.() === 0)(
  "a lock stays with a running process when another user requests it",
  () => {
    expect(lockLogs(directory)).toBeUndefined();
    process.seteuid?.(65_534);
    try {
      expect(takeLock(join(directory, ".gateway.lock"))).toMatchObject({ pid: process.pid });
    } finally {
      process.seteuid?.(0);
    }
  },
);
