// Finds in which values two JSON texts differ, without a scan.
//
// A string begins after `a":"`, a number after `a":`, with any letter or digit for the `a`: the first quote is not escaped, and
// in a valid text none opens a string after a letter. So it closes the name of a member. Both texts are the same up to there,
// and again after the value: they are valid together or not at all, and differ in nothing else.
import { byteAt, isDigit, isLetter } from "../text/at";
import { sameBeginning } from "../text/bytes";
import { numberEnd } from "../json/number";
import { MAX_COUNTS, Repeatable } from "./repeatable";
import { stringEnd } from "../json/scan";

const QUOTE: u32 = 0x22;
const COLON: u32 = 0x3a;
const SPACE: u32 = 0x20;
const UNDERSCORE: u32 = 0x5f;
const BACKSLASH: u32 = 0x5c;

/** Offset of the byte after `a":` and of the value in it that differs last. */
let start: usize = 0;

/**
 * Sets in `values` where a text has other values than the one before it. Returns false if they differ in anything else, in too many
 * values, or in no string. Both have PADDING bytes after them, and are writable.
 */
export function findChanges(
  before: usize,
  beforeLength: u32,
  pointer: usize,
  length: u32,
  values: Repeatable,
): bool {
  const beforeEnd = before + beforeLength;
  const end = pointer + length;
  values.clear();
  let numbers = 0;
  while (true) {
    const same = sameBeginning(before, <u32>(beforeEnd - before), pointer, <u32>(end - pointer));
    const at = pointer + same;
    if (at == end) return before + same == beforeEnd && values.pointer != 0;
    if (before + same == beforeEnd) return false;
    const isNumber = findNumber(pointer, at);
    if (!isNumber && !findString(pointer, at)) return false;
    const beforeStart = before + (start - pointer);
    const stop = isNumber ? numberEnd(start, end) : stringEnd(start, end);
    before = isNumber ? numberEnd(beforeStart, beforeEnd) : stringEnd(beforeStart, beforeEnd);
    if (stop < at || before < beforeStart + (at - start)) return false;
    const size = <u32>(stop - start);
    if (isNumber) {
      if (numbers >= MAX_COUNTS) return false;
      values.setCount(numbers++, start, size);
    } else if (!values.addString(start, size)) return false;
    pointer = stop;
  }
}

/** Finds the number that the byte at `at` is in or after. */
function findNumber(from: usize, at: usize): bool {
  start = at;
  while (start > from && isDigit(byteAt(start - 1))) start--;
  return (start < at || isDigit(byteAt(at))) && isValue(from, start);
}

/** Finds the string that the byte at `at` is in or after. */
function findString(from: usize, at: usize): bool {
  for (start = at; start > from + 1; start--) {
    if (byteAt(start - 1) != QUOTE || byteAt(start - 2) == BACKSLASH) continue;
    return isValue(from, start - 1);
  }
  return false;
}

/** Returns whether the value of a member begins at `at`. */
function isValue(from: usize, at: usize): bool {
  if (at > from && byteAt(at - 1) == SPACE) at--;
  if (at < from + 3 || byteAt(at - 1) != COLON || byteAt(at - 2) != QUOTE) return false;
  const last = byteAt(at - 3);
  return isLetter(last) || isDigit(last) || last == UNDERSCORE;
}
