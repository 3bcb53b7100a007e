// Stores the rows of a push (contract/key-format.ts): all of them, or nothing if a part is malformed.
import {
  GROUPS,
  KEYS,
  KEYS_COMPLETE,
  KEYS_COUNT,
  KEYS_FRESH,
  KEYS_RESET,
  MAX_GROUPS,
  MAX_NAME_BYTES,
  MAX_ROW_BYTES,
  ROW_EXPIRES,
  ROW_GROUPS,
  ROW_ID,
  ROW_NAME,
  ROW_OWNER,
  SESSIONS,
  USERS,
} from "../../contract/key-format";
import { readCount } from "../bytes/json/number";
import { unescape } from "../bytes/json/text";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { readDigits } from "../bytes/text/hash";
import { DIGEST_BYTES } from "../bytes/text/sha256";
import {
  beginRows,
  countChange,
  countKeys,
  endRows,
  HASH_PREFIX,
  KEY_ROW,
  knowsAllKeys,
  refreshRows,
  SESSION_ROW,
  storeRow,
} from "./key-rows";
import { areTexts, isName, isUse } from "./read-use";

/** The members with rows, by the kind of row less 1. */
const MEMBERS = [constant(KEYS), constant(GROUPS), constant(USERS), constant(SESSIONS)];

/** Statuses of the response. */
const OK: u32 = 200;
const BAD_REQUEST: u32 = 400;
const UNAVAILABLE: u32 = 503;

const name = scratchBuffer();
const json = new Span(0, 0);

/** Stores the rows in the scanned body of a push, and writes the response to `out`. Returns its status. */
export function setKeys(tape: Tape, out: ByteBuffer): u32 {
  if (!tape.isObject(0)) return BAD_REQUEST;
  const isFirst = isSet(tape, constant(KEYS_RESET));
  const isLast = isSet(tape, constant(KEYS_COMPLETE));
  // A push of ended sessions has no state to write: it comes at the same time as the first push of keys, whose state it could undo.
  let hasState = isFirst || isLast;
  for (let kind = KEY_ROW; kind <= SESSION_ROW; kind++) {
    const rows = tape.member(0, MEMBERS[kind - 1]);
    if (!areRows(tape, rows, kind)) return BAD_REQUEST;
    if (kind != SESSION_ROW && rows != NO_NODE) hasState = true;
  }
  if (hasState) beginRows(isFirst);
  else refreshRows();
  const isFresh = !knowsAllKeys();
  for (let kind = KEY_ROW; kind <= SESSION_ROW; kind++)
    storeRows(tape, tape.member(0, MEMBERS[kind - 1]), kind);
  const isStored = !hasState || endRows(isLast);
  if (!hasState) countChange();
  out.clear();
  out.text(isFresh ? '{"' + KEYS_FRESH + '":1,"' + KEYS_COUNT + '":' : '{"' + KEYS_COUNT + '":');
  out.integer(countKeys());
  out.byte(0x7d);
  return isStored ? OK : UNAVAILABLE;
}

function isSet(tape: Tape, member: Span): bool {
  return readCount(tape, tape.member(0, member)) > 0;
}

/** Returns whether a member, which may be missing, has rows alone. */
function areRows(tape: Tape, rows: u32, kind: u32): bool {
  if (rows == NO_NODE) return true;
  if (!tape.isObject(rows)) return false;
  const end = tape.next(rows);
  for (let key = tape.first(rows); key < end; key = tape.next(key + 1)) {
    if (readName(tape, key, kind).length == 0) return false;
    if (!tape.isPresent(key + 1)) continue;
    if (!tape.isObject(key + 1) || tape.size(key + 1) > <u32>MAX_ROW_BYTES) return false;
    if (!isUse(tape, key + 1) || (kind == KEY_ROW && !isKey(tape, key + 1))) return false;
  }
  return true;
}

/** Returns whether a row has what the row of a key has besides its use. */
function isKey(tape: Tape, node: u32): bool {
  if (!isName(tape, tape.member(node, constant(ROW_ID)))) return false;
  if (!isName(tape, tape.member(node, constant(ROW_NAME)))) return false;
  const owner = tape.member(node, constant(ROW_OWNER));
  if (tape.isPresent(owner) && !isName(tape, owner)) return false;
  const expires = tape.member(node, constant(ROW_EXPIRES));
  if (tape.isPresent(expires) && readCount(tape, expires) < 0) return false;
  const groups = tape.member(node, constant(ROW_GROUPS));
  // A text takes one place on the tape.
  return (
    groups == NO_NODE ||
    (areTexts(tape, groups) && tape.next(groups) - groups - 1 <= <u32>MAX_GROUPS)
  );
}

function storeRows(tape: Tape, rows: u32, kind: u32): void {
  const end = tape.next(rows);
  for (let key = tape.first(rows); key < end; key = tape.next(key + 1)) {
    readName(tape, key, kind);
    json.pointer = tape.pointer(key + 1);
    json.length = tape.size(key + 1);
    const row = tape.isPresent(key + 1) ? json : null;
    storeRow(kind, name.pointer, kind == KEY_ROW ? HASH_PREFIX : name.length, row);
  }
}

/** Reads what identifies a row: the hash of a key, or a name. Returns it, empty if it is malformed, until the next call. */
function readName(tape: Tape, node: u32, kind: u32): ByteBuffer {
  name.clear();
  if (kind == KEY_ROW) {
    if (tape.size(node) == DIGEST_BYTES * 2) readDigits(tape.pointer(node), DIGEST_BYTES, name);
  } else if (tape.size(node) <= <u32>MAX_NAME_BYTES) {
    unescape(tape.pointer(node), tape.size(node), name);
  }
  return name;
}
