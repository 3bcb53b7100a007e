// A table of budgets in bytes, for budget-table.ts: entries of one size in the order of their ids, so that one is found by
// a binary search. An entry is the id (u64), the limit and what was charged (i64, nano-dollars), when its period ends (u32,
// seconds since 1970, 0: never) and flags (u32).
import { longAt, setLongAt, setWordAt, wordAt } from "../bytes/fields";
import { ByteBuffer, Span } from "../bytes/text/bytes";

const ENTRY_BYTES: u32 = 32;
const LIMIT: usize = 8;
const CHARGED: usize = 16;
const RESETS: usize = 24;
const FLAGS: usize = 28;

/** Flags: whether the entry has a limit, and whether that is a part of what is left. */
export const HAS_LIMIT: u32 = 1;
export const IS_PARTIAL: u32 = 2;

/** The result of `entryOf` for an id that the table lacks. No id is 0. */
export const NO_ENTRY: usize = 0;

/** Returns the address of the entry with an id; NO_ENTRY if there is none. */
export function entryOf(table: Span, id: u64): usize {
  let low: u32 = 0;
  let high = table.length / ENTRY_BYTES;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = table.pointer + middle * ENTRY_BYTES;
    const found = idOf(entry);
    if (found == id) return entry;
    if (found < id) low = middle + 1;
    else high = middle;
  }
  return NO_ENTRY;
}

/** Returns the entry after `entry`; the first for NO_ENTRY, and NO_ENTRY after the last. */
export function nextEntry(table: Span, entry: usize): usize {
  const next = entry == NO_ENTRY ? table.pointer : entry + ENTRY_BYTES;
  return next + ENTRY_BYTES <= table.pointer + table.length ? next : NO_ENTRY;
}

export function idOf(entry: usize): u64 {
  return <u64>longAt(entry, 0);
}

export function limitOf(entry: usize): i64 {
  return longAt(entry, LIMIT);
}

export function chargedOf(entry: usize): i64 {
  return longAt(entry, CHARGED);
}

export function resetsOf(entry: usize): u32 {
  return wordAt(entry, RESETS);
}

export function hasFlag(entry: usize, flag: u32): bool {
  return (wordAt(entry, FLAGS) & flag) != 0;
}

export function setLimit(entry: usize, limit: i64, resets: u32, flags: u32): void {
  setLongAt(entry, LIMIT, limit);
  setWordAt(entry, RESETS, resets);
  setWordAt(entry, FLAGS, flags);
}

export function addCharge(entry: usize, cost: i64): void {
  const charged = chargedOf(entry);
  setLongAt(entry, CHARGED, charged > i64.MAX_VALUE - cost ? i64.MAX_VALUE : charged + cost);
}

/**
 * Appends the table with an entry for each of `ids`, which are in order: that of `table`, or a new one without a limit.
 * `keepsOthers`: also all other entries of `table`.
 */
export function mergeEntries(table: Span, ids: u64[], keepsOthers: bool, out: ByteBuffer): void {
  let entry = nextEntry(table, NO_ENTRY);
  let at = 0;
  while (at < ids.length || entry != NO_ENTRY) {
    const isOld = entry != NO_ENTRY && (at >= ids.length || idOf(entry) <= ids[at]);
    const isListed = at < ids.length && (!isOld || idOf(entry) == ids[at]);
    if (!isOld) appendEntry(ids[at], out);
    else if (isListed || keepsOthers) out.bytes(entry, ENTRY_BYTES);
    if (isListed) at++;
    if (isOld) entry = nextEntry(table, entry);
  }
}

/** Appends an entry without a limit. */
export function appendEntry(id: u64, out: ByteBuffer): void {
  const start = out.reserve(ENTRY_BYTES);
  if (start == 0) return;
  out.zeros(ENTRY_BYTES);
  setLongAt(start, 0, <i64>id);
}
