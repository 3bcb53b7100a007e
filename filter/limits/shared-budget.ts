// The budgets of the limits, in data that all workers share and that outlives a reload.
//
// A limit with a budget for each value of a header keeps them in a fixed number of slots, so that a client that invents
// values gets no memory for them: 256 slots of 32 budgets, 128 KiB for each such limit.
import { freeBlock } from "../memory/blocks";
import { BUDGET_BYTES, setWholeAt, wholeAt } from "./bucket";
import { RateLimit } from "../config/rate-limit";
import { Span } from "../bytes/text/bytes";
import { NO_VERSION, setShared, takeShared } from "../host/host";

const SLOTS: u32 = 256;
const BUDGETS_OF_SLOT: u32 = 32;
/** Each failure means that another worker has succeeded. */
const MAX_TRIES: u32 = 100;

const AMOUNT_BYTES: u32 = 8;
const amount = new Span(memory.data(8, 8), AMOUNT_BYTES);
const block = new Span(0, 0);
const empty = new Span(memory.data(512), 0);

/**
 * Makes the slots that are not there, and empties them where the limit had another amount. Called when a VM starts, the
 * first of which Envoy starts alone: a value that nobody has set cannot be set by one worker only.
 */
export function createBudgets(limit: RateLimit): void {
  const isOther = isOtherAmount(limit);
  const slots = limit.isOpen() ? SLOTS : 1;
  empty.length = limit.isOpen() ? BUDGETS_OF_SLOT * BUDGET_BYTES : BUDGET_BYTES;
  for (let slot: u32 = 0; slot < slots; slot++) {
    selectSlot(limit, slot);
    const isThere = takeShared(limit.key, block) != NO_VERSION;
    if (isOther || !isThere) setShared(limit.key, empty, NO_VERSION);
    giveBack();
  }
}

/** Whether the slots were made for another amount, which is kept under the limit's key without the byte of a slot. */
function isOtherAmount(limit: RateLimit): bool {
  limit.key.length--;
  takeShared(limit.key, block);
  const isOther = block.length == AMOUNT_BYTES && load<f64>(block.pointer) != limit.amount;
  if (isOther || block.length == 0) {
    store<f64>(amount.pointer, limit.amount);
    setShared(limit.key, amount, NO_VERSION);
  }
  giveBack();
  limit.key.length++;
  return isOther;
}

/** Microseconds from `now` until the budget is whole; 0 when it is. */
export function timeToWhole(limit: RateLimit, fingerprint: u64, now: f64): f64 {
  selectSlot(limit, <u32>fingerprint);
  takeShared(limit.key, block);
  const time = timeInBlock(limit, fingerprint, now);
  giveBack();
  return time;
}

/** No budget is taken further ahead than two periods; one that is was written before the clock was set back. */
function timeInBlock(limit: RateLimit, fingerprint: u64, now: f64): f64 {
  const time = wholeAt(block.pointer, block.length, fingerprint) - now;
  return time > 2 * limit.period ? 0 : max(time, 0);
}

/**
 * Takes from the budget: `cost` is the time in which that much comes back, `latest` how late the budget may be whole
 * again. With `isHardLimit` nothing is taken where that is too late, and the answer is false; else it is made to be in time.
 */
export function takeFromBudget(
  limit: RateLimit,
  fingerprint: u64,
  now: f64,
  cost: f64,
  latest: f64,
  isHardLimit: bool,
): bool {
  selectSlot(limit, <u32>fingerprint);
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const version = takeShared(limit.key, block);
    const time = now + timeInBlock(limit, fingerprint, now) + cost;
    const isInTime = time <= latest;
    let isSet = false;
    if (isInTime || !isHardLimit) {
      setWholeAt(block.pointer, block.length, fingerprint, isInTime ? time : latest);
      isSet = setShared(limit.key, block, version);
    }
    giveBack();
    if (isSet) return true;
    if (!isInTime && isHardLimit) return false;
  }
  return true;
}

function selectSlot(limit: RateLimit, slot: u32): void {
  store<u8>(
    limit.key.pointer + limit.key.length - 1,
    limit.isOpen() ? <u8>(slot & (SLOTS - 1)) : 0,
  );
}

function giveBack(): void {
  freeBlock(block.pointer);
  block.pointer = 0;
  block.length = 0;
}
