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
/** They find the program of the machine, in a package that npm leaves out without an error where there is none. */
export const SCRIPTS = {
  claudeCode: "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs",
  codex: "node_modules/@openai/codex/bin/codex.js",
};
const run = promisify(execFile);

/** The directory of their `node_modules`, or in a few words why it could not be made. */
export type Installed = { directory: string } | { missing: string };

export function installAgents(progress: (line: string) => void): Promise<Installed> {
  return installPackages({
    packages: PACKAGES,
    name: "agents",
    scripts: Object.values(SCRIPTS),
    onFetch: () => {
      progress("Fetching Codex and Claude Code (770 MB, once)");
    },
  });
}

interface PackageOptions {
  /** Folder of package.json, package-lock.json and .npmrc. */
  packages: string;
  /** What the directory in the cache is called. */
  name: string;
  /** Programs that must start. */
  scripts: readonly string[];
  onFetch?: () => void;
}

/** Installs the packages of a lock file in the cache, once. */
export async function installPackages(options: PackageOptions): Promise<Installed> {
  const { packages, name, scripts, onFetch } = options;
  const lock = readFileSync(join(packages, "package-lock.json"));
  const key = createHash("sha256").update(lock).update(`${process.platform} ${process.arch}`);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const directory = join(cache, `${name}-${key.digest("hex").slice(0, 16)}`);
  if (existsSync(directory)) return { directory };
  mkdirSync(cache, { recursive: true });
  // Of this process alone, and moved at the end: two runs at once do not disturb each other.
  const making = mkdtempSync(join(cache, `${name}-`));
  try {
    onFetch?.();
    for (const file of FILES) copyFileSync(join(packages, file), join(making, file));
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: making });
    const env = { ...process.env, HOME: making };
    for (const script of scripts)
      await run(process.execPath, [join(making, script), "--version"], { env });
    if (!existsSync(directory)) renameSync(making, directory);
    return { directory };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lines = (stderr || message).trim().split("\n");
    const reason = lines.find((line) => line.startsWith("npm error")) ?? lines.at(-1) ?? "";
    return { missing: `npm cannot install the ${name}: ${reason}` };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
