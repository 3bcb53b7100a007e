// Packages of npm that only tests need and that are no dependencies of the gateway, because they are large or not open source.
// They are installed once in the versions of a lock file, whose hashes npm checks.
import { execFile } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cachedDirectory } from "./cached-directory.ts";

const FILES = ["package.json", "package-lock.json", ".npmrc"];
const run = promisify(execFile);

/** The directory of their `node_modules`, or in a few words why it could not be made. */
export type Installed = { directory: string } | { missing: string };

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
  const fill = async (directory: string): Promise<void> => {
    onFetch?.();
    for (const file of FILES) copyFileSync(join(packages, file), join(directory, file));
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: directory });
    const env = { ...process.env, HOME: directory };
    for (const script of scripts)
      await run(process.execPath, [join(directory, script), "--version"], { env });
  };
  try {
    const versions = [lock, `${process.platform} ${process.arch}`];
    return { directory: await cachedDirectory({ name, versions, fill }) };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lines = (stderr || message).trim().split("\n");
    const reason = lines.find((line) => line.startsWith("npm error")) ?? lines.at(-1) ?? "";
    return { missing: `npm cannot install the ${name}: ${reason}` };
  }
}
