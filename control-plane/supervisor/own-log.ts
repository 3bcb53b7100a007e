// The gateway's own log: standard error, also after its file has been removed.
import { appendFileSync, readlinkSync } from "node:fs";

const STANDARD_ERROR = "/proc/self/fd/2";
const REMOVED = " (deleted)";

/** Writes a line to standard error; where that is a file that has been removed, to a new one in its place. */
export function writeLine(line: string): void {
  const file = removedFile();
  if (file === undefined || !append(file, line)) console.error(line);
}

/** A process cannot open its standard error again: without this, all later lines would be lost with the file. */
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
