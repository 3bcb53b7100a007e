// The configured name that an unknown one probably means, for "Did you mean …?". Its work is bounded, because clients choose
// the name.
import { NameTable } from "../config/name-table";
import { lowerCaseAt } from "../bytes/text/at";
import { Span } from "../bytes/text/bytes";
import { findByte } from "../bytes/text/find";

/** Longer names are not compared. */
const MAX_LENGTH: u32 = 64;
/** Only the first names are compared. */
const MAX_COMPARED: i32 = 256;
/** The most edits between an unknown name and its suggestion. */
const MAX_EDITS: i32 = 6;
/** The shortest common beginning that makes a suggestion: `gpt`. */
const MIN_PREFIX: u32 = 3;
const SLASH: u32 = 0x2f;
const NONE = new Span(0, 0);

const ROW_A = new StaticArray<i32>(<i32>MAX_LENGTH + 2);
const ROW_B = new StaticArray<i32>(<i32>MAX_LENGTH + 2);

/**
 * Returns the name, or an empty span: the name without the provider before its slash, else the one with the fewest
 * edits, else the longest that begins like it (`claude-sonnet-4-5-20250929`, `llama3`), else the one that shares most
 * of its parts (`gpt-5-nano` and `gpt-5.1`).
 */
export function nearestName(names: NameTable, pointer: usize, length: u32): Span {
  const slash = findByte(pointer, pointer + length, SLASH);
  if (slash != 0) {
    const bare = names.find(slash + 1, <u32>(pointer + length - slash) - 1);
    if (bare !== null) return bare;
  }
  if (length > MAX_LENGTH || length == 0) return NONE;
  // Two swapped letters count as two edits.
  let fewest = min(MAX_EDITS, length < 4 ? 1 : max<i32>(2, <i32>length / 3)) + 1;
  let longest = MIN_PREFIX - 1;
  let near: Span | null = null;
  let alike: Span | null = null;
  let most = MIN_PREFIX;
  let related: Span | null = null;
  const count = min(names.size, MAX_COMPARED);
  for (let i = 0; i < count; i++) {
    const name = names.at(i);
    if (name.length > MAX_LENGTH) continue;
    const edits = distance(pointer, length, name.pointer, name.length, fewest - 1);
    if (edits < fewest) {
      fewest = edits;
      near = name;
    }
    const shared = commonPrefix(pointer, length, name.pointer, name.length);
    if (shared > longest) {
      longest = shared;
      alike = name;
    }
    const parts = sharedParts(pointer, length, name.pointer, name.length);
    if (parts > most) {
      most = parts;
      related = name;
    }
  }
  if (near !== null) return near;
  if (alike !== null) return alike;
  return related === null ? NONE : related;
}

/** Length of the common beginning, up to the last `-`, `.`, `:`, `@` or `_` in it. */
function sharedParts(a: usize, aLength: u32, b: usize, bLength: u32): u32 {
  const shorter = min(aLength, bLength);
  let parts: u32 = 0;
  for (let i: u32 = 0; i < shorter; i++) {
    const byte = lowerCaseAt(a, i);
    const other = lowerCaseAt(b, i);
    const isEnd = isSeparator(byte) || isSeparator(other);
    if (isEnd && (byte == other || isSeparator(byte) == isSeparator(other))) parts = i + 1;
    if (byte != other) break;
  }
  return parts;
}

function isSeparator(byte: u32): bool {
  return byte == 0x2d || byte == 0x2e || byte == 0x3a || byte == 0x40 || byte == 0x5f;
}

/** Length of the shorter name when the longer one begins with it; else 0. */
function commonPrefix(a: usize, aLength: u32, b: usize, bLength: u32): u32 {
  const shorter = min(aLength, bLength);
  for (let i: u32 = 0; i < shorter; i++) {
    if (lowerCaseAt(a, i) != lowerCaseAt(b, i)) return 0;
  }
  return shorter;
}

/** Returns the Levenshtein distance without regard to case, or something above `limit`. Only the diagonal's band is worked out. */
function distance(a: usize, aLength: u32, b: usize, bLength: u32, limit: i32): i32 {
  const rows = <i32>aLength;
  const columns = <i32>bLength;
  const far = limit + 1;
  let above = ROW_A;
  let row = ROW_B;
  if (abs(rows - columns) > limit) return far;
  for (let j = 0; j <= columns; j++) above[j] = min(j, far);
  for (let i = 1; i <= rows; i++) {
    const from = max(1, i - limit);
    const to = min(columns, i + limit);
    const letter = lowerCaseAt(a, i - 1);
    row[from - 1] = from == 1 ? min(i, far) : far;
    let best = row[from - 1];
    for (let j = from; j <= to; j++) {
      const changed = above[j - 1] + (letter == lowerCaseAt(b, j - 1) ? 0 : 1);
      const removed = (j < i + limit ? above[j] : far) + 1;
      row[j] = min(changed, min(removed, row[j - 1] + 1));
      best = min(best, row[j]);
    }
    if (best > limit) return far;
    const done = above;
    above = row;
    row = done;
  }
  return above[columns];
}
