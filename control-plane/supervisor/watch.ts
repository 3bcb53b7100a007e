// Detects changes of files: written in place, replaced, or behind a link with a new target.
import { readdirSync, statSync, unwatchFile, watchFile } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";

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

/** Calls `onChange` after each change of a file in the directory, or of which files it has. Returns a function that stops it. */
export function watchDirectory(directory: string, onChange: () => void): () => void {
  let reported = stateOf(directory);
  let seen = reported;
  const timer = setInterval(() => {
    const now = stateOf(directory);
    const isQuiet = now === seen;
    seen = now;
    if (!isQuiet || now === reported) return;
    reported = now;
    onChange();
  }, POLL_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/** Returns a text that differs whenever a file of the directory does, whatever links lead to it. */
function stateOf(directory: string): string {
  try {
    return readdirSync(directory)
      .sort()
      .map((name) => {
        const stat = statSync(join(directory, name), { throwIfNoEntry: false });
        return stat === undefined
          ? name
          : `${name} ${String(stat.dev)}:${String(stat.ino)}:${String(stat.size)}:${String(stat.mtimeMs)}`;
      })
      .join("\n");
  } catch {
    return "";
  }
}
