// Unpacks Debian packages into the user's cache: nothing is installed into the system, no root is needed, and no service is
// started. apt checks the signatures.
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns the folder `name` in the user's cache. */
export function cachePlace(name: string): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway", name);
}

/**
 * Moves the folder `part` of a package's tree to `place`. Returns why that failed: the user cannot install it this way, and
 * reads the reason.
 */
export async function unpackDebianPackage(
  name: string,
  part: string,
  place: string,
): Promise<string | undefined> {
  const cache = dirname(place);
  mkdirSync(cache, { recursive: true });
  // Of this process alone, and moved at the end: two runs at once do not disturb each other.
  const work = mkdtempSync(join(cache, `${basename(place)}-`));
  try {
    await run("apt-get", ["download", name], { cwd: work });
    const [file = ""] = globSync("*.deb", { cwd: work });
    await run("dpkg", ["-x", file, "tree"], { cwd: work });
    if (!existsSync(place)) renameSync(join(work, "tree", part), place);
    return undefined;
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: string };
    if (code === "ENOENT") return `${name} is not installed, and this is no Debian`;
    const reason = (stderr || message).trim().split("\n").at(-1) ?? "";
    return `Debian's package of ${name} cannot be fetched (network? apt-get update?): ${reason}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
