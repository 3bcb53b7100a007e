// Detects changes of a file: written in place, replaced, or behind a link with a new target.
import { unwatchFile, watchFile } from "node:fs";
import type { Stats } from "node:fs";

/** Asking for the state of a file twice a second costs nothing, and sees what inotify does not (links, networks). */
const POLL_MS = 500;
/** Who writes a file in several steps is given this long to finish. */
const QUIET_MS = 250;

type FileState = Pick<Stats, "mtimeMs" | "size" | "ino" | "dev">;

/** Whether the file was replaced or its content changed; reading it is no change. */
export function isChanged(now: FileState, before: FileState): boolean {
  // Of a file that is not there all is 0; Node calls its listener once for such a file.
  return (
    now.mtimeMs !== before.mtimeMs ||
    now.size !== before.size ||
    now.ino !== before.ino ||
    now.dev !== before.dev
  );
}

/** Calls `onChange` after each change of any of the files, which need not exist. Returns what ends it. */
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
