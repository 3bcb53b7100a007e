// Lines of access logs: the last ones, all with the rotated files, and new ones as they come.
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const BLOCK = 64 * 1024;
const LINE_FEED = 10;

/** The file's rotated predecessors, oldest first, and the file itself; only those that are there. */
export function withRotated(file: string): string[] {
  const found: string[] = [];
  for (let age = 1; isFile(`${file}.${String(age)}`); age += 1) {
    found.unshift(`${file}.${String(age)}`);
  }
  return isFile(file) ? [...found, file] : found;
}

/** Offset behind the last whole line; 0 when the file is not there. What is written later comes behind it. */
export function endOfLines(file: string): number {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return 0;
  try {
    const { size } = fstatSync(descriptor);
    const [unfinished = ""] = linesBackwards(descriptor, size);
    return size - Buffer.byteLength(unfinished);
  } finally {
    closeSync(descriptor);
  }
}

/** The last lines before the offset `end` that `isWanted`, oldest first, read from there backwards. */
export function lastLines(
  file: string,
  limit: number,
  isWanted: (line: string) => boolean,
  end = Infinity,
): string[] {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return [];
  try {
    const found: string[] = [];
    for (const line of linesBackwards(descriptor, Math.min(end, fstatSync(descriptor).size))) {
      if (found.length >= limit) break;
      if (line !== "" && isWanted(line)) found.push(line);
    }
    return found.reverse();
  } finally {
    closeSync(descriptor);
  }
}

/** Lines from the last to the first; the text behind the last line feed counts as one. */
function* linesBackwards(descriptor: number, end: number): Generator<string> {
  let position = end;
  // The beginning of a line whose end has been read already: blocks, last first.
  let tail: Buffer[] = [];
  while (position > 0) {
    const length = Math.min(BLOCK, position);
    position -= length;
    const block = Buffer.alloc(length);
    readSync(descriptor, block, 0, length, position);
    let stop = length;
    for (let at = block.lastIndexOf(LINE_FEED); at >= 0;) {
      yield Buffer.concat([block.subarray(at + 1, stop), ...tail]).toString("utf8");
      tail = [];
      stop = at;
      at = at === 0 ? -1 : block.lastIndexOf(LINE_FEED, at - 1);
    }
    tail.unshift(block.subarray(0, stop));
  }
  yield Buffer.concat(tail).toString("utf8");
}

/**
 * Calls `onLine` for each line behind the offset `start`, also after the file is rotated, or when it
 * is not there yet. Looks every `pollMs`. Resolves when `signal` aborts.
 */
export async function followLines(
  file: string,
  start: number,
  onLine: (line: string) => void,
  signal: AbortSignal,
  pollMs = 200,
): Promise<void> {
  let reader = openReader(file, start);
  while (!signal.aborted) {
    reader?.readNew(onLine);
    if (reader === undefined || reader.isReplacedAt(file)) {
      const next = reader === undefined ? openReader(file, 0) : openSuccessor(file, reader.inode);
      if (next !== undefined) {
        // What was written between the last look and the renaming.
        reader?.readNew(onLine);
        reader?.close();
        reader = next;
        continue;
      }
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  reader?.close();
}

/**
 * The file that was begun when the one with this inode was renamed: not always the newest, because several may
 * have been rotated since the last look. Undefined while names are being shifted: then the next look finds it.
 */
function openSuccessor(file: string, inode: number) {
  const files = withRotated(file).map((path) => ({ path, inode: inodeOf(path) }));
  const own = files.findIndex((one) => one.inode === inode);
  const next = own < 0 ? files.at(-1) : files[own + 1];
  const reader = next === undefined ? undefined : openReader(next.path, 0);
  if (reader === undefined || reader.inode === next?.inode) return reader;
  reader.close();
  return undefined;
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function openReader(file: string, start: number) {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return undefined;
  const inode = fstatSync(descriptor).ino;
  let position = start;
  let rest = Buffer.alloc(0);
  return {
    inode,
    readNew(onLine: (line: string) => void): void {
      const { size } = fstatSync(descriptor);
      // Emptied: by `truncate`, as logrotate's copytruncate does.
      if (size < position) [position, rest] = [0, Buffer.alloc(0)];
      while (position < size) {
        const block = Buffer.alloc(Math.min(BLOCK, size - position));
        const length = readSync(descriptor, block, 0, block.length, position);
        if (length === 0) return;
        position += length;
        const text = Buffer.concat([rest, block.subarray(0, length)]);
        const end = text.lastIndexOf(LINE_FEED);
        rest = text.subarray(end + 1);
        if (end < 0) continue;
        for (const line of text.subarray(0, end).toString("utf8").split("\n")) onLine(line);
      }
    },
    isReplacedAt: (path: string) => {
      const found = inodeOf(path);
      return found !== undefined && found !== inode;
    },
    close: () => {
      closeSync(descriptor);
    },
  };
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
