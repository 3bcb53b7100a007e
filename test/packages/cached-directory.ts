// What tests install once, in the user's cache: a directory for each version of what it was made from.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

interface Options {
  /** The beginning of the directory's name. */
  name: string;
  /** Whatever the content depends on. */
  versions: readonly (string | Buffer)[];
  /** Fills the empty directory. */
  fill: (directory: string) => Promise<void>;
}

/**
 * Returns the directory, which is made if it is missing. Two runs at once do not disturb each other, because each makes its own
 * and moves it at the end.
 */
export async function cachedDirectory({ name, versions, fill }: Options): Promise<string> {
  const hash = createHash("sha256");
  for (const version of versions) hash.update(version);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "gateway");
  const directory = join(cache, `${name}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(directory)) return directory;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, `making-${name}-`));
  try {
    await fill(making);
    renameSync(making, directory);
  } catch (error) {
    // Another run was faster: its directory is as good.
    if (!existsSync(directory)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return directory;
}
