// Sets the limits of budgets that the control plane sends (contract/budget-format.ts): all of a push, or nothing if a part is malformed.
import { wasRefused } from "../memory/blocks";
import {
  BUDGET_CHARGED,
  BUDGET_ID,
  BUDGET_LIMIT,
  BUDGET_PARTIAL,
  BUDGET_RESETS,
  BUDGETS,
  BUDGETS_FRESH,
  KEY_BUDGETS,
} from "../../contract/budget-format";
import {
  chargedOf,
  entryOf,
  HAS_LIMIT,
  hasFlag,
  idOf,
  IS_PARTIAL,
  nextEntry,
  NO_ENTRY,
  setLimit,
} from "./budget-entries";
import { readCount } from "../bytes/json/number";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { appendHexadecimal, readHexadecimal } from "../bytes/text/hash";
import { MAX_TRIES, mergeTable, readTable, storeTable } from "./budget-table";
import { createSeparate, readSeparate, storeSeparate } from "./separate-budgets";

const LIMIT = constant(BUDGET_LIMIT);
const RESETS = constant(BUDGET_RESETS);
const PARTIAL = constant(BUDGET_PARTIAL);
const COMMA: u32 = 0x2c;
const CLOSE_BRACKET: u32 = 0x5d;
const CLOSE_BRACE: u32 = 0x7d;

/** Statuses of the response. */
const OK: u32 = 200;
const BAD_REQUEST: u32 = 400;
const UNAVAILABLE: u32 = 503;

const text = new Span(0, 0);

/** Sets the limits in the scanned body of a push, and writes the response to `out`. Returns its status. */
export function setLimits(tape: Tape, ids: u64[], out: ByteBuffer): u32 {
  const list = tape.member(0, constant(BUDGETS));
  const separate = tape.member(0, constant(KEY_BUDGETS));
  if (!areLimits(tape, list)) return BAD_REQUEST;
  if (separate != NO_NODE && !areLimits(tape, separate)) return BAD_REQUEST;
  for (let i: u32 = 0; i < MAX_TRIES; i++) {
    readTable();
    const next = mergeTable(ids, false);
    out.clear();
    writeFresh(next, out);
    out.text('"' + BUDGETS + '":[');
    writeEntries(next, out);
    out.byte(CLOSE_BRACKET);
    applyLimits(tape, list, next);
    if (wasRefused()) return UNAVAILABLE;
    if (storeTable(next)) return setSeparate(tape, separate, out) ? OK : UNAVAILABLE;
  }
  return UNAVAILABLE;
}

/** Sets the limits of budgets that come at run time, and ends the response. Returns false if one could not be stored. */
function setSeparate(tape: Tape, list: u32, out: ByteBuffer): bool {
  let isStored = true;
  if (list != NO_NODE) out.text(',"' + KEY_BUDGETS + '":[');
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const id = idIn(tape, node);
    let isSet = false;
    const start = out.length;
    for (let i: u32 = 0; i < MAX_TRIES && !isSet; i++) {
      out.length = start;
      readSeparate(id);
      createSeparate(id);
      const table = readSeparate(id);
      if (node != tape.first(list)) out.byte(COMMA);
      writeEntries(table, out);
      applyLimit(tape, node, table);
      isSet = storeSeparate();
    }
    isStored = isStored && isSet;
  }
  if (list != NO_NODE) out.byte(CLOSE_BRACKET);
  out.byte(CLOSE_BRACE);
  return isStored && !wasRefused();
}

function areLimits(tape: Tape, list: u32): bool {
  if (!tape.isArray(list)) return false;
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const partial = tape.member(node, PARTIAL);
    if (idIn(tape, node) == 0 || readCount(tape, tape.member(node, LIMIT)) < 0) return false;
    const resets = readCount(tape, tape.member(node, RESETS));
    if (resets < 0 || resets > <i64>u32.MAX_VALUE) return false;
    if (partial != NO_NODE && readCount(tape, partial) < 0) return false;
  }
  return true;
}

/** Returns the id of a budget; 0 if it has none. */
function idIn(tape: Tape, node: u32): u64 {
  const id = tape.member(node, constant(BUDGET_ID));
  if (!tape.isString(id)) return 0;
  text.pointer = tape.pointer(id);
  text.length = tape.size(id);
  return readHexadecimal(text);
}

/** Budgets that the configuration does not have are ignored. */
function applyLimits(tape: Tape, list: u32, table: Span): void {
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node))
    applyLimit(tape, node, table);
}

function applyLimit(tape: Tape, node: u32, table: Span): void {
  const entry = entryOf(table, idIn(tape, node));
  if (entry == NO_ENTRY) return;
  const isPartial = readCount(tape, tape.member(node, PARTIAL)) > 0;
  const limit = readCount(tape, tape.member(node, LIMIT));
  const resets = <u32>readCount(tape, tape.member(node, RESETS));
  setLimit(entry, limit, resets, isPartial ? HAS_LIMIT | IS_PARTIAL : HAS_LIMIT);
}

/** Begins the response: whether no budget has had a limit. */
function writeFresh(table: Span, out: ByteBuffer): void {
  let isFresh = true;
  let entry = nextEntry(table, NO_ENTRY);
  for (; entry != NO_ENTRY; entry = nextEntry(table, entry)) {
    if (hasFlag(entry, HAS_LIMIT)) isFresh = false;
  }
  out.span(isFresh ? constant('{"' + BUDGETS_FRESH + '":1,') : constant("{"));
}

/** Appends the budgets of a table, with commas between them. */
function writeEntries(table: Span, out: ByteBuffer): void {
  for (let entry = nextEntry(table, NO_ENTRY); entry != NO_ENTRY;) {
    out.text('{"' + BUDGET_ID + '":"');
    appendHexadecimal(idOf(entry), out);
    out.text('","' + BUDGET_CHARGED + '":');
    out.integer(chargedOf(entry));
    if (!hasFlag(entry, HAS_LIMIT)) out.text(',"' + BUDGETS_FRESH + '":1');
    out.byte(CLOSE_BRACE);
    entry = nextEntry(table, entry);
    if (entry != NO_ENTRY) out.byte(COMMA);
  }
}
