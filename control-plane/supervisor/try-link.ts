// Creates a lock file: a link appears together with its content, and only one of two processes can create it.
import { linkSync } from "node:fs";

/** Links `to` to the file `from`. Returns false if `to` exists. */
export function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
