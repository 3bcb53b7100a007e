// The bytes in which something is looked for, and what was found: shared by the verifiers of all kinds.
//
// The bytes are a text, or the inside of a JSON string as it is on the wire, which needs no decoding unless it has escapes of letters or
// signs. A letter after a backslash is an escape of white space then, and nothing joins it to what follows.
import { byteAt, isDigit, isLetter, lowerCaseAt } from "../bytes/text/at";
import { Span } from "../bytes/text/bytes";

export const NOWHERE: u32 = 0xffffffff;
/** A keyword counts so many bytes before a number. */
const KEYWORD_REACH: u32 = 48;

const BACKSLASH: u32 = 0x5c;
const UNDERSCORE: u32 = 0x5f;
const DOT: u32 = 0x2e;
const HYPHEN: u32 = 0x2d;
const AT: u32 = 0x40;
const BAR: u32 = 0x7c;

const view = new Span(0, 0);

export class TextWindow {
  base: usize = 0;
  /** Where the next finding begins at the earliest: what stands before it is only looked at. */
  from: u32 = 0;
  end: u32 = 0;
  /** Whether nothing follows the bytes. */
  isFinal: bool = true;

  /** What was found: an index of GUARD_KINDS, or a number after those. */
  kind: i32 = 0;
  start: u32 = 0;
  stop: u32 = 0;
  /** Whether it may go on after the end of the bytes. */
  isUnfinished: bool = false;
  /** Where something begins which the end of the bytes cuts; NOWHERE if nothing does. */
  open: u32 = NOWHERE;

  /** Returns a byte; 0 from the end on, which no verifier accepts. */
  @inline
  at(index: u32): u32 {
    return index < this.end ? byteAt(this.base, index) : 0;
  }

  /** Returns so many bytes from an index on, until the next call. */
  view(index: u32, length: u32): Span {
    view.pointer = this.base + index;
    view.length = length;
    return view;
  }

  found(kind: i32, start: u32, stop: u32): bool {
    if (start < this.from) return false;
    this.kind = kind;
    this.start = start;
    this.stop = stop;
    return true;
  }

  /** Returns whether a verifier that has come to `index` needs more bytes; then it has to return false. */
  isCut(start: u32, index: u32): bool {
    if (index < this.end || this.isFinal) return false;
    this.open = min(this.open, max(start, this.from));
    return true;
  }

  /** Returns whether nothing joins the bytes before an index to it. */
  isStart(index: u32): bool {
    if (index == 0) return true;
    const before = byteAt(this.base, index - 1);
    if (isWord(before))
      return index >= 2 && isEscape(before) && byteAt(this.base, index - 2) == BACKSLASH;
    if (before != DOT && before != HYPHEN) return true;
    return index < 2 || !isWord(byteAt(this.base, index - 2));
  }

  /** Returns whether nothing joins the bytes from an index on to those before it. Not asked after `isCut(…, index + 1)`. */
  isStop(index: u32): bool {
    const next = this.at(index);
    if (isWord(next) || next == AT) return false;
    return (next != DOT && next != HYPHEN) || !isWord(this.at(index + 1));
  }

  /** Returns whether one of the keywords, with bars between them, stands shortly before an index. */
  hasKeyword(index: u32, keywords: Span): bool {
    const from = index > KEYWORD_REACH ? index - KEYWORD_REACH : 0;
    const end = keywords.pointer + keywords.length;
    let word = keywords.pointer;
    while (word < end) {
      let after = word;
      while (after < end && byteAt(after) != BAR) after++;
      if (this.hasWord(from, index, word, <u32>(after - word))) return true;
      word = after + 1;
    }
    return false;
  }

  private hasWord(from: u32, end: u32, word: usize, length: u32): bool {
    for (let at = from; at + length <= end; at++) {
      let same: u32 = 0;
      while (same < length && lowerCaseAt(this.base, at + same) == byteAt(word, same)) same++;
      if (same < length) continue;
      if (at == 0 || !isLetter(byteAt(this.base, at - 1))) return true;
    }
    return false;
  }
}

/** Returns whether a byte is a letter, a digit or `_`. */
export function isWord(byte: u32): bool {
  return isLetter(byte) || isDigit(byte) || byte == UNDERSCORE;
}

/** `\b`, `\f`, `\n`, `\r`, `\t`. */
function isEscape(byte: u32): bool {
  return byte == 0x6e || byte == 0x74 || byte == 0x72 || byte == 0x62 || byte == 0x66;
}
