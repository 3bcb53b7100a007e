// Finds the end of a JSON string and validates its content: by far the largest part of a scan's work.
//
// Sixteen bytes settle a short string. A longer one is taken in blocks of 64 bytes, each of which becomes a few masks
// with one bit per byte (quotes, backslashes, …), as simdjson does (Langdale and Lemire, "Parsing gigabytes of JSON per
// second", 2019, section 3.1.1). Which quotes are escaped is arithmetic on the masks, so text full of \n and \" costs
// no branch that the processor could guess wrong. Unlike there, a block always begins between two characters and
// outside an escape, so that nothing has to be carried from block to block: when a block ends inside one, the next
// begins a few bytes further on or back. The blocks only accept or reject; `explain` finds the error, byte by byte. Plain
// blocks, which neither end nor escape, are passed over in a loop of their own until one differs.
//
// The constants of the vector code are loaded from memory. V8 would rebuild a splat at each use (three instructions, inside
// the loop); a loaded constant stays in a register: 47 instead of 13 GB/s on plain text.
import { SCAN_CONTROL, SCAN_ESCAPE, SCAN_OK, SCAN_SYNTAX, SCAN_UTF8 } from "./scan-code";
import { FLAG_ESCAPED, KIND_STRING } from "./tape";
import { characterLength, isUtf8 } from "./utf8";

/** The kind of the last string that `scanLongString` accepted: flagged if it contains a backslash. */
export let stringKind: u32 = KIND_STRING;
/** The error of the last rejected string (a SCAN_ code), and its address. */
export let stringError: i32 = SCAN_OK;
export let stringErrorAt: usize = 0;

const QUOTES = memory.data<u64>([0x2222222222222222, 0x2222222222222222]);
const BACKSLASHES = memory.data<u64>([0x5c5c5c5c5c5c5c5c, 0x5c5c5c5c5c5c5c5c]);
const SPACES = memory.data<u64>([0x2020202020202020, 0x2020202020202020]);
const CONTROLS = memory.data<u64>([0x1f1f1f1f1f1f1f1f, 0x1f1f1f1f1f1f1f1f]);
const LETTERS_N = memory.data<u64>([0x6e6e6e6e6e6e6e6e, 0x6e6e6e6e6e6e6e6e]);
const LETTERS_T = memory.data<u64>([0x7474747474747474, 0x7474747474747474]);
const TWOS = memory.data<u64>([0x0202020202020202, 0x0202020202020202]);
const EXCLAMATIONS = memory.data<u64>([0x2121212121212121, 0x2121212121212121]);

/** So often `scanString` looks at sixteen bytes alone. */
const FEW: i32 = 4;

/** The odd bits of a block. */
const ODD: u64 = 0xaaaaaaaaaaaaaaaa;

/** What may follow a backslash, by (byte & 63): `"` and `/` below 0x40, `\ b f n r t` above. */
const ESCAPES_LOW: u64 = 0x0000800400000000;
const ESCAPES_HIGH: u64 = 0x0014404410000000;

/**
 * Returns the address of the quote that closes the string whose content starts at `p`, 0 if it is rejected (the reason is
 * in `stringError`). A zero byte must follow the text, and PADDING bytes after it.
 */
export function scanString(p: usize): usize {
  // Up to FEW of them cost less than a block.
  for (let count = 0; count < FEW; count++) {
    const first = firstSpecial(p);
    if (load<u8>(first) == 0x22) return first;
    const isPlain = first == p + 16;
    p = first;
    if (!isPlain) break;
  }
  return scanLongString(p);
}

/** Returns the address of the first of 16 bytes that is special in a string, or the address after them. */
// @ts-ignore: decorator
@inline
export function firstSpecial(p: usize): usize {
  const bytes = v128.load(p);
  const special = i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(bytes, v128.load(QUOTES)), i8x16.eq(bytes, v128.load(BACKSLASHES))),
      // Signed: what is below a space is a control character or a byte of something beyond ASCII.
      i8x16.lt_s(bytes, v128.load(SPACES)),
    ),
  );
  return p + ctz(special | 0x10000);
}

