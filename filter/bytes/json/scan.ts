// The scanner: checks a JSON text strictly (RFC 8259, UTF-8 by RFC 3629) in one pass and fills a tape.
//
// It loops and never recurses: while a container is open, its `next` holds its parent. A zero byte after the text,
// written for the time of the scan, ends every inner loop, so no byte is compared with the end twice.
import { SCAN_CONTROL, SCAN_DEPTH, SCAN_EMPTY, SCAN_END, SCAN_OK, SCAN_SYNTAX } from "./scan-code";
import { firstSpecial, scanLongString, scanString, stringError, stringErrorAt, stringKind } from "./string";
import {
  ENTRY_BYTES,
  KIND_ARRAY,
  KIND_FALSE,
  KIND_NULL,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_STRING,
  KIND_TRUE,
  NO_NODE,
  Tape,
} from "./tape";

export * from "./scan-code";

/** Deeper nesting is rejected; real requests stay below 60 (tool schemas). */
const MAX_DEPTH: u32 = 256;

/** The offset at which the last scan failed. */
export let scanErrorAt: u32 = 0;

let errorCode: i32 = SCAN_OK;
/** Of `errorCode`: the tape has no room, and the scan can go on when it has. */
const NEEDS_ROOM: i32 = -1;

// Where `scanValues` goes on: the token, the innermost open container, the byte that closes it, and the depth.
let token: usize = 0;
let parentNode: u32 = NO_NODE;
let parentCloser: u32 = 0;
let parentDepth: u32 = 0;

// Constants of the vector code; string.ts explains why they are loaded from memory.
const SPACES = memory.data<u64>([0x2020202020202020, 0x2020202020202020]);
const LINE_FEEDS = memory.data<u64>([0x0a0a0a0a0a0a0a0a, 0x0a0a0a0a0a0a0a0a]);
const CARRIAGE_RETURNS = memory.data<u64>([0x0d0d0d0d0d0d0d0d, 0x0d0d0d0d0d0d0d0d]);
const TABULATORS = memory.data<u64>([0x0909090909090909, 0x0909090909090909]);
const ZEROS = memory.data<u64>([0x3030303030303030, 0x3030303030303030]);
const NINES = memory.data<u64>([0x0909090909090909, 0x0909090909090909]);

/**
 * Scans `length` bytes at `base` into `tape`. Returns SCAN_OK or the error, whose offset is in `scanErrorAt`.
 * The block must have PADDING bytes after the text; the byte after the text is overwritten and restored.
 */
export function scan(tape: Tape, base: usize, length: u32): i32 {
  tape.reset();
  tape.base = base;
  tape.length = length;
  const end = base + length;
  const behind = load<u8>(end);
  store<u8>(end, 0);
  token = skipSpace(base);
  parentNode = NO_NODE;
  parentCloser = 0;
  parentDepth = 0;
  let stop: usize = 0;
  do {
    errorCode = tape.makeRoom();
    stop = errorCode == SCAN_OK ? scanValues(tape, base, end) : token;
  } while (errorCode == NEEDS_ROOM);
  if (errorCode != SCAN_OK) {
    if (errorCode == SCAN_SYNTAX && stop >= end) errorCode = SCAN_END;
    if (errorCode == SCAN_CONTROL && stop >= end) errorCode = SCAN_END;
    if (errorCode == SCAN_END && skipSpace(base) >= end) errorCode = SCAN_EMPTY;
    scanErrorAt = <u32>(min(stop, end) - base);
    tape.reset();
  }
  store<u8>(end, behind);
  return errorCode;
}

/**
 * Scans the members of an object from the one at `first` up to the object's end, as an object of their own. It is not valid if
 * the member belongs to an inner object. The byte in front of the member is overwritten and restored; the rest as in `scan`.
 */
