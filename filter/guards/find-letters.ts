// Ids that have letters, and IBANs.
import { byteAt, isDigit } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { hasKind } from "./has-kind";
import { GuardKind } from "./kind-numbers";
import { TextWindow } from "./text-window";

const SPACE: u32 = 0x20;
const HYPHEN: u32 = 0x2d;

/**
 * Lengths of IBANs by country (the registry of ISO 13616): the country's letters, then the length as a character after `@`.
 * BBANs have no check besides that of the whole.
 */
const IBAN_LENGTHS: Span[] = [
  constant(
    "NOOBEPDKRFIRFKRFORGLRNLRSDRMKSSISATTBATEETKZTLTTLUTMNTXKTCHUHRULIULVUBGVBHVCRVDEVGBVGEVIEVMEVRSVVAVAEWGIWILWIQWOMWSOWTLWADXCZXESXMDXPKX",
  ),
  constant(
    "ROXSAXSEXSKXTNXVGXLYYPTYSTYISZTRZBI[DJ[FR[GR[IT[MC[MR[SM[AL\\AZ\\BY\\CY\\DO\\GT\\HN\\HU\\LB\\NI\\PL\\SV\\BR]EG]PS]QA]UA]JO^KW^MU^YE^MT_SC_LC`RUa",
  ),
];

/** What begins with two capital letters. @param at of the first one */
export function findLetters(window: TextWindow, kinds: u64, at: u32): bool {
  if (!window.isStart(at)) return false;
  if (hasKind(kinds, GuardKind.Iban) && isDigit(window.at(at + 2)) && findIban(window, at))
    return true;
  return hasKind(kinds, GuardKind.IdGb) && findInsuranceNumber(window, at);
}

function findIban(window: TextWindow, at: u32): bool {
  const length = lengthOf(window, at);
  if (length == 0) return false;
  let rest: u32 = 0;
  let index = at;
  let spaces = 0;
  for (let count: u32 = 0; count < length; count++) {
    if (count > 0 && count % 4 == 0 && window.at(index) == SPACE) {
      index++;
      spaces++;
    }
    if (window.isCut(at, index)) return false;
    const value = valueOf(window.at(index++));
    if (value > 35 || ((count == 2 || count == 3) && value > 9)) return false;
    if (count >= 4) rest = withValue(rest, value);
  }
  if (window.isCut(at, index + 1)) return false;
  if (spaces != 0 && spaces != <i32>((length - 1) / 4)) return false;
  for (let i: u32 = 0; i < 4; i++) rest = withValue(rest, valueOf(window.at(at + i)));
  return rest == 1 && window.isStop(index) && window.found(GuardKind.Iban, at, index);
}

function withValue(rest: u32, value: u32): u32 {
  return (rest * (value > 9 ? 100 : 10) + value) % 97;
}

/** 0 to 9, and 10 to 35 for capital letters; 36 for anything else. */
function valueOf(byte: u32): u32 {
  if (isDigit(byte)) return byte - 0x30;
  return byte - 0x41 < 26 ? byte - 0x41 + 10 : 36;
}

function lengthOf(window: TextWindow, at: u32): u32 {
  for (let list = 0; list < IBAN_LENGTHS.length; list++) {
    const countries = unchecked(IBAN_LENGTHS[list]);
    for (let i: u32 = 0; i < countries.length; i += 3) {
      const country = countries.pointer + i;
      if (byteAt(country) == window.at(at) && byteAt(country, 1) == window.at(at + 1))
        return byteAt(country, 2) - 0x40;
    }
  }
  return 0;
}

const FIRST_LETTERS = constant("ABCEGHJKLMNOPRSTWXYZ");
const SECOND_LETTERS = constant("ABCEGHJKLMNPRSTWXYZ");

/** National insurance numbers: AB 12 34 56 C. */
function findInsuranceNumber(window: TextWindow, at: u32): bool {
  if (!isIn(FIRST_LETTERS, window.at(at)) || !isIn(SECOND_LETTERS, window.at(at + 1))) return false;
  let index = at + 2;
  for (let count = 0; count < 7; count++) {
    if (count % 2 == 0 && window.at(index) == SPACE) index++;
    if (window.isCut(at, index + 1)) return false;
    const byte = window.at(index++);
    if (count < 6 ? !isDigit(byte) : byte - 0x41 > 3) return false;
  }
  if (window.isCut(at, index + 1) || isReserved(window.at(at), window.at(at + 1))) return false;
  return window.isStop(index) && window.found(GuardKind.IdGb, at, index);
}

const RESERVED = constant("BGGBKNNKNTTNZZ");

function isReserved(first: u32, second: u32): bool {
  for (let i: u32 = 0; i < RESERVED.length; i += 2) {
    if (byteAt(RESERVED.pointer, i) == first && byteAt(RESERVED.pointer, i + 1) == second)
      return true;
  }
  return false;
}