/** As `scanString` for a string that goes on at `p`. Sets `stringKind`. */
export function scanLongString(p: usize): usize {
  const quote = v128.load(QUOTES);
  const backslash = v128.load(BACKSLASHES);
  const space = v128.load(SPACES);
  const letterN = v128.load(LETTERS_N);
  const letterT = v128.load(LETTERS_T);
  stringKind = KIND_STRING;
  while (true) {
    let a = v128.load(p);
    let b = v128.load(p, 16);
    let c = v128.load(p, 32);
    let d = v128.load(p, 48);
    let next = p + 64;
    const isLow = i8x16.bitmask(i8x16.lt_s(i8x16.min_s(i8x16.min_s(a, b), i8x16.min_s(c, d)), space)) != 0;
    if (isLow) {
      next = checkBlock(p);
      if (next == 0) return explain(p);
      // Loaded again: V8 would store them in every block, for the time of this call.
      a = v128.load(p);
      b = v128.load(p, 16);
      c = v128.load(p, 32);
      d = v128.load(p, 48);
    }
    const backslashes = mask(
      i8x16.eq(a, backslash),
      i8x16.eq(b, backslash),
      i8x16.eq(c, backslash),
      i8x16.eq(d, backslash),
    );
    const quotes = mask(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote));
    if (backslashes == 0) {
      if (quotes != 0) return p + <usize>ctz(quotes);
      p = isLow ? next : skipPlainBlocks(next);
      continue;
    }
    const turns = turnsOf(backslashes);
    const escaped = turns ^ backslashes;
    const ends = quotes & ~escaped;
    const inside = (ends - 1) & ~ends;
    if ((backslashes & inside) != 0) {
      stringKind = KIND_STRING | FLAG_ESCAPED;
      const letters = mask(
        either(a, letterN, letterT),
        either(b, letterN, letterT),
        either(c, letterN, letterT),
        either(d, letterN, letterT),
      );
      // Four escapes are nearly all there are; the others are looked at one by one.
      const others = escaped & inside & ~(quotes | backslashes | letters);
      if (others != 0 && !areEscapes(p, others)) return explain(p);
    }
    if (ends != 0) return p + <usize>ctz(ends);
    p = next;
    if (<i64>(turns & backslashes) < 0) {
      // A call, and not a sum: this must stay a branch, or every block would wait for the masks of the one before.
      if (!isEscape(p)) return explain(p - 1);
      p++;
    }
  }
}

/** Returns the first block with a quote, a backslash, a control character or a byte beyond ASCII. */
// @ts-ignore: decorator
@inline
function skipPlainBlocks(p: usize): usize {
  const backslash = v128.load(BACKSLASHES);
  const two = v128.load(TWOS);
  const exclamation = v128.load(EXCLAMATIONS);
  while (true) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    // With bit 1 turned over a quote becomes a space and a space a quote: then all but a backslash are "below 0x21".
    const least = i8x16.min_s(
      i8x16.min_s(v128.xor(a, two), v128.xor(b, two)),
      i8x16.min_s(v128.xor(c, two), v128.xor(d, two)),
    );
    const slashes = v128.or(
      v128.or(i8x16.eq(a, backslash), i8x16.eq(b, backslash)),
      v128.or(i8x16.eq(c, backslash), i8x16.eq(d, backslash)),
    );
    if (i8x16.bitmask(v128.or(slashes, i8x16.lt_s(least, exclamation))) != 0) return p;
    p += 64;
  }
}

// @ts-ignore: decorator
@inline
function either(bytes: v128, one: v128, other: v128): v128 {
  return v128.or(i8x16.eq(bytes, one), i8x16.eq(bytes, other));
}

/** One bit per lane of four vectors of truth values. */
// @ts-ignore: decorator
@inline
function mask(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = i8x16.bitmask(a) | (i8x16.bitmask(b) << 16);
  const high = i8x16.bitmask(c) | (i8x16.bitmask(d) << 16);
  return <u64>(<u32>low) | (<u64>(<u32>high) << 32);
}

/**
 * Validates a block with control characters or bytes beyond ASCII, as far as it is inside of the string. Returns where the
 * next block begins: 64 bytes on, or before a character that is cut by the end of this block. 0 if it is not valid.
 */
function checkBlock(p: usize): usize {
  if (!hasControl(p) && isUtf8(p, ~(<u64>0))) return p + 64 - unfinishedBytes(p + 64);
  // What is not valid may follow the string.
  const inside = insideOf(p);
  return (controlsOf(p) & inside) == 0 && isUtf8(p, inside) ? p + 64 : 0;
}

/** Returns whether a block has a control character. */
// @ts-ignore: decorator
@inline
function hasControl(p: usize): bool {
  const least = i8x16.min_u(
    i8x16.min_u(v128.load(p), v128.load(p, 16)),
    i8x16.min_u(v128.load(p, 32), v128.load(p, 48)),
  );
  return i8x16.bitmask(i8x16.eq(i8x16.min_u(least, v128.load(CONTROLS)), least)) != 0;
}

