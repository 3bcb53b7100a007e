// E-mail addresses (RFC 5321, as people write them: no quotes, no addresses in brackets).
import { byteAt, isDigit, isLetter } from "../bytes/text/at";
import { GuardKind } from "./kind-numbers";
import { isWord, TextWindow } from "./text-window";

const MAX_LOCAL: u32 = 64;
const MAX_DOMAIN: u32 = 255;
const DOT: u32 = 0x2e;
const HYPHEN: u32 = 0x2d;
const BACKSLASH: u32 = 0x5c;
const COLON: u32 = 0x3a;
const SLASH: u32 = 0x2f;
const SPACE: u32 = 0x20;
const QUOTE: u32 = 0x22;

/** @param at of the `@` */
export function findEmail(window: TextWindow, at: u32): bool {
  const start = localStart(window, at);
  if (start == at) return false;
  let stop = at + 1;
  let label = stop;
  let isName = false;
  let dots = 0;
  const limit = stop + MAX_DOMAIN;
  for (; stop < limit; stop++) {
    const byte = window.at(stop);
    if (byte == DOT) {
      // A dot at the end ends a sentence.
      if (window.isCut(start, stop + 1)) return false;
      if (!isWord(window.at(stop + 1)) || stop == label) break;
      dots++;
      label = stop + 1;
      isName = true;
    } else if (isLetter(byte) || byte == HYPHEN) {
      if (byte == HYPHEN && !isWord(window.at(stop + 1)) && !window.isCut(start, stop + 1)) break;
    } else if (isDigit(byte)) {
      isName = false;
    } else break;
  }
  if (window.isCut(start, stop)) return false;
  if (dots == 0 || !isName || stop - label < 2 || window.at(stop) == 0x40) return false;
  return isFile(window, at) || isRepository(window, start, at, stop) || isPassword(window, start)
    ? false
    : window.found(GuardKind.Email, start, stop);
}

function localStart(window: TextWindow, at: u32): u32 {
  let start = at;
  const limit = max(window.from, at > MAX_LOCAL ? at - MAX_LOCAL : 0);
  while (start > limit && isLocal(byteAt(window.base, start - 1))) start--;
  // The letter of an escape (`\n`) is not part of the address.
  if (
    start < at &&
    start > 0 &&
    byteAt(window.base, start - 1) == BACKSLASH &&
    window.isStart(start + 1)
  )
    start++;
  if (start == limit && start > window.from && isLocal(byteAt(window.base, start - 1))) return at;
  while (start < at && !isWord(byteAt(window.base, start))) start++;
  return start;
}

function isLocal(byte: u32): bool {
  // . + - % ' & = ! # are signs that addresses have.
  return isWord(byte) || byte == DOT || byte == 0x2b || byte == HYPHEN || byte == 0x25;
}

/** `icon@2x.png` */
function isFile(window: TextWindow, at: u32): bool {
  return isDigit(window.at(at + 1)) && window.at(at + 2) == 0x78 && window.at(at + 3) == DOT;
}

/** `git@github.com:owner/name` */
function isRepository(window: TextWindow, start: u32, at: u32, stop: u32): bool {
  if (at - start != 3 || window.at(stop) != COLON) return false;
  return window.at(start) == 0x67 && window.at(start + 1) == 0x69 && window.at(start + 2) == 0x74;
}

/** The end of a password: `://user:password@host`. */
function isPassword(window: TextWindow, start: u32): bool {
  const limit = start > MAX_LOCAL ? start - MAX_LOCAL : 0;
  let hasColon = false;
  for (let at = start; at > limit; at--) {
    const byte = byteAt(window.base, at - 1);
    if (byte == COLON) hasColon = true;
    else if (byte == SLASH) return hasColon && at > 2 && byteAt(window.base, at - 3) == COLON;
    else if (byte <= SPACE || byte == QUOTE || byte == BACKSLASH) return false;
  }
  return false;
}
