// Valgrind, which counts instructions for the benchmark and its budgets: the one on PATH, else Debian's package in the user's
// cache.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cachePlace, unpackDebianPackage } from "./debian-packages.ts";

export interface Valgrind {
  /** The command, to which its options and a program are added. */
  words: readonly string[];
  /** The program that sends commands to a running valgrind. */
  vgdb: string;
}

/** Returns valgrind, or in a few words why there is none. */
export async function ensureValgrind(
  progress: (line: string) => void,
): Promise<Valgrind | { missing: string }> {
  if (works("valgrind") && works("vgdb")) return { words: ["valgrind"], vgdb: "vgdb" };
  const place = cachePlace("valgrind-debian");
  const [program, vgdb] = [join(place, "bin/valgrind.bin"), join(place, "bin/vgdb")];
  // Its tools are searched in the folder that it was installed into, unless this is set.
  const words = ["env", `VALGRIND_LIB=${join(place, "libexec/valgrind")}`, program];
  if (!existsSync(place)) {
    progress("Fetching Debian's package of valgrind (14 MB, once)");
    const missing = await unpackDebianPackage("valgrind", "usr", place);
    if (missing !== undefined) return { missing };
  }
  return { words, vgdb };
}

function works(program: string): boolean {
  return spawnSync(program, ["--help"], { stdio: "ignore" }).status !== null;
}
