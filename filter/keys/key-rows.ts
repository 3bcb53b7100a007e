// Rows of keys, groups and users (contract/key-format.ts), in data that all workers share and that outlives a reload: a value for
// each row, its JSON after the number of the whole push that it is of. A row of an earlier one is no longer valid, so nothing has to
// be deleted. The numbers that hold for all rows are a value of their own.
import { freeBlock } from "../memory/blocks";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { SharedCounter, UNKNOWN } from "../host/shared-counter";
import { setWordAt, wordAt } from "../bytes/fields";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

/** The kinds of rows: the first byte of the names of their values, which no other shared data has. */
export const KEY_ROW: u32 = 1;
export const GROUP_ROW: u32 = 2;
export const USER_ROW: u32 = 3;
export const SESSION_ROW: u32 = 4;

/**
 * Bytes of a key's hash by which its row is found: 168 bits cannot be hit by chance or by trying, and with the kind they are the
 * longest name that Envoy stores without a block of memory.
 */
export const HASH_PREFIX: u32 = 21;

/** Bytes in front of the JSON: the number of the whole push. */
const HEAD_BYTES: u32 = 4;
/** The number of a row that was removed. */
const REMOVED: u32 = 0;

const STATE = constant("gateway_keys");
/** Bytes of the state: four numbers. */
const STATE_BYTES: u32 = 16;
const stateBytes = memory.data(16, 8);
const stateSpan = new Span(stateBytes, STATE_BYTES);
const stored = new Span(0, 0);
let stateVersion: u32 = NO_VERSION;
/** Rows of this whole push and later ones are valid. */
let firstPush: u32 = 1;
/** The whole push that rows which are stored now are of: the same, unless one has begun. */
let currentPush: u32 = 1;
/** Whether there has been a whole push. */
let hasAll: bool = false;
/** The keys of the current push. */
let keyCount: u32 = 0;

/** Counts the pushes of all workers; `seen`: how many of them the numbers above have for sure. */
const changes = new SharedCounter(constant("gateway_key_changes"));
let seen: u64 = UNKNOWN;

const name = scratchBuffer();
const nameSpan = new Span(0, 0);
const value = scratchBuffer();
const valueSpan = new Span(0, 0);
/** A copy of the row that was read last, and where its JSON is. */
const block = new Span(0, 0);
export const row = new Span(0, 0);

/** Reads what holds for all rows, if it has changed. Returns the number of changes, UNKNOWN if it is not known. */
export function refreshRows(): u64 {
  const now = changes.value;
  if (now == UNKNOWN || now != seen) readState();
  seen = now;
  return now;
}

/** Returns whether all keys are known: only then is a key without a row invalid. */
export function knowsAllKeys(): bool {
  return hasAll;
}

/** Returns the number of keys. */
export function countKeys(): u32 {
  return keyCount;
}

/** Reads a row into `row`. Returns false if there is no valid one. The caller frees it. */
export function readRow(kind: u32, pointer: usize, length: u32): bool {
  return takeRow(kind, pointer, length) >= firstPush;
}

/** Returns whether there is or was a row, however long ago it was removed. */
export function hadRow(kind: u32, pointer: usize, length: u32): bool {
  takeRow(kind, pointer, length);
  const isStored = block.pointer != 0;
  freeRow();
  return isStored;
}

export function freeRow(): void {
  freeBlock(block.pointer);
  block.pointer = 0;
}

/** Reads a row into `row`. Returns the number of its whole push; REMOVED without one. */
function takeRow(kind: u32, pointer: usize, length: u32): u32 {
  name.clear();
  name.byte(kind);
  name.bytes(pointer, length);
  freeRow();
  takeShared(name.view(nameSpan), block);
  if (block.pointer == 0 || block.length <= HEAD_BYTES) return REMOVED;
  row.pointer = block.pointer + HEAD_BYTES;
  row.length = block.length - HEAD_BYTES;
  return wordAt(block.pointer, 0);
}

/** Begins to store a push. @param isFirst whether it is the first part of a whole push */
export function beginRows(isFirst: bool): void {
  readState();
  if (!isFirst) return;
  currentPush++;
  keyCount = 0;
}

/** Stores a row. @param json null removes it */
export function storeRow(kind: u32, pointer: usize, length: u32, json: Span | null): void {
  const wasCounted = takeRow(kind, pointer, length) >= currentPush;
  const isNew = block.pointer == 0;
  freeRow();
  if (json === null && isNew) return;
  value.clear();
  value.zeros(HEAD_BYTES);
  if (json !== null) {
    setWordAt(value.pointer, 0, currentPush);
    value.span(json);
  }
  setShared(nameSpan, value.view(valueSpan), NO_VERSION);
  if (kind == KEY_ROW && wasCounted != (json !== null)) keyCount += wasCounted ? -1 : 1;
}

/** Ends a push, which counts for all workers from then on. Returns false if another one has come in between. */
export function endRows(isLast: bool): bool {
  if (isLast) {
    firstPush = currentPush;
    hasAll = true;
  }
  setWordAt(stateBytes, 0, firstPush);
  setWordAt(stateBytes, 4, currentPush);
  setWordAt(stateBytes, 8, hasAll ? 1 : 0);
  setWordAt(stateBytes, 12, keyCount);
  const isStored = setShared(STATE, stateSpan, stateVersion);
  countChange();
  return isStored;
}

/** Has all workers read again what they remember of rows. */
export function countChange(): void {
  changes.increment();
  seen = UNKNOWN;
}

function readState(): void {
  stateVersion = takeShared(STATE, stored);
  const state = stored.pointer;
  const isThere = state != 0 && stored.length == STATE_BYTES;
  firstPush = isThere ? wordAt(state, 0) : 1;
  currentPush = isThere ? wordAt(state, 4) : 1;
  hasAll = isThere && wordAt(state, 8) != 0;
  keyCount = isThere ? wordAt(state, 12) : 0;
  freeBlock(state);
}
