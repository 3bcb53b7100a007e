// A lock file: it names the process that has the lock, and another process takes it over when that one has ended.
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

/**
 * Takes the lock for this process. Returns the process that has it, or undefined if that is this one now.
 * @param mode whoever can write the directory has to be able to read the lock: else it counts as that of an ended process
 */
export function takeLock(lock: string, mode = 0o600): ProcessIdentity | undefined {
  const own = `${lock}.${String(process.pid)}`;
  writeFileSync(own, JSON.stringify(identityOf(process.pid)), { mode });
  try {
    chmodSync(own, mode); // whatever the umask
    // A link appears together with its content, and only one of two processes can create it.
    while (!tryLink(own, lock)) {
      const holder = holderOf(lock);
      if (holder !== undefined) return holder;
      removeStale(lock, `${own}.stale`);
    }
    return undefined;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Returns the running process that has the lock. */
export function holderOf(lock: string): ProcessIdentity | undefined {
  try {
    const holder = JSON.parse(readFileSync(lock, "utf8")) as ProcessIdentity;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a process that has ended. A different process may have replaced it by its own, which is put back. */
function removeStale(lock: string, removed: string): void {
  try {
    renameSync(lock, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (holderOf(removed) !== undefined) tryLink(removed, lock);
  rmSync(removed, { force: true });
}
