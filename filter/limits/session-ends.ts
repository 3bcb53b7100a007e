// Sessions that were ended at run time (contract/session-ends-format.ts), in data that all workers share and that outlives a reload: a value
// for each session, the second until which it stays ended.
import { freeBlock } from "../memory/blocks";
import {
  ENDED,
  ENDED_KEY,
  ENDED_SESSION,
  ENDED_UNTIL,
  MAX_SESSION_BYTES,
} from "../../contract/session-ends-format";
import { MAX_NAME_BYTES } from "../../contract/key-format";
import { currentSeconds } from "../host/host";
import { NO_VERSION, setShared, takeShared } from "../host/shared-data";
import { SharedCounter, UNKNOWN } from "../host/shared-counter";
import { setWordAt, wordAt } from "../bytes/fields";
import { readCount } from "../bytes/json/number";
import { unescape } from "../bytes/json/text";
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../bytes/text/bytes";
import { hash64, spread } from "../bytes/text/hash";

/** The first byte of the names of their values, which no other shared data has. */
const ENDED_NAME: u32 = 6;
const VALUE_BYTES: u32 = 4;
/** Stands for all keys. */
const ANY_KEY: u64 = 0;

/** Statuses of the response. */
const OK: u32 = 200;
const BAD_REQUEST: u32 = 400;
const UNAVAILABLE: u32 = 503;

/** Has a value as soon as a session has ended: until then, no request looks for one. */
const ANY = constant("gateway_session_ends");
/** Counts the pushes of all workers; `seen`: those before `isAny` was read. */
const changes = new SharedCounter(constant("gateway_session_end_changes"));
let seen: u64 = UNKNOWN;
let isAny: bool = false;

const name = scratchBuffer();
const nameSpan = new Span(0, 0);
const stored = new Span(0, 0);
const value = memory.data(VALUE_BYTES, 4);
const valueSpan = new Span(value, VALUE_BYTES);
const text = scratchBuffer();

/** Returns whether a session has ended, of all keys or of this one. @param key empty without one */
export function hasEnded(session: Span, key: Span): bool {
  const now = changes.value;
  if (now != seen || now == UNKNOWN) {
    seen = now;
    isAny = takeShared(ANY, stored) != NO_VERSION;
    freeBlock(stored.pointer);
  }
  if (!isAny) return false;
  const hash = hash64(session.pointer, session.length);
  return isStored(hash, ANY_KEY) || (key.length > 0 && isStored(hash, keyHash(key)));
}

function keyHash(key: Span): u64 {
  return max(hash64(key.pointer, key.length), ANY_KEY + 1);
}

function isStored(session: u64, key: u64): bool {
  takeShared(nameOf(session, key), stored);
  const until = stored.length == VALUE_BYTES ? wordAt(stored.pointer, 0) : 0;
  freeBlock(stored.pointer);
  stored.pointer = 0;
  return <i64>until > currentSeconds();
}

function nameOf(session: u64, key: u64): Span {
  name.clear();
  name.byte(ENDED_NAME);
  name.long(spread(session));
  name.long(key);
  return name.view(nameSpan);
}

/** Stores the sessions in the scanned body of a push, all or none, and writes the response to `out`. Returns its status. */
export function setEnded(tape: Tape, out: ByteBuffer): u32 {
  const list = tape.member(0, constant(ENDED));
  if (!tape.isArray(list)) return BAD_REQUEST;
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    if (!isEnd(tape, node)) return BAD_REQUEST;
  }
  let areStored = true;
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    const session = hashIn(tape, tape.member(node, constant(ENDED_SESSION)));
    const key = tape.member(node, constant(ENDED_KEY));
    setWordAt(value, 0, <u32>readCount(tape, tape.member(node, constant(ENDED_UNTIL))));
    const owner = tape.isPresent(key) ? max(hashIn(tape, key), ANY_KEY + 1) : ANY_KEY;
    areStored = setShared(nameOf(session, owner), valueSpan, NO_VERSION) && areStored;
  }
  if (tape.first(list) < end) {
    setShared(ANY, ANY, NO_VERSION);
    changes.increment();
  }
  out.clear();
  out.text("{}");
  return areStored ? OK : UNAVAILABLE;
}

function isEnd(tape: Tape, node: u32): bool {
  const session = tape.member(node, constant(ENDED_SESSION));
  const key = tape.member(node, constant(ENDED_KEY));
  const until = readCount(tape, tape.member(node, constant(ENDED_UNTIL)));
  if (!isText(tape, session, <u32>MAX_SESSION_BYTES)) return false;
  if (tape.isPresent(key) && !isText(tape, key, <u32>MAX_NAME_BYTES)) return false;
  return until >= 0 && until <= <i64>u32.MAX_VALUE;
}

function isText(tape: Tape, node: u32, longest: u32): bool {
  return tape.isString(node) && tape.size(node) > 0 && tape.size(node) <= longest;
}

function hashIn(tape: Tape, node: u32): u64 {
  text.clear();
  unescape(tape.pointer(node), tape.size(node), text);
  return hash64(text.pointer, text.length);
}