export function scanMembers(tape: Tape, first: usize, length: u32): i32 {
  const brace = first - 1;
  const before = load<u8>(brace);
  store<u8>(brace, OPEN_BRACE);
  const code = scan(tape, brace, length + 1);
  store<u8>(brace, before);
  return code;
}

/**
 * Returns the address of the quote that closes the string whose content starts at `pointer`, 0 if there is no valid end
 * before `end`. The byte at `end` is overwritten and restored, and PADDING bytes must follow it.
 */
export function stringEnd(pointer: usize, end: usize): usize {
  const behind = load<u8>(end);
  store<u8>(end, 0);
  const stop = scanString(pointer);
  store<u8>(end, behind);
  return stop;
}

const OPEN_BRACE: u8 = 0x7b;
const BRACKET: u32 = 0x5d;
const BRACE: u32 = 0x7d;

// One loop over one state: a function for each kind of value would have to pass all of it along.
/* eslint-disable complexity, max-lines-per-function */
/**
 * Scans by the whole grammar from `token` on. Returns where it stopped; `errorCode` is the reason if that is not the end. It calls
 * as little as possible: V8 keeps no variable in a register across a call.
 */
function scanValues(tape: Tape, base: usize, end: usize): usize {
  const entries = tape.entries;
  const limit = tape.pairLimit();
  let entry = entries + tape.count * ENTRY_BYTES;
  let p = token;
  let parent = parentNode;
  /** The byte that closes the innermost open container; 0 outside of all. */
  let closer = parentCloser;
  let depth = parentDepth;
  while (true) {
    if (entry >= limit) {
      tape.count = <u32>(entry - entries) / ENTRY_BYTES;
      token = p;
      parentNode = parent;
      parentCloser = closer;
      parentDepth = depth;
      return fail(NEEDS_ROOM, p);
    }
    if (closer == BRACE) {
      if (load<u8>(p) != 0x22) return fail(SCAN_SYNTAX, p);
      let stop = firstSpecial(p + 1);
      let kind = KIND_STRING;
      if (load<u8>(stop) != 0x22) {
        stop = scanLongString(stop);
        if (stop == 0) return fail(stringError, stringErrorAt);
        kind = stringKind;
      }
      putLeaf(entry, entries, <u32>(p + 1 - base), <u32>(stop - base), kind);
      entry += ENTRY_BYTES;
      p = skipSpace(stop + 1);
      if (load<u8>(p) != 0x3a) return fail(SCAN_SYNTAX, p);
      p = skipSpace(p + 1);
    }
    const c = <u32>load<u8>(p);
    if (c == 0x22) {
      let stop = firstSpecial(p + 1);
      let kind = KIND_STRING;
      if (load<u8>(stop) != 0x22) {
        stop = scanLongString(stop);
        if (stop == 0) return fail(stringError, stringErrorAt);
        kind = stringKind;
      }
      putLeaf(entry, entries, <u32>(p + 1 - base), <u32>(stop - base), kind);
      entry += ENTRY_BYTES;
      p = stop + 1;
    } else if (c == 0x7b || c == 0x5b) {
      if (++depth > MAX_DEPTH) return fail(SCAN_DEPTH, p);
      closer = c + 2;
      putEntry(entry, <u32>(p - base), 0, parent, c == 0x7b ? KIND_OBJECT : KIND_ARRAY);
      parent = <u32>(entry - entries) / ENTRY_BYTES;
      entry += ENTRY_BYTES;
      p = skipSpace(p + 1);
      // Only an empty container may close here.
      if (load<u8>(p) != closer) continue;
    } else {
      let kind = KIND_NUMBER;
      let stop = p;
      if (c == 0x2d || c - 0x30 < 10) {
        stop = scanNumber(p);
        if (errorCode != SCAN_OK) return stop;
      } else if (load<u32>(p) == 0x65757274) {
        kind = KIND_TRUE;
        stop += 4;
      } else if (load<u32>(p) == 0x6c6c756e) {
        kind = KIND_NULL;
        stop += 4;
      } else if (c == 0x66 && load<u32>(p + 1) == 0x65736c61) {
        kind = KIND_FALSE;
        stop += 5;
      } else {
        return fail(SCAN_SYNTAX, p);
      }
      putLeaf(entry, entries, <u32>(p - base), <u32>(stop - base), kind);
      entry += ENTRY_BYTES;
      p = stop;
    }
    // A value has ended, and with it perhaps containers.
    while (true) {
      p = skipSpace(p);
      if (depth == 0) {
        tape.count = <u32>(entry - entries) / ENTRY_BYTES;
        return p == end ? p : fail(SCAN_SYNTAX, p);
      }
      const after = <u32>load<u8>(p);
      if (after == 0x2c) {
        p = skipSpace(p + 1);
        break;
      }
      if (after != closer) return fail(SCAN_SYNTAX, p);
      p++;
      const container = entries + parent * ENTRY_BYTES;
      parent = load<u32>(container, 8);
      store<u32>(container, <u32>(p - base), 4);
      store<u32>(container, <u32>(entry - entries) / ENTRY_BYTES, 8);
      if (--depth == 0) closer = 0;
      else closer = load<u32>(entries + parent * ENTRY_BYTES, 12) == KIND_OBJECT ? BRACE : BRACKET;
    }
  }
}
/* eslint-enable complexity, max-lines-per-function */

