// Which version of a package this checkout has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const LOCK = join(import.meta.dirname, "../../package-lock.json");
const lockFile = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional() })),
});

/** Returns the version in package-lock.json. */
export function lockedVersion(name: string): string {
  const { packages } = lockFile.parse(JSON.parse(readFileSync(LOCK, "utf8")));
  return packages[`node_modules/${name}`]?.version ?? "";
}
