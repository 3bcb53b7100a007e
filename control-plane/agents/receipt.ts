// What `gateway setup` has changed in the file of an agent, for `--undo`.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { editText, type Entry, type FileFormat, readEntries } from "./edit-file.ts";

export interface Receipt {
  /** Absolute path. */
  file: string;
  format: FileFormat;
  /** The text before; null: there was no file. */
  before: string | null;
  /** SHA-256 of the text that was written. */
  written: string;
  /** The values that were written, and those that they replaced. */
  own: Entry[];
  previous: Entry[];
}

/** What becomes of the file: its text, or null if it is removed. `kept` are the values that the user has changed since. */
export interface Undone {
  text: string | null;
  kept: string[];
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Returns the receipt of a change. An earlier one of the same file whose values are all there is continued, so that `--undo`
 * returns to what was there before the first.
 */
export function newReceipt(
  change: Pick<Receipt, "file" | "format" | "before" | "own"> & { text: string },
  earlier: Receipt | undefined,
): Receipt {
  const { file, format, before, own, text } = change;
  const paths = own.map(({ path }) => path);
  const isContinued =
    earlier?.file === file && before !== null && hashOf(before) === earlier.written;
  const base = isContinued ? earlier.before : before;
  const previous = readEntries(format, base ?? "", paths);
  return { file, format, before: base, written: hashOf(text), own, previous };
}

/** Returns what the file becomes: its old bytes if nobody has changed it since, else with the old values where ours still are. */
export function undo(receipt: Receipt, current: string): Undone {
  const { format, before, written, own, previous } = receipt;
  if (hashOf(current) === written) return { text: before, kept: [] };
  const paths = own.map(({ path }) => path);
  const values = readEntries(format, current, paths);
  const isOwn = (at: number) => isDeepStrictEqual(plain(values[at]), plain(own[at]));
  const restored = previous.filter((_, at) => isOwn(at));
  const kept = paths.filter((_, at) => !isOwn(at)).map((path) => path.join("."));
  return { text: editText(format, current, restored), kept };
}

/** Returns the entry as it is in a receipt, whose JSON has no value of undefined. */
function plain(entry: Entry | undefined): unknown {
  return JSON.parse(JSON.stringify(entry ?? null));
}
