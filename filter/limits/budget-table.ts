// The table of the budgets of money, in data that all workers share and that outlives a reload (contract/budgets.ts): what each of
// them has charged, and its limit. One value for all budgets, so that a request reads it once, and a response charges all of its
// budgets at once.
import { freeBlock } from "../memory/blocks";
import { Budget } from "../config/budget";
import { currentSeconds } from "../host/host";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
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
} from "../bytes/budget-entries";
import { constant, scratchBuffer, Span } from "../bytes/text/bytes";

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
/** The table that was read last: a copy, freed by `closeTable`. */
const table = new Span(0, 0);
const merged = scratchBuffer();
const mergedSpan = new Span(0, 0);

/** Reads the table. Returns its version. */
export function openTable(): u32 {
  return takeShared(KEY, table);
}

export function closeTable(): void {
  freeBlock(table.pointer);
  table.pointer = 0;
  table.length = 0;
}

/** Stores the table, which was opened with this version. Returns false if another worker has changed it meanwhile. */
export function storeTable(changed: Span, version: u32): bool {
  return setShared(KEY, changed, version);
}

/** Returns the open table with an entry for each of the budgets, until the next call. `keepsOthers`: and with all that it has. */
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
    const version = openTable();
    const isNeeded = ids.length > 0 || version != NO_VERSION;
    const isSet = !isNeeded || storeTable(mergeTable(ids, ids.length > 0), version);
    closeTable();
    if (isSet) return;
  }
}

/** Returns what the open table allows of a budget. */
export function verdictOf(budget: Budget): Verdict {
  const entry = entryOf(table, budget.id);
  if (entry == NO_ENTRY || !hasFlag(entry, HAS_LIMIT)) return Verdict.NoLimit;
  if (chargedOf(entry) < limitOf(entry)) return Verdict.Passes;
  // The limit of the next period is on its way.
  const hasEnded = resetsOf(entry) > 0 && <i64>resetsOf(entry) <= currentSeconds();
  return hasFlag(entry, IS_PARTIAL) || hasEnded ? Verdict.PartUsedUp : Verdict.UsedUp;
}

/** Returns when the budget's period ends by the open table: seconds since 1970, 0 for never. */
export function endOf(budget: Budget): u32 {
  const entry = entryOf(table, budget.id);
  return entry == NO_ENTRY ? 0 : resetsOf(entry);
}

/** Charges nano-dollars to all of these budgets at once. */
export function chargeBudgets(shared: Budget[], ofTarget: Budget[], cost: i64): void {
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    const version = openTable();
    const isShared = chargeOpen(shared, cost);
    const isFound = chargeOpen(ofTarget, cost) || isShared;
    const isDone = !isFound || storeTable(table, version);
    closeTable();
    if (isDone) return;
  }
}

/** Returns whether the open table has an entry for one of the budgets. */
function chargeOpen(budgets: Budget[], cost: i64): bool {
  let isFound = false;
  for (let i = 0; i < budgets.length; i++) {
    const entry = entryOf(table, budgets[i].id);
    if (entry == NO_ENTRY) continue;
    addCharge(entry, cost);
    isFound = true;
  }
  return isFound;
}
