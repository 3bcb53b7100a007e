// Creates a directory with its parents. Node's own recursive mkdir never returns below /proc, where no directory can be
// created.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the directory. Throws the system's error on failure. `mode` applies to new directories. */
export function makeDirectory(directory: string, mode = 0o777): void {
  try {
    mkdirSync(directory, { mode });
    return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(directory) === directory) throw error;
  }
  makeDirectory(dirname(directory), mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // A different process may have created it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
