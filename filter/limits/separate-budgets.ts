// Budgets of keys, groups and users that come at run time: each is a table of one entry (budget-entries.ts) in shared data of its own,
// because there may be a hundred thousand, and a request has a few.
import { freeBlock } from "../memory/blocks";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { scratchBuffer, Span } from "../bytes/text/bytes";
import { appendEntry } from "./budget-entries";

/** The first byte of the names of their values, which no other shared data has. */
const BUDGET: u32 = 5;

const name = scratchBuffer();
const nameSpan = new Span(0, 0);
/** The table as it was read last: a copy, which is kept until the next one is read. */
const table = new Span(0, 0);
let version: u32 = NO_VERSION;
const created = scratchBuffer();
const createdSpan = new Span(0, 0);

/** Reads the table of a budget, until the next call. It has no entry before `createSeparate`. */
export function readSeparate(id: u64): Span {
  name.clear();
  name.byte(BUDGET);
  name.long(id);
  freeBlock(table.pointer);
  version = takeShared(name.view(nameSpan), table);
  return table;
}

/** Stores the copy. Returns false if another worker has changed the table meanwhile. */
export function storeSeparate(): bool {
  return setShared(nameSpan, table, version);
}

/** Creates the table that was read last, if there is none. */
export function createSeparate(id: u64): void {
  if (version != NO_VERSION) return;
  created.clear();
  appendEntry(id, created);
  setShared(nameSpan, created.view(createdSpan), NO_VERSION);
}
