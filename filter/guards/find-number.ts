// What begins with a digit: cards, ids and phone numbers.
import { byteAt, isDigit } from "../bytes/text/at";
import { constant } from "../bytes/text/bytes";
import { Digits, MAX_NUMBER_DIGITS } from "./digits";
import { hasKind } from "./has-kind";
import { GuardKind } from "./kind-numbers";
import { Needs, NumberForm, NUMBER_FORMS } from "./number-forms";
import { TextWindow } from "./text-window";

const digits = new Digits();
const PHONE_WORDS = constant(
  "phone|tel|telefon|telephone|mobile|cell|call|fax|whatsapp|sms|handy|móvil|téléphone",
);

const MIN_CARD: u32 = 13;
const MAX_CARD: u32 = 19;
const MIN_PHONE: u32 = 7;
const MAX_PHONE: u32 = 13;
const DATE_DIGITS: u32 = 8;
/** Groups of dates: 4-2-2 and 2-2-4. */
const YEAR_FIRST: u32 = 0x50;
const YEAR_LAST: u32 = 0x14;
const MIN_E164: u32 = 8;
const MAX_E164: u32 = 15;
const OPEN: u32 = 0x28;
const CLOSE: u32 = 0x29;
const HYPHEN: u32 = 0x2d;
const SPACE: u32 = 0x20;
const DOT: u32 = 0x2e;
const LINE_FEED: u32 = 0x0a;

/** Groups of a card: by fours, and 4-6-5 of American Express. */
const CARD_FOURS: u32 = 0x11110;
const CARD_OF_AMEX: u32 = 0x410;

/** @param at of a digit without one before it */
export function findNumber(window: TextWindow, kinds: u64, at: u32): bool {
  if (!window.isStart(at) || !digits.read(window, at)) return false;
  // The longest first: a card's number may begin like another number.
  for (let count = min(digits.count, MAX_NUMBER_DIGITS); count >= MIN_PHONE; count--) {
    const stop = digits.ends[count - 1];
    if (!window.isStop(stop)) continue;
    if (hasKind(kinds, GuardKind.Card) && isCard(count))
      return window.found(GuardKind.Card, at, stop);
    const kind = idOf(window, kinds, at, count);
    if (kind >= 0) return window.found(kind, at, stop);
  }
  return hasKind(kinds, GuardKind.Phone) && findNational(window, at);
}

function isCard(count: u32): bool {
  if (count < MIN_CARD || count > MAX_CARD) return false;
  const groups = digits.groupsOf(count);
  const isGrouped =
    groups == (CARD_FOURS & ((1 << count) - 1)) || (groups == CARD_OF_AMEX && count == 15);
  if (groups != 0 && (!isGrouped || (digits.sign != SPACE && digits.sign != HYPHEN))) return false;
  return hasCardRange(count) && !digits.areSame(count) && digits.hasLuhn(0, count);
}

/** The ranges of the issuers, with the lengths of their numbers. */
function hasCardRange(count: u32): bool {
  const two = digits.pair(0);
  const four = two * 100 + digits.pair(2);
  if (two - 40 < 10) return count == 13 || count == 16 || count == 19;
  if (two == 34 || two == 37) return count == 15;
  if (two - 51 < 5 || four - 2221 < 500) return count == 16;
  if (two == 36 || two == 38 || two == 39 || four - 3000 < 60) return count >= 14;
  if (four - 3528 < 62 || two == 62 || two == 65 || four == 6011 || four - 6440 < 60)
    return count >= 16;
  return false;
}

/** Returns the kind of the id that the first digits are; -1 if they are none. */
function idOf(window: TextWindow, kinds: u64, at: u32, count: u32): i32 {
  for (let i = 0; i < NUMBER_FORMS.length; i++) {
    const form = unchecked(NUMBER_FORMS[i]);
    if (form.count != count || !hasKind(kinds, form.kind)) continue;
    if (isGroupedAs(form, count) && form.check(digits) && hasWhatItNeeds(window, form, at))
      return form.kind;
  }
  return -1;
}

function isGroupedAs(form: NumberForm, count: u32): bool {
  const groups = digits.groupsOf(count);
  if (groups == 0) return true;
  return groups == form.groups && (form.sign == 0 || form.sign == digits.sign);
}

function hasWhatItNeeds(window: TextWindow, form: NumberForm, at: u32): bool {
  const isPlain = digits.groupsOf(form.count) == 0;
  if (form.needs == Needs.Nothing || (form.needs == Needs.KeywordIfPlain && !isPlain)) return true;
  return window.hasKeyword(at, form.keywords);
}

/** A number in a country's form is a phone number only after a word such as `phone`. */
function findNational(window: TextWindow, at: u32): bool {
  const count = digits.count;
  if (count < MIN_PHONE || count > MAX_PHONE || isDate(count)) return false;
  const stop = digits.ends[count - 1];
  if (!window.isStop(stop) || !window.hasKeyword(at, PHONE_WORDS)) return false;
  return window.found(GuardKind.Phone, digits.hasParenthesis ? at - 1 : at, stop);
}

/** A date, with or without a time after it: `2024-01-15 12`, `15.01.2024`, `01/15/2024`. */
function isDate(count: u32): bool {
  if (count < DATE_DIGITS) return false;
  const groups = digits.groupsOf(DATE_DIGITS);
  const isYearFirst = groups == YEAR_FIRST;
  if (!isYearFirst && groups != YEAR_LAST) return false;
  const century = digits.pair(isYearFirst ? 0 : 4);
  if (century != 19 && century != 20) return false;
  return isYearFirst ? digits.isDate(6, 4) : digits.isDate(0, 2) || digits.isDate(2, 0);
}

/** A phone number of E.164. @param at of the `+` */
export function findPhone(window: TextWindow, at: u32): bool {
  if (at > 0 && !window.isStart(at)) return false;
  let stop = at + 1;
  let count: u32 = 0;
  let signs = 0;
  let end = stop;
  for (; count <= MAX_E164; stop++) {
    const byte = window.at(stop);
    if (isDigit(byte)) {
      if (count == 0 && byte == 0x30) return false;
      count++;
      signs = 0;
      end = stop + 1;
    } else if (++signs > 2 || count == 0 || !isSign(byte)) break;
  }
  if (window.isCut(at, stop + 1)) return false;
  if (count < MIN_E164 || count > MAX_E164 || !window.isStop(end)) return false;
  // A line of a diff that begins with a number.
  const isLine = at > 0 && byteAt(window.base, at - 1) == LINE_FEED;
  if (isLine && end - at == count + 1 && !window.hasKeyword(at, PHONE_WORDS)) return false;
  return window.found(GuardKind.Phone, at, end);
}

function isSign(byte: u32): bool {
  return byte == SPACE || byte == HYPHEN || byte == DOT || byte == OPEN || byte == CLOSE;
}
