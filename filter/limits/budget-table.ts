// The table of the budgets of money, in data that all workers share and that outlives a reload (contract/budget-format.ts): what each of
// them has charged, and its limit. One value for all budgets, so that a request reads it once, and a response charges all of its
// budgets at once.
import { freeBlock } from "../memory/blocks";
import { Budget } from "../config/budget";
import { currentSeconds } from "../host/host";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { SharedCounter, UNKNOWN } from "../host/shared-counter";
import {
  addCharge,
  chargedOf,
  entryOf,
  HAS_LIMIT,
  hasFlag,
  IS_PARTIAL,
  limitOf,
  mergeEntries,
  NO_ENTRY,
  resetsOf,
} from "./budget-entries";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { readSeparate, storeSeparate } from "./separate-budgets";

/** What a budget allows. */
export const enum Verdict {
  Passes,
  /** Nothing is left until its period ends. */
  UsedUp,
  /** Nothing is left of the part that this gateway has got. */
  PartUsedUp,
  /** The control plane has not set its limit yet. */
  NoLimit,
}

/** Each failure means that another worker has succeeded. */
export const MAX_TRIES: u32 = 1000;

const KEY = constant("budgets");
/** The table as it was read or written last: a copy, which is kept until the next time that it is read. */
const table = new Span(0, 0);
/** Its version, or a guess: a wrong one is never that of another table, and storing fails. */
let version: u32 = NO_VERSION;
/** Counts the changes of all workers; `seen`: how many of them the copy has for sure. */
const changes = new SharedCounter(constant("gateway_budget_changes"));
let seen: u64 = UNKNOWN;
const merged = scratchBuffer();
const mergedSpan = new Span(0, 0);

/** Reads the table, if another worker has changed it. */
export function refreshTable(): void {
  if (seen == UNKNOWN || changes.value != seen) readTable();
}

/** Reads the table. Returns whether there is one. */
export function readTable(): bool {
  // Before the table: what changes in between is read again.
  seen = changes.value;
  freeBlock(table.pointer);
  version = takeShared(KEY, table);
  return version != NO_VERSION;
}

/** Stores a table made from the copy. Returns false if another worker has changed it meanwhile. */
export function storeTable(changed: Span): bool {
  if (!setShared(KEY, changed, version)) return false;
  changes.increment();
  return true;
}

/** Returns the table with an entry for each of the budgets, until the next call. `keepsOthers`: and with all that it has. */
export function mergeTable(ids: u64[], keepsOthers: bool): Span {
  merged.clear();
  mergeEntries(table, ids, keepsOthers, merged);
  return merged.view(mergedSpan);
}

/**
 * Adds the entries that are missing; without any budget, the table becomes empty. Called when a VM starts. Entries of an earlier
 * configuration stay until the next push, for its last requests.
 */
export function createTable(ids: u64[]): void {
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const isNeeded = readTable() || ids.length > 0;
    if (!isNeeded || storeTable(mergeTable(ids, ids.length > 0))) break;
  }
  seen = UNKNOWN;
}

/** Returns what the table allows of a budget. */
export function verdictOf(budget: Budget): Verdict {
  const entry = entryOf(budget.isSeparate ? readSeparate(budget.id) : table, budget.id);
  if (entry == NO_ENTRY || !hasFlag(entry, HAS_LIMIT)) return Verdict.NoLimit;
  if (chargedOf(entry) < limitOf(entry)) return Verdict.Passes;
  // The limit of the next period is on its way.
  const hasEnded = resetsOf(entry) > 0 && <i64>resetsOf(entry) <= currentSeconds();
  return hasFlag(entry, IS_PARTIAL) || hasEnded ? Verdict.PartUsedUp : Verdict.UsedUp;
}

/** Returns when the budget's period ends by the table: seconds since 1970, 0 for never. */
export function endOf(budget: Budget): u32 {
  const entry = entryOf(budget.isSeparate ? readSeparate(budget.id) : table, budget.id);
  return entry == NO_ENTRY ? 0 : resetsOf(entry);
}

/** Charges nano-dollars to all of these budgets. The table has been read, when they were asked. */
export function chargeBudgets(shared: Budget[], ofTarget: Budget[], cost: i64): void {
  for (let i = 0; i < shared.length; i++) {
    if (shared[i].isSeparate) chargeSeparate(shared[i].id, cost);
  }
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const isShared = charge(shared, cost);
    if (!charge(ofTarget, cost) && !isShared) return;
    if (storeTable(table)) {
      // The next version, unless another value was stored meanwhile. Never NO_VERSION, which would store in any case.
      version = max(version + 1, 1);
      if (seen != UNKNOWN) seen++;
      return;
    }
    readTable();
  }
}

function chargeSeparate(id: u64, cost: i64): void {
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const entry = entryOf(readSeparate(id), id);
    if (entry == NO_ENTRY) return;
    addCharge(entry, cost);
    if (storeSeparate()) return;
  }
}

/** Adds to the copy. Returns whether it has an entry for one of the budgets. */
function charge(budgets: Budget[], cost: i64): bool {
  let isFound = false;
  for (let i = 0; i < budgets.length; i++) {
    const entry = entryOf(table, budgets[i].id);
    if (entry == NO_ENTRY) continue;
    addCharge(entry, cost);
    isFound = true;
  }
  return isFound;
}
