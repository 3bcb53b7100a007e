// Where sessions were placed by measurement, in data that all workers share and that outlives a reload: 1,024 tables of 64 sessions
// (1 MiB). In a full table, the session that was used least recently is replaced.
//
// A session is a number of keyed-numbers.ts: when it was used last, in seconds, times CODES, plus the code of its target.
import { freeBlock } from "../memory/blocks";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { ENTRY_BYTES, numberOf, setNumber } from "../bytes/keyed-numbers";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

const TABLES: u32 = 1024;
const SESSIONS_OF_TABLE: u32 = 64;
/** Codes of targets, a hash of their names: two of one alias are the same for one of 500,000 aliases. */
const CODES: u32 = 1 << 20;
/** A session that was not used for so long is placed anew: no prompt cache has it. In seconds. */
const MAX_AGE: f64 = 3600;
/** How exact the time of its last use is. Seconds. */
const PRECISION: f64 = 60;
const MAX_TRIES: u32 = 100;

/** No target has this code. */
export const NO_CODE: u32 = 0;

const PREFIX = constant("gateway_places");
const keyBytes = scratchBuffer();
const key = new Span(0, 0);
const table = new Span(0, 0);
const empty = scratchBuffer();
const whole = new Span(0, 0);

/** Creates the tables if they do not exist. Called when a VM starts; Envoy starts the first one alone. */
export function createPlaces(): void {
  const isCreated = take(0) != NO_VERSION;
  freeTable();
  if (isCreated) return;
  empty.clear();
  for (let i: u32 = 0; i < (SESSIONS_OF_TABLE * ENTRY_BYTES) / 8; i++) empty.long(0);
  empty.view(whole);
  for (let index: u32 = 0; index < TABLES; index++) setShared(keyOf(index), whole, NO_VERSION);
}

/** Returns the code of a target by its place. */
export function codeOf(place: u64): u32 {
  return max((<u32>place) & (CODES - 1), NO_CODE + 1);
}

/** Returns the code of the target where a session was placed; NO_CODE if that is not known, or long ago. */
export function placeOf(session: u64, now: f64): u32 {
  take(<u32>session);
  const number = numberOf(table, session);
  freeTable();
  const second = Math.floor(number / CODES);
  const age = Math.floor(now / 1000) - second;
  if (age > MAX_AGE) return NO_CODE;
  const code = <u32>(number - second * CODES);
  if (age > PRECISION) setPlace(session, code, now);
  return code;
}

/** Keeps the code of the target where a session is placed. */
export function setPlace(session: u64, code: u32, now: f64): void {
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const version = take(<u32>session);
    setNumber(table, session, Math.floor(now / 1000) * CODES + code);
    const isSet = version == NO_VERSION || setShared(key, table, version);
    freeTable();
    if (isSet) return;
  }
}

/** Reads the table of a session. Returns its version. */
function take(session: u32): u32 {
  freeTable();
  return takeShared(keyOf(session), table);
}

function keyOf(session: u32): Span {
  keyBytes.clear();
  keyBytes.span(PREFIX);
  keyBytes.long(session & (TABLES - 1));
  return keyBytes.view(key);
}

function freeTable(): void {
  freeBlock(table.pointer);
  table.pointer = 0;
  table.length = 0;
}