function isIn(letters: Span, byte: u32): bool {
  return indexIn(letters, byte) < letters.length;
}

function indexIn(letters: Span, byte: u32): u32 {
  let index: u32 = 0;
  while (index < letters.length && byteAt(letters.pointer, index) != byte) index++;
  return index;
}

/** Ids in which letters follow or precede digits. @param at of a digit without one before it */
export function findMixed(window: TextWindow, kinds: u64, at: u32): bool {
  if (hasKind(kinds, GuardKind.IdEs) && findSpanish(window, at)) return true;
  if (hasKind(kinds, GuardKind.IdFi) && findFinnish(window, at)) return true;
  if (hasKind(kinds, GuardKind.IdIt) && at >= 6 && findItalian(window, at - 6)) return true;
  return hasKind(kinds, GuardKind.IdIn) && at >= 5 && findIndianTax(window, at - 5);
}

const SPANISH = constant("TRWAGMYFPDXBNJZSQVHLCKE");

/** DNI: eight digits and a letter; NIE: X, Y or Z in place of the first digit. */
function findSpanish(window: TextWindow, at: u32): bool {
  let start = at;
  let number: u32 = 0;
  if (at > 0 && byteAt(window.base, at - 1) - 0x58 < 3)
    number = byteAt(window.base, --start) - 0x58;
  const length: u32 = start < at ? 7 : 8;
  if (!window.isStart(start)) return false;
  let index = at;
  for (; index < at + length; index++) {
    if (window.isCut(start, index)) return false;
    if (!isDigit(window.at(index))) return false;
    number = number * 10 + window.at(index) - 0x30;
  }
  if (window.isCut(start, index + 2)) return false;
  if (window.at(index) == HYPHEN) index++;
  if (window.at(index) != byteAt(SPANISH.pointer, number % 23)) return false;
  if (window.isCut(start, index + 2)) return false;
  return window.isStop(index + 1) && window.found(GuardKind.IdEs, start, index + 1);
}

const FINNISH = constant("0123456789ABCDEFHJKLMNPRSTUVWXY");
const CENTURIES = constant("+-ABCDEFUVWXY");

/** HETU: ddmmyy, a sign of the century, three digits, a check character. */
function findFinnish(window: TextWindow, at: u32): bool {
  let number: u32 = 0;
  for (let index = at; index < at + 10; index++) {
    if (window.isCut(at, index)) return false;
    const byte = window.at(index);
    if (index == at + 6) {
      if (!isIn(CENTURIES, byte)) return false;
    } else if (!isDigit(byte)) return false;
    else number = number * 10 + byte - 0x30;
  }
  if (window.isCut(at, at + 12)) return false;
  const day = number / 10000000;
  const month = (number / 100000) % 100;
  if (!window.isStart(at) || day - 1 > 30 || month - 1 > 11) return false;
  if (window.at(at + 10) != byteAt(FINNISH.pointer, number % 31)) return false;
  return window.isStop(at + 11) && window.found(GuardKind.IdFi, at, at + 11);
}

/** Codice fiscale: six letters, year, month, day, place and a check letter. */
function findItalian(window: TextWindow, start: u32): bool {
  if (!window.isStart(start)) return false;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < 15; i++) {
    if (window.isCut(start, start + i)) return false;
    const value = valueOf(window.at(start + i));
    const isLetterPlace = i < 6 || i == 8 || i == 11;
    if (value > 35 || (isLetterPlace && value < 10)) return false;
    const letter = value > 9 ? value - 10 : value;
    sum += i % 2 == 0 ? oddValue(letter) : letter;
  }
  if (window.isCut(start, start + 17)) return false;
  if (window.at(start + 15) != 0x41 + (sum % 26)) return false;
  return window.isStop(start + 16) && window.found(GuardKind.IdIt, start, start + 16);
}

/** The official table: 1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23. */
const ODD_VALUES = constant("10579=?ACE24BD;368<>@:FIHG");

function oddValue(letter: u32): u32 {
  return byteAt(ODD_VALUES.pointer, letter) - 0x30;
}

const HOLDERS = constant("ABCFGHJLPTK");

/** PAN: five letters, the fourth for the kind of holder, four digits and a letter whose algorithm is not public. */
function findIndianTax(window: TextWindow, start: u32): bool {
  if (!window.isStart(start)) return false;
  for (let i: u32 = 0; i < 10; i++) {
    if (window.isCut(start, start + i)) return false;
    const byte = window.at(start + i);
    if (i < 5 || i == 9 ? byte - 0x41 > 25 : !isDigit(byte)) return false;
  }
  if (window.isCut(start, start + 12)) return false;
  if (!isIn(HOLDERS, window.at(start + 3))) return false;
  return window.isStop(start + 10) && window.found(GuardKind.IdIn, start, start + 10);
}
