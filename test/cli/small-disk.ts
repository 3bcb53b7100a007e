// Small file systems, to fill them.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns a new one; undefined where this process may not mount any. */
function mountDisk(mebibytes: number): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "gateway-disk-"));
  const { status } = spawnSync("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${String(mebibytes)}m`,
    "tmpfs",
    directory,
  ]);
  if (status === 0) return directory;
  rmSync(directory, { recursive: true });
  return undefined;
}

const tried = mountDisk(1);
/** Whether this process may mount them. */
export const hasSmallDisks = tried !== undefined;
if (tried === undefined)
  console.log("· Tests of a full disk are skipped: no file system can be mounted");
else removeDisk(tried);

export function smallDisk(mebibytes: number): string {
  return mountDisk(mebibytes) ?? "";
}

export function removeDisk(directory: string): void {
  spawnSync("umount", ["--lazy", directory]);
  rmSync(directory, { recursive: true });
}

const filler = (directory: string) => join(directory, "filler");

export function fillDisk(directory: string): void {
  for (const size of [64 * 1024, 512]) {
    while (appendFiller(directory, size)) continue;
  }
}

function appendFiller(directory: string, size: number): boolean {
  try {
    appendFileSync(filler(directory), Buffer.alloc(size));
    return true;
  } catch {
    return false;
  }
}

export function emptyDisk(directory: string): void {
  rmSync(filler(directory));
}
