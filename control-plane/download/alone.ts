// Runs work in one process at a time: two gateways that start at once download a file once.
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../processes/lock-file.ts";
import { makeDirectory } from "../supervisor/make-directory.ts";
import { identityOf } from "../processes/process-identity.ts";

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
  let hasReported = false;
  while (takeLock(lock) !== undefined) {
    if (!hasReported) onWait();
    hasReported = true;
    await sleep(POLL_MS);
  }
  try {
    removeLeftovers(lock);
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
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
