// Lines of log files that are rotated: the last ones, all with the rotated files, and new ones as they come.
import { closeSync, fstatSync, openSync, readSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as yieldToOthers, setTimeout as sleep } from "node:timers/promises";

const BLOCK = 64 * 1024;
const LINE_FEED = 10;

/** One file of a log: the newest, or one that was rotated. Renaming a file keeps its inode. */
interface LogFile {
  path: string;
  inode: number;
}

/** A place in a log, whatever name its file has by now. Without an inode: before the log's first file. */
export interface LogPosition {
  inode: number | undefined;
  /** Bytes from the beginning of the file with this inode. */
  offset: number;
}

/** Before the log's first file. */
export const LOG_START: LogPosition = { inode: undefined, offset: 0 };

/**
 * The log's rotated files (`x.log.2`, `x.log.1`), oldest first, and the file itself; only those that are there. Two
 * equal looks one after the other: a file that is renamed during a single look could be missed, or be seen twice.
 */
export function withRotated(file: string): LogFile[] {
  let before = listOnce(file);
  for (;;) {
    const found = listOnce(file);
    if (JSON.stringify(found) === JSON.stringify(before)) return found;
    before = found;
  }
}

function listOnce(file: string): LogFile[] {
  const beginning = `${basename(file)}.`;
  const ages = namesIn(dirname(file))
    .filter((name) => name.startsWith(beginning))
    .map((name) => name.slice(beginning.length))
    .filter((age) => /^[1-9][0-9]*$/.test(age))
    .sort((one, other) => Number(other) - Number(one));
  return [...ages.map((age) => beginning + age), basename(file)].flatMap((name) => {
    const path = join(dirname(file), name);
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? [{ path, inode: found.ino }] : [];
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The place after the log's last whole line. What is written later comes after it. */
export function endOfLog(file: string): LogPosition {
  const inode = withRotated(file).at(-1)?.inode;
  const descriptor = openFileOf(file, inode);
  if (descriptor === undefined) return LOG_START;
  try {
    const { size } = fstatSync(descriptor);
    const [unfinished = ""] = linesBackwards(descriptor, size);
    return { inode, offset: size - Buffer.byteLength(unfinished) };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a reader at `position` has read what is before `end`. */
export function hasReached(file: string, position: LogPosition, end: LogPosition): boolean {
  if (end.inode === undefined) return true;
  if (position.inode === end.inode) return position.offset >= end.offset;
  const files = withRotated(file);
  const own = files.findIndex(({ inode }) => inode === position.inode);
  const last = files.findIndex(({ inode }) => inode === end.inode);
  return own > last;
}

/** The log's last lines before `end` that `isWanted`, oldest first, read from there backwards through all its files. */
export function lastLines(
  file: string,
  limit: number,
  isWanted: (line: string) => boolean,
  end: LogPosition,
): string[] {
  const inodes = withRotated(file).map(({ inode }) => inode);
  const found: string[] = [];
  for (const inode of inodes.slice(0, inodes.indexOf(end.inode ?? 0) + 1).reverse()) {
    if (found.length >= limit) break;
    const descriptor = openFileOf(file, inode);
    if (descriptor === undefined) break; // removed, and so are the older ones
    try {
      const size = inode === end.inode ? end.offset : fstatSync(descriptor).size;
      for (const line of linesBackwards(descriptor, size)) {
        if (found.length >= limit) break;
        if (line !== "" && isWanted(line)) found.push(line);
      }
    } finally {
      closeSync(descriptor);
    }
  }
  return found.reverse();
}

/** Lines from the last to the first; the text after the last line feed counts as one. */
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

export interface Following {
  /** Gets each line. */
  onLine: (line: string) => void;
  /** Gets the place after the lines so far: at the start, when a file is opened, and when lines were read. */
  onPosition?: (position: LogPosition) => void;
  /** Returns the place after which nothing is read, as long as it is in the file that is read. */
  end?: () => LogPosition;
  signal: AbortSignal;
  /** Time between two looks. */
  pollMs?: number;
}

/**
 * Reads each line after `start`, also after the file is rotated, or when it is not there yet. A long file is read in
 * blocks, and others run in between. Resolves when `signal` aborts.
 */
export async function followLines(
  file: string,
  start: LogPosition,
  { onLine, onPosition, end, signal, pollMs = 200 }: Following,
): Promise<void> {
  let reader = openReader(file, start.inode, start.offset);
  onPosition?.(reader?.position() ?? start);
  const readAll = async (): Promise<void> => {
    while (!signal.aborted && reader?.readBlock(onLine, end?.()) === true) {
      onPosition?.(reader.position());
      await yieldToOthers();
    }
  };
  while (!signal.aborted) {
    await readAll();
    if (reader === undefined || reader.isReplaced()) {
      const next = openReader(file, reader === undefined ? oldest(file) : reader.successor(), 0);
      if (next !== undefined) {
        // What was written between the last look and the renaming.
        await readAll();
        reader?.close();
        reader = next;
        onPosition?.(reader.position());
        continue;
      }
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  reader?.close();
}

const oldest = (file: string) => withRotated(file)[0]?.inode;

function openReader(file: string, inode: number | undefined, start: number) {
  const descriptor = openFileOf(file, inode);
  if (descriptor === undefined) return undefined;
  let position = start;
  let rest = Buffer.alloc(0);
  return {
    /** Reads a block of what is new, at most up to a limit in this file. Returns false if there is nothing new. */
    readBlock(onLine: (line: string) => void, limit?: LogPosition): boolean {
      const { size } = fstatSync(descriptor);
      // Emptied: by `truncate`, as logrotate's copytruncate does.
      if (size < position) [position, rest] = [0, Buffer.alloc(0)];
      const last = limit?.inode === inode ? Math.min(size, limit?.offset ?? size) : size;
      if (position >= last) return false;
      const block = Buffer.alloc(Math.min(BLOCK, last - position));
      const length = readSync(descriptor, block, 0, block.length, position);
      if (length === 0) return false;
      position += length;
      const text = Buffer.concat([rest, block.subarray(0, length)]);
      const end = text.lastIndexOf(LINE_FEED);
      rest = text.subarray(end + 1);
      if (end < 0) return true;
      for (const line of text.subarray(0, end).toString("utf8").split("\n")) onLine(line);
      return true;
    },
    /** The place after the last whole line. */
    position: (): LogPosition => ({ inode, offset: position - rest.length }),
    isReplaced: () => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found !== undefined && found.ino !== inode;
    },
    /** The inode of the file that was begun when this one was renamed: several may have been since the last look. */
    successor(): number | undefined {
      const inodes = withRotated(file).map((one) => one.inode);
      const own = inodes.findIndex((one) => one === inode);
      if (own >= 0) return inodes[own + 1];
      // Removed as the oldest one, or renamed by another program (logrotate's dateext).
      return fstatSync(descriptor).nlink === 0 ? inodes[0] : inodes.at(-1);
    },
    close: () => {
      closeSync(descriptor);
    },
  };
}

/** A descriptor of the log's file with this inode, which may be renamed meanwhile; undefined if there is none. */
function openFileOf(file: string, inode: number | undefined): number | undefined {
  for (;;) {
    const found = withRotated(file).find((one) => one.inode === inode);
    if (found === undefined) return undefined;
    const descriptor = openIfThere(found.path);
    if (descriptor === undefined) continue;
    if (fstatSync(descriptor).ino === inode) return descriptor;
    closeSync(descriptor);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
