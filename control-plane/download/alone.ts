// Runs work in one process at a time: two gateways that start at once download a file once.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDirectory } from "../supervisor/make-directory.ts";
import { identityOf, isAlive, type ProcessIdentity } from "../supervisor/process-identity.ts";
import { tryLink } from "../supervisor/try-link.ts";

const POLL_MS = 200;

/**
 * Waits for other processes, then runs the work. The lock of a process that has ended is taken over.
 * @param onWait called once if a different process has the lock
 */
export async function alone<Result>(
  lock: string,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  makeDirectory(dirname(lock));
  const own = `${lock}.${String(process.pid)}`;
  writeFileSync(own, JSON.stringify(identityOf(process.pid)));
  try {
    let hasReported = false;
    while (!tryLink(own, lock)) {
      if (!isHeld(lock)) {
        removeStale(lock, `${own}.stale`);
        continue;
      }
      if (!hasReported) onWait();
      hasReported = true;
      await sleep(POLL_MS);
    }
  } finally {
    rmSync(own, { force: true });
  }
  try {
    removeLeftovers(lock);
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Removes the lock of a process that has ended. A different process may have replaced it by its own, which is put back. */
function removeStale(lock: string, own: string): void {
  try {
    renameSync(lock, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (isHeld(own)) tryLink(own, lock);
  rmSync(own, { force: true });
}

/** Removes the files of processes that were killed while they waited. */
function removeLeftovers(lock: string): void {
  const prefix = `${basename(lock)}.`;
  for (const name of readdirSync(dirname(lock))) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : NaN;
    const isLeft = Number.isInteger(pid) && identityOf(pid).startTime === "";
    if (isLeft) rmSync(join(dirname(lock), name), { force: true });
  }
}

function isHeld(lock: string): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(lock, "utf8")) as ProcessIdentity);
  } catch {
    return false;
  }
}
