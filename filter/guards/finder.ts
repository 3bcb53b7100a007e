// Finds personal data and secrets in a text, one after the other, in time that is linear in its length: a scan for what they begin
// with, and a verifier of bounded reach for each kind. It serves streams: bytes that are not final are searched up to where something
// may still be open.
import { byteAt, isDigit, isLetter } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { TriggerScan } from "../bytes/text/trigger-scan";
import { findEmail } from "./find-email";
import { findLetters, findMixed } from "./find-letters";
import { findAddress, findAtColon, findHyphenMac } from "./find-network";
import { findNumber, findPhone } from "./find-number";
import { findPrivateKey, findSecret, keyEnd, SECRET_FORMS } from "./find-secret";
import { hasKind } from "./has-kind";
import { GuardKind } from "./kind-numbers";
import { isWord, NOWHERE, TextWindow } from "./text-window";

/** So many bytes before those that are searched decide too: of words and signs that join, and of keywords. Streams keep them. */
export const CONTEXT_BYTES: u32 = 64;
/** An unfinished word is held up to this length: that of the longest local part of an e-mail address. Bytes. */
const MAX_HELD_WORD: u32 = 64;

const AT: u32 = 0x40;
const PLUS: u32 = 0x2b;
const SPACE: u32 = 0x20;
const COLON: u32 = 0x3a;
const HYPHEN: u32 = 0x2d;

const NUMBER_KINDS: u64 = ~(
  ((<u64>1) << GuardKind.Email) |
  ((<u64>1) << GuardKind.Iban) |
  ((<u64>1) << GuardKind.Secret) |
  ((<u64>1) << GuardKind.PrivateKey) |
  ((<u64>1) << GuardKind.UrlCredentials)
);

const window = new TextWindow();

/** What a policy finds. Made while the configuration is read. */
export class Finder {
  /** The finding of the last `next` that returned true: its kind (an index of GUARD_KINDS), and its place. */
  kind: i32 = 0;
  start: u32 = 0;
  stop: u32 = 0;
  /** Whether it goes on after the end of the bytes: a private key. `goesOn` then has to be asked about the bytes that follow. */
  isUnfinished: bool = false;
  /** After a `next` that returned false: nothing that begins before this index is left. The bytes from there on must come again. */
  open: u32 = 0;

  private scan: TriggerScan = new TriggerScan();

  constructor(private kinds: u64) {
    addTriggers(this.scan, kinds);
  }

  /**
   * Finds the next value in the bytes [from, end) at `base`, which have PADDING after them. Up to CONTEXT_BYTES before `from` are
   * looked at, from index 0 on. @param isFinal whether the text ends there
   */
  next(base: usize, from: u32, end: u32, isFinal: bool): bool {
    window.base = base;
    window.from = from;
    window.end = end;
    window.isFinal = isFinal;
    window.open = NOWHERE;
    window.isUnfinished = false;
    const stop = base + end;
    for (
      let place = this.scan.next(base + from, stop);
      place < stop;
      place = this.scan.next(place + 1, stop)
    ) {
      if (verify(this.kinds, <u32>(place - base))) {
        this.kind = window.kind;
        this.start = window.start;
        this.stop = window.stop;
        this.isUnfinished = window.isUnfinished;
        return true;
      }
      if (window.open != NOWHERE) {
        this.open = min(window.open, heldFrom(from, end));
        return false;
      }
    }
    this.open = isFinal ? end : heldFrom(from, end);
    return false;
  }

  /** Returns where an unfinished finding ends in the bytes that follow it, and sets `isUnfinished`. */
  goesOn(base: usize, from: u32, end: u32, isFinal: bool): u32 {
    window.base = base;
    window.from = from;
    window.end = end;
    window.isFinal = isFinal;
    const stop = keyEnd(window, from);
    this.isUnfinished = window.isUnfinished;
    return stop;
  }
}

/** Returns where the last word begins, which may be a part of something. */
function heldFrom(from: u32, end: u32): u32 {
  const limit = max(from, end > MAX_HELD_WORD ? end - MAX_HELD_WORD : 0);
  let at = end;
  // A digit and a space may be the beginning of a number in groups.
  const isGroup =
    end > limit + 1 &&
    byteAt(window.base, end - 1) == SPACE &&
    isDigit(byteAt(window.base, end - 2));
  if (isGroup) at--;
  while (at > limit && isOfWord(byteAt(window.base, at - 1))) at--;
  return at;
}

