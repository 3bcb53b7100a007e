// Which commands use a running gateway: `gateway run` starts one that ends after the last of them, even if they are killed.
import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isAlive, type ProcessIdentity } from "../processes/process-identity.ts";
import { pathsIn, readJson, writePrivately } from "./state.ts";

const USERS = "users";
const IDENTITY = "process.json";

/** A command that uses the gateway, with a private directory for files that end with it. */
export interface GatewayUser {
  directory: string;
  remove: () => void;
}

/**
 * Adds this process to the users of the gateway of a state directory.
 * @param endsUnused whether the gateway runs and ends after its last user: then it may be about to end, which returns undefined
 */
export function addUser(
  stateDirectory: string,
  { endsUnused }: { endsUnused: boolean },
): GatewayUser | undefined {
  const users = join(stateDirectory, USERS);
  if (!endsUnused) mkdirSync(users, { recursive: true, mode: 0o700 });
  removeEnded(users);
  const directory = join(users, String(process.pid));
  // A directory appears together with its content.
  const fresh = mkdtempSync(join(stateDirectory, "user-"));
  writePrivately(join(fresh, IDENTITY), JSON.stringify(identityOf(process.pid)));
  try {
    renameSync(fresh, directory);
  } catch (error) {
    rmSync(fresh, { recursive: true });
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return {
    directory,
    remove() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns whether the gateway has no users any more. From then on nobody can become one. */
export function endUnused(stateDirectory: string): boolean {
  const users = join(stateDirectory, USERS);
  removeEnded(users);
  try {
    rmdirSync(users);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Removes the users whose process has ended, with their files. */
function removeEnded(users: string): void {
  for (const directory of pathsIn(users)) {
    const identity = readJson(join(directory, IDENTITY)) as ProcessIdentity | undefined;
    if (identity === undefined || !isAlive(identity))
      rmSync(directory, { recursive: true, force: true });
  }
}
