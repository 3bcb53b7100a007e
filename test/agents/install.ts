// The coding agents, installed once by npm into the user's cache in the versions of packages/package-lock.json, whose hashes npm checks.
// They are 770 MB of programs that this ring alone needs, and Claude Code is not open source: no dependency of the gateway.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const PACKAGES = join(import.meta.dirname, "packages");
const FILES = ["package.json", "package-lock.json", ".npmrc"];
const run = promisify(execFile);

/** The directory of their `node_modules`, or in a few words why it could not be made. */
export type Agents = { directory: string } | { missing: string };

export async function installAgents(progress: (line: string) => void): Promise<Agents> {
  const lock = readFileSync(join(PACKAGES, "package-lock.json"));
  const key = createHash("sha256").update(lock).update(`${process.platform} ${process.arch}`);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const directory = join(cache, `agents-${key.digest("hex").slice(0, 16)}`);
  if (existsSync(directory)) return { directory };
  mkdirSync(cache, { recursive: true });
  // Of this process alone, and moved at the end: two runs at once do not disturb each other.
  const making = mkdtempSync(join(cache, "agents-"));
  try {
    progress("Fetching Codex and Claude Code (770 MB, once)");
    for (const file of FILES) copyFileSync(join(PACKAGES, file), join(making, file));
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: making });
    if (!existsSync(directory)) renameSync(making, directory);
    return { directory };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return { missing: `npm could not install them: ${(stderr || message).trim()}` };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