// @ts-ignore: decorator
@inline
function putLeaf(entry: usize, entries: usize, start: u32, stop: u32, kind: u32): void {
  putEntry(entry, start, stop, <u32>(entry + ENTRY_BYTES - entries) / ENTRY_BYTES, kind);
}

// @ts-ignore: decorator
@inline
function putEntry(entry: usize, start: u32, stop: u32, next: u32, kind: u32): void {
  store<u32>(entry, start);
  store<u32>(entry, stop, 4);
  store<u32>(entry, next, 8);
  store<u32>(entry, kind, 12);
}

function fail(code: i32, at: usize): usize {
  errorCode = code;
  return at;
}

// @ts-ignore: decorator
@inline
function skipSpace(p: usize): usize {
  // Most texts are compact.
  return load<u8>(p) > 0x20 ? p : skipSpaces(p);
}

function skipSpaces(p: usize): usize {
  // The one space of Python's ", " and ": ".
  if (load<u8>(p) == 0x20 && load<u8>(p + 1) > 0x20) return p + 1;
  while (true) {
    const bytes = v128.load(p);
    const spaces = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(bytes, v128.load(SPACES)), i8x16.eq(bytes, v128.load(LINE_FEEDS))),
        v128.or(i8x16.eq(bytes, v128.load(CARRIAGE_RETURNS)), i8x16.eq(bytes, v128.load(TABULATORS))),
      ),
    );
    if (spaces != 0xffff) return p + ctz(~spaces);
    p += 16;
  }
}

// @ts-ignore: decorator
@inline
function isDigit(p: usize): bool {
  return <u32>load<u8>(p) - 0x30 < 10;
}

function skipDigits(p: usize): usize {
  while (true) {
    const values = i8x16.sub(v128.load(p), v128.load(ZEROS));
    const digits = i8x16.bitmask(i8x16.eq(i8x16.min_u(values, v128.load(NINES)), values));
    if (digits != 0xffff) return p + ctz(~digits);
    p += 16;
  }
}

/** Scans a number by RFC 8259, section 6; its text is never converted. */
function scanNumber(p: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  if (load<u8>(p) == 0x30) p++;
  else if (isDigit(p)) p = skipDigits(p);
  else return fail(SCAN_SYNTAX, p);
  if (load<u8>(p) == 0x2e) {
    if (!isDigit(++p)) return fail(SCAN_SYNTAX, p);
    p = skipDigits(p);
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d) p++;
    if (!isDigit(p)) return fail(SCAN_SYNTAX, p);
    p = skipDigits(p);
  }
  return p;
}
