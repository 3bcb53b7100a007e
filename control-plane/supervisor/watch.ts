// Detects changes of a file: written in place, replaced, or behind a link with a new target.
import { unwatchFile, watchFile } from "node:fs";
import type { Stats } from "node:fs";

/**
 * Reading a file's state twice a second costs nothing, and detects changes that inotify does not report (links,
 * networks).
 */
const POLL_MS = 500;
/** Time for a program that writes the file in several steps to finish. */
const QUIET_MS = 250;

type FileState = Pick<Stats, "mtimeMs" | "size" | "ino" | "dev">;

/** Whether the file was replaced or its content changed; a read is not a change. */
export function isChanged(now: FileState, before: FileState): boolean {
  // For a missing file every field is 0; Node calls its listener once for such a file.
  return (
    now.mtimeMs !== before.mtimeMs ||
    now.size !== before.size ||
    now.ino !== before.ino ||
    now.dev !== before.dev
  );
}

/** Calls `onChange` after each change of any of the files, which may be missing. Returns a function that stops it. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const later = (now: Stats, before: Stats) => {
    if (!isChanged(now, before)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS).unref();
  };
  for (const file of files) watchFile(file, { interval: POLL_MS, persistent: false }, later);
  return () => {
    clearTimeout(timer);
    for (const file of files) unwatchFile(file, later);
  };
}
