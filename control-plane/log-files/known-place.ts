// Where a log is read on: also if its files were moved to another directory, or restored from a copy.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type LogPosition, withRotated } from "./log-files.ts";

const LINE_FEED = 10;

/** A place that was reached in a log. */
export interface KnownPlace extends LogPosition {
  log: string;
}

/**
 * Returns the place after the last line that was read of a log; undefined if nothing was.
 * @param places what was reached in all logs: a file that was moved is known by its inode
 */
export function knownPlace(
  log: string,
  places: readonly KnownPlace[],
): { position: LogPosition; isCopy: boolean } | undefined {
  const files = withRotated(log).reverse();
  for (const { path, inode } of files) {
    const offset = furthest(path, inode, places);
    if (offset !== undefined) return { position: { inode, offset }, isCopy: false };
  }
  const own = places.find((place) => place.log === log);
  if (own === undefined) return undefined;
  // The file that was read is gone. A copy has a line end at the same place.
  const { inode, offset } = own;
  const isGone = inode !== undefined && !files.some((file) => file.inode === inode);
  for (const file of isGone && offset > 0 ? files : []) {
    const reached = furthest(file.path, inode, places);
    if (reached !== undefined) {
      return { position: { inode: file.inode, offset: reached }, isCopy: true };
    }
  }
  return { position: { inode, offset }, isCopy: false };
}

/** Returns the largest offset reached in the file with this inode that is the end of a line of the file at `path`. */
function furthest(
  path: string,
  inode: number | undefined,
  places: readonly KnownPlace[],
): number | undefined {
  const own = places.filter((place) => place.inode === inode && endsLineAt(path, place.offset));
  return own.length === 0 ? undefined : Math.max(...own.map(({ offset }) => offset));
}

function endsLineAt(path: string, offset: number): boolean {
  if (offset === 0) return true;
  const descriptor = openSync(path, "r");
  try {
    const byte = Buffer.alloc(1);
    const isThere = fstatSync(descriptor).size >= offset;
    return isThere && readSync(descriptor, byte, 0, 1, offset - 1) === 1 && byte[0] === LINE_FEED;
  } finally {
    closeSync(descriptor);
  }
}