/** Letters, digits and the signs that join them in what is found. */
function isOfWord(byte: u32): bool {
  return (
    isWord(byte) ||
    byte == 0x2e ||
    byte == PLUS ||
    byte == HYPHEN ||
    byte == 0x25 ||
    byte == COLON ||
    byte == 0x2f ||
    byte == AT ||
    byte == 0x28 ||
    byte == 0x5c
  );
}

function verify(kinds: u64, at: u32): bool {
  const byte = window.at(at);
  if (isDigit(byte))
    return (at == 0 || !isDigit(byteAt(window.base, at - 1))) && verifyNumber(kinds, at);
  if (byte == AT) return hasKind(kinds, GuardKind.Email) && findEmail(window, at);
  if (byte == PLUS) return hasKind(kinds, GuardKind.Phone) && findPhone(window, at);
  if (byte == COLON) return findAtColon(window, kinds, at);
  if (byte == HYPHEN) {
    if (window.at(at + 1) == HYPHEN)
      return hasKind(kinds, GuardKind.PrivateKey) && findPrivateKey(window, at);
    return hasKind(kinds, GuardKind.Mac) && findHyphenMac(window, at);
  }
  if (!isLetter(byte)) return false;
  if (hasKind(kinds, GuardKind.Secret) && findSecret(window, at)) return true;
  return window.open == NOWHERE && byte < 0x61 && findLetters(window, kinds, at);
}

function verifyNumber(kinds: u64, at: u32): bool {
  if (findNumber(window, kinds, at) || window.open != NOWHERE) return window.open == NOWHERE;
  if (findMixed(window, kinds, at) || window.open != NOWHERE) return window.open == NOWHERE;
  return hasKind(kinds, GuardKind.Ip) && findAddress(window, at);
}

/** Adds what the values of these kinds begin with, or have at their first sign. */
function addTriggers(scan: TriggerScan, kinds: u64): void {
  const name = constant("0-9A-Za-z");
  const sign = constant("0-9 ./-");
  if ((kinds & NUMBER_KINDS) != 0) scan.add(0, constant("0-9"), sign, constant("0-9A-Z ./(-"));
  if (hasKind(kinds, GuardKind.Email)) scan.add(1, constant("@"), name, constant("0-9A-Za-z.-"));
  if (hasKind(kinds, GuardKind.Phone))
    scan.add(2, constant("+"), constant("1-9"), constant("0-9 .(-"));
  if (hasKind(kinds, GuardKind.UrlCredentials))
    scan.add(2, constant(":"), constant("/"), constant("/"));
  const hex = constant("0-9A-Fa-f:");
  if (hasKind(kinds, GuardKind.Ip) || hasKind(kinds, GuardKind.Mac))
    scan.add(3, constant(":"), hex, hex);
  if (hasKind(kinds, GuardKind.Mac)) scan.add(3, constant("-"), hex, hex);
  const capital = constant("A-Z");
  if (hasKind(kinds, GuardKind.Iban) || hasKind(kinds, GuardKind.IdGb))
    scan.add(4, capital, capital, constant("0-9 "));
  if (hasKind(kinds, GuardKind.PrivateKey))
    scan.add(7, constant("-"), constant("-"), constant("-"));
  if (!hasKind(kinds, GuardKind.Secret)) return;
  addBeginning(scan, 5, constant("eyJ"));
  for (let i = 0; i < SECRET_FORMS.length; i++)
    addBeginning(
      scan,
      byteAt(SECRET_FORMS[i].beginning.pointer) < 0x61 ? 6 : 5,
      SECRET_FORMS[i].beginning,
    );
}

/** Adds the first three bytes of a text. */
function addBeginning(scan: TriggerScan, set: u32, text: Span): void {
  scan.add(
    set,
    new Span(text.pointer, 1),
    new Span(text.pointer + 1, 1),
    new Span(text.pointer + 2, 1),
  );
}
