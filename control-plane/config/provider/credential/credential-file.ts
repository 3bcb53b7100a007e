// Files with credentials: where they are, and whether they can be read. Their secrets are not kept.
import { resolve } from "node:path";
import type { Path } from "../../../report/problem.ts";
import type { Reading } from "../../reading.ts";
import { fileReason } from "../../file-reason.ts";

/** Returns an absolute path: of one below `~/`, or relative to the configuration file. */
export function resolveFile({ environment, machine }: Reading, written: string): string {
  const home = environment["HOME"] ?? "/";
  return resolve(
    machine?.directory ?? "/",
    written.replace(/^~(?=\/|$)/, () => home),
  );
}

/** Returns the content; undefined if it cannot be read. @param at where a problem is reported; undefined: nowhere */
export function readFileOf(
  reading: Reading,
  at: Path | undefined,
  file: string,
): string | undefined {
  try {
    return reading.machine?.readFile(file);
  } catch (error) {
    if (at !== undefined) reading.problem(at, `${fileReason(error)}: ${file}`);
    return undefined;
  }
}
