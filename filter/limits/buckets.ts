// The buckets of rate limits, in data that all workers share and that outlives a reload: the generic cell rate algorithm
// (ITU-T I.371, annex A; docs/decisions/2026-11-22-rate-limits.md). Budgets of money are in budget-table.ts.
//
// A bucket is one number, the time when it is whole again (microseconds since the epoch): using some of it moves that
// time on. A time that is past is a whole bucket, so nothing is refilled or cleaned up.
//
// A limit with a bucket for each value of a header keeps them in 256 tables of 32 (128 KiB), so that clients that send
// ever new values get no more memory. In a full table, the bucket that is nearest to being whole is replaced.
import { freeBlock } from "../memory/blocks";
import { RateLimit } from "../config/rate-limit-rule";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { ENTRY_BYTES, numberOf, setNumber } from "../bytes/keyed-numbers";
import { scratchBuffer, Span } from "../bytes/text/bytes";
import { hash64 } from "../bytes/text/hash";

const TABLES: u32 = 256;
const BUCKETS_OF_TABLE: u32 = 32;
/** Each failure means that another worker has succeeded. */
const MAX_TRIES: u32 = 100;

/** Key of the amount in the table that is stored under the limit's own key. */
const AMOUNT: u64 = 1;

/** No bucket has fingerprint 0, which is a free entry. */
const NO_FINGERPRINT: u64 = 0;

const keyBytes = scratchBuffer();
const key = new Span(0, 0);
/** The table that was read last: a copy, freed by `freeTable`. */
const table = new Span(0, 0);
const empty = new Span(memory.data(512), 0);
const amount = new Span(memory.data(16, 8), ENTRY_BYTES);

/** Returns which bucket the value of a header has. */
export function fingerprintOf(value: Span): u64 {
  return max(hash64(value.pointer, value.length), NO_FINGERPRINT + 1);
}

/**
 * Creates the tables that do not exist, and empties all of them if the limit's amount has changed. Called when a VM starts;
 * Envoy starts the first VM alone, which matters because the first value of a key is set without a version.
 */
export function createBuckets(limit: RateLimit): void {
  const isChanged = updateAmount(limit);
  const count = limit.isPerValue() ? TABLES : 1;
  empty.length = limit.isPerValue() ? BUCKETS_OF_TABLE * ENTRY_BYTES : ENTRY_BYTES;
  for (let index: u32 = 0; index < count; index++) {
    const version = takeShared(tableKey(limit, index), table);
    freeTable();
    if (isChanged || version == NO_VERSION) setShared(key, empty, NO_VERSION);
  }
}

/**
 * Creates the table of a limit that comes at run time, if it does not exist. Two workers may do it at once, for the first request of
 * a key: then that request may not count.
 */
export function createBucket(limit: RateLimit): void {
  empty.length = ENTRY_BYTES;
  const version = takeShared(tableKey(limit, 0), table);
  freeTable();
  if (version == NO_VERSION) setShared(key, empty, NO_VERSION);
}

/** Stores the limit's amount. Returns whether the stored one was different. */
function updateAmount(limit: RateLimit): bool {
  takeShared(limit.key, table);
  const stored = numberOf(table, AMOUNT);
  freeTable();
  if (stored == limit.amount) return false;
  setNumber(amount, AMOUNT, limit.amount);
  setShared(limit.key, amount, NO_VERSION);
  return stored != 0;
}

/** Returns the microseconds from `now` until the bucket is whole; 0 if it is. */
export function timeToWhole(limit: RateLimit, fingerprint: u64, now: f64): f64 {
  takeShared(tableKey(limit, <u32>fingerprint), table);
  const time = timeInTable(limit, fingerprint, now);
  freeTable();
  return time;
}

/** No time lies more than two periods ahead; one that does was written before the clock was set back. */
function timeInTable(limit: RateLimit, fingerprint: u64, now: f64): f64 {
  const time = numberOf(table, fingerprint) - now;
  return time > 2 * limit.period ? 0 : max(time, 0);
}

/**
 * Takes from the bucket. A hard limit takes nothing, and returns false, if it would be whole after `latest`; any other
 * limit takes as much as is left until then.
 * @param cost time in which that much comes back
 */
export function useBucket(
  limit: RateLimit,
  fingerprint: u64,
  now: f64,
  cost: f64,
  latest: f64,
  isHardLimit: bool,
): bool {
  tableKey(limit, <u32>fingerprint);
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const version = takeShared(key, table);
    const time = now + timeInTable(limit, fingerprint, now) + cost;
    const isTooLate = time > latest;
    let isSet = false;
    if (!isTooLate || !isHardLimit) {
      setNumber(table, fingerprint, min(time, latest));
      isSet = setShared(key, table, version);
    }
    freeTable();
    if (isSet) return true;
    if (isTooLate && isHardLimit) return false;
  }
  return true;
}

/** Returns the key of the table that has the bucket: the limit's key and one byte. */
function tableKey(limit: RateLimit, fingerprint: u32): Span {
  keyBytes.clear();
  if (limit.id == 0) keyBytes.span(limit.key);
  else keyBytes.long(limit.id);
  keyBytes.byte(limit.isPerValue() ? fingerprint & (TABLES - 1) : 0);
  return keyBytes.view(key);
}

function freeTable(): void {
  freeBlock(table.pointer);
  table.pointer = 0;
  table.length = 0;
}