/** Returns a bit for each control character of a block. */
function controlsOf(p: usize): u64 {
  const most = v128.load(CONTROLS);
  const a = v128.load(p);
  const b = v128.load(p, 16);
  const c = v128.load(p, 32);
  const d = v128.load(p, 48);
  return mask(i8x16.le_u(a, most), i8x16.le_u(b, most), i8x16.le_u(c, most), i8x16.le_u(d, most));
}

/** Returns the bits of a block in front of the string's end. */
function insideOf(p: usize): u64 {
  const backslashes = equalBytes(p, v128.load(BACKSLASHES));
  const ends = equalBytes(p, v128.load(QUOTES)) & ~(turnsOf(backslashes) ^ backslashes);
  return (ends - 1) & ~ends;
}

/** Returns a bit for each byte of a block that equals those of `bytes`. */
function equalBytes(p: usize, bytes: v128): u64 {
  const a = v128.load(p);
  const b = v128.load(p, 16);
  const c = v128.load(p, 32);
  const d = v128.load(p, 48);
  return mask(i8x16.eq(a, bytes), i8x16.eq(b, bytes), i8x16.eq(c, bytes), i8x16.eq(d, bytes));
}

/**
 * Returns the first backslash of each pair in a run, and what follows an odd run: in a run of backslashes every second one is
 * escaped, and so is what follows an odd run; the subtraction borrows through each run.
 */
// @ts-ignore: decorator
@inline
function turnsOf(backslashes: u64): u64 {
  return (((backslashes << 1) | ODD) - backslashes) ^ ODD;
}

/** How many bytes before `end` belong to a UTF-8 character that goes on after it. */
// @ts-ignore: decorator
@inline
function unfinishedBytes(end: usize): usize {
  const ofTwo = <usize>(load<u8>(end - 1) >= 0xc0);
  const ofThree = <usize>(load<u8>(end - 2) >= 0xe0) << 1;
  const ofFour = <usize>(load<u8>(end - 3) >= 0xf0) * 3;
  return max(ofTwo, max(ofThree, ofFour));
}

/** Returns whether every byte that `letters` selects may follow a backslash. */
function areEscapes(p: usize, letters: u64): bool {
  for (; letters != 0; letters &= letters - 1) {
    if (!isEscape(p + <usize>ctz(letters))) return false;
  }
  return true;
}

/** Returns whether the byte at `p` may follow a backslash; if it is a `u`, whether four hexadecimal digits follow. */
function isEscape(p: usize): bool {
  const letter = <u32>load<u8>(p);
  if (letter == 0x75) return areHex(load<u32>(p + 1));
  return letter < 0x80 && (((letter < 0x40 ? ESCAPES_LOW : ESCAPES_HIGH) >> (letter & 63)) & 1) != 0;
}

/** Returns whether four bytes are hexadecimal digits: each sum sets the high bit of the bytes from some character on. */
function areHex(bytes: u32): bool {
  const lower = bytes | 0x20202020;
  const digits = (bytes + 0x50505050) & ~(bytes + 0x46464646); // from "0", not from ":"
  const letters = (lower + 0x1f1f1f1f) & ~(lower + 0x19191919); // from "a", not from "g"
  return ((digits | letters) & 0x80808080) == 0x80808080;
}

/** Finds the error at or after `p` that the blocks have rejected, byte by byte. Always returns 0. */
function explain(p: usize): usize {
  while (true) {
    const c = <u32>load<u8>(p);
    if (c < 0x20) return fail(SCAN_CONTROL, p);
    if (c == 0x5c) {
      // A control character after a backslash may be the end of the text.
      if (load<u8>(p + 1) < 0x20) return fail(SCAN_CONTROL, p + 1);
      if (!isEscape(p + 1)) return fail(SCAN_ESCAPE, p);
      p += load<u8>(p + 1) == 0x75 ? 6 : 2;
    } else if (c >= 0x80) {
      const length = characterLength(p);
      if (length == 0) return fail(SCAN_UTF8, p);
      p += length;
    } else if (c == 0x22) {
      // Not reached as long as the blocks are right.
      return fail(SCAN_SYNTAX, p);
    } else {
      p++;
    }
  }
}

function fail(code: i32, at: usize): usize {
  stringError = code;
  stringErrorAt = at;
  return 0;
}
