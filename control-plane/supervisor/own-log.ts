// The gateway's own log: standard error, also after its file was removed.
import { appendFileSync, readlinkSync } from "node:fs";

const STANDARD_ERROR = "/proc/self/fd/2";
const REMOVED = " (deleted)";

/** Writes a line to standard error; if that is a file that was removed, to a new file at the same path. */
export function writeLine(line: string): void {
  const file = removedFile();
  if (file === undefined || !append(file, line)) console.error(line);
}

/**
 * Returns the path of a removed log file. A process cannot reopen its standard error: without this, all later lines
 * would be lost with the file.
 */
function removedFile(): string | undefined {
  try {
    const target = readlinkSync(STANDARD_ERROR);
    return target.endsWith(REMOVED) ? target.slice(0, -REMOVED.length) : undefined;
  } catch {
    return undefined; // no /proc
  }
}

function append(file: string, line: string): boolean {
  try {
    appendFileSync(file, `${line}\n`);
    return true;
  } catch {
    return false;
  }
}
