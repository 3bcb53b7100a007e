// The configured name that was probably meant by one that is not configured, for "Did you mean …?". Bounded: a client decides what is asked.
import { NameTable } from "../config/name-table";
import { Span } from "../bytes/text/bytes";

/** Longer names are not compared. */
const MAX_LENGTH: u32 = 64;
/** More names than these are not looked at. */
const MAX_COMPARED: i32 = 256;
/** The most edits between a name and what it was meant for. */
const MAX_EDITS: i32 = 6;
/** The shortest beginning that makes two names neighbours: `gpt`. */
const MIN_PREFIX: u32 = 3;
const SLASH: u32 = 0x2f;
const NONE = new Span(0, 0);

let above = new StaticArray<i32>(<i32>MAX_LENGTH + 2);
let row = new StaticArray<i32>(<i32>MAX_LENGTH + 2);

/**
 * Returns the name, or an empty span: the name without the provider before its slash, else the one with the fewest
 * edits, else the longest that begins like it (`claude-sonnet-4-5-20250929`, `llama3`).
 */
export function nearestName(names: NameTable, pointer: usize, length: u32): Span {
  for (let i: u32 = 0; i + 1 < length; i++) {
    if (load<u8>(pointer + i) != SLASH) continue;
    const bare = names.find(pointer + i + 1, length - i - 1);
    if (bare !== null) return bare;
    break;
  }
  if (length > MAX_LENGTH || length == 0) return NONE;
  // Two letters that changed places count as two.
  let fewest = min(MAX_EDITS, length < 4 ? 1 : max<i32>(2, <i32>length / 3)) + 1;
  let longest = MIN_PREFIX - 1;
  let near: Span | null = null;
  let alike: Span | null = null;
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
  }
  if (near !== null) return near;
  return alike === null ? NONE : alike;
}

/** Length of the shorter name when the longer one begins with it; else 0. */
function commonPrefix(a: usize, aLength: u32, b: usize, bLength: u32): u32 {
  const shorter = min(aLength, bLength);
  for (let i: u32 = 0; i < shorter; i++) {
    if (lower(a, i) != lower(b, i)) return 0;
  }
  return shorter;
}

/** Returns the Levenshtein distance without regard to case, or something above `limit`. Only the diagonal's band is worked out. */
function distance(a: usize, aLength: u32, b: usize, bLength: u32, limit: i32): i32 {
  const rows = <i32>aLength;
  const columns = <i32>bLength;
  const far = limit + 1;
  if (abs(rows - columns) > limit) return far;
  for (let j = 0; j <= columns; j++) above[j] = min(j, far);
  for (let i = 1; i <= rows; i++) {
    const from = max(1, i - limit);
    const to = min(columns, i + limit);
    const letter = lower(a, i - 1);
    row[from - 1] = from == 1 ? min(i, far) : far;
    let best = row[from - 1];
    for (let j = from; j <= to; j++) {
      const changed = above[j - 1] + (letter == lower(b, j - 1) ? 0 : 1);
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

function lower(pointer: usize, at: i32): u32 {
  const byte = <u32>load<u8>(pointer + at);
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}
