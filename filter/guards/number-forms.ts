// The numbers that policies find, one row each: how many digits, how they are grouped, which check they pass, and whether a keyword has
// to stand near them because other numbers pass it too.
import { constant, Span } from "../bytes/text/bytes";
import { Digits } from "./digits";
import { GuardKind } from "./kind-numbers";

type Check = (digits: Digits) => bool;

const HYPHEN: u32 = 0x2d;

export const enum Needs {
  /** The check is enough. */
  Nothing,
  /** A number without signs needs a keyword. */
  KeywordIfPlain,
  Keyword,
}

export class NumberForm {
  constructor(
    public kind: GuardKind,
    public count: u32,
    /** A bit for each digit that a sign stands before, if there are any signs. */
    public groups: u32,
    public needs: Needs,
    public check: Check,
    public keywords: Span,
    /** The only sign; 0: any. */
    public sign: u32 = 0,
  ) {}
}

const NONE = constant("");
const SSN_WORDS = constant("ssn|social|itin|tax|taxpayer");
const BIRTH_WORDS = constant("personnummer|personnr|cpr|ssn|person");

/** Those with more digits first: a number is one of the first form that it fits. */
export const NUMBER_FORMS: NumberForm[] = [
  new NumberForm(GuardKind.IdCn, 18, 0x4040, Needs.Nothing, isChinese, NONE),
  new NumberForm(GuardKind.IdFr, 15, 0x24aa, Needs.Nothing, isFrench, NONE),
  new NumberForm(GuardKind.IdBr, 14, 0x1124, Needs.Nothing, isBrazilianCompany, NONE),
  new NumberForm(
    GuardKind.IdKr,
    13,
    1 << 6,
    Needs.KeywordIfPlain,
    isKorean,
    constant("rrn|resident|주민"),
    HYPHEN,
  ),
  new NumberForm(GuardKind.IdCh, 13, 0x888, Needs.Nothing, isSwiss, NONE),
  new NumberForm(
    GuardKind.IdIn,
    12,
    0x110,
    Needs.KeywordIfPlain,
    isIndian,
    constant("aadhaar|aadhar|uid"),
  ),
  new NumberForm(
    GuardKind.IdJp,
    12,
    0x110,
    Needs.Keyword,
    isJapanese,
    constant("my number|mynumber|個人番号|マイナンバー"),
  ),
  new NumberForm(
    GuardKind.IdSe,
    12,
    1 << 8,
    Needs.KeywordIfPlain,
    isSwedishLong,
    BIRTH_WORDS,
    HYPHEN,
  ),
  new NumberForm(GuardKind.IdDe, 11, 0x124, Needs.Nothing, isGerman, NONE),
  new NumberForm(GuardKind.IdBr, 11, 0x248, Needs.Nothing, isBrazilian, NONE),
  new NumberForm(GuardKind.IdPl, 11, 0, Needs.Nothing, isPolish, NONE),
  new NumberForm(GuardKind.IdNo, 11, 1 << 6, Needs.Nothing, isNorwegian, NONE),
  new NumberForm(GuardKind.IdBe, 11, 0x254, Needs.Nothing, isBelgian, NONE),
  new NumberForm(GuardKind.IdGb, 10, 0x48, Needs.Keyword, isBritish, constant("nhs")),
  new NumberForm(GuardKind.IdSe, 10, 1 << 6, Needs.KeywordIfPlain, isSwedish, BIRTH_WORDS, HYPHEN),
  new NumberForm(GuardKind.IdDk, 10, 1 << 6, Needs.Keyword, isDanish, BIRTH_WORDS),
  new NumberForm(GuardKind.IdUs, 9, 0x28, Needs.KeywordIfPlain, isAmerican, SSN_WORDS, HYPHEN),
  new NumberForm(GuardKind.IdUs, 9, 0x28, Needs.Keyword, isAmerican, SSN_WORDS),
  new NumberForm(
    GuardKind.IdNl,
    9,
    0x50,
    Needs.Keyword,
    isDutch,
    constant("bsn|burgerservicenummer|sofi"),
  ),
  new NumberForm(GuardKind.IdAu, 9, 0x48, Needs.Keyword, isAustralian, constant("tfn|tax file")),
  new NumberForm(
    GuardKind.IdCa,
    9,
    0x48,
    Needs.KeywordIfPlain,
    isCanadian,
    constant("sin|social insurance|nas"),
    HYPHEN,
  ),
  new NumberForm(
    GuardKind.IdCa,
    9,
    0x48,
    Needs.Keyword,
    isCanadian,
    constant("sin|social insurance|nas"),
  ),
];

function isChinese(digits: Digits): bool {
  const century = digits.pair(6);
  if ((century != 19 && century != 20) || digits.digit(0) == 0 || !digits.isDate(12, 10))
    return false;
  return digits.digit(17) == (12 - (digits.sum(0, constant("79:584216379:5842")) % 11)) % 11;
}

function isFrench(digits: Digits): bool {
  const month = digits.pair(3);
  const first = digits.digit(0);
  if (first == 0 || first > 4 || month == 0 || (month > 12 && month < 20)) return false;
  return 97 - digits.modulo(13, 97) == digits.pair(13);
}

/** A check digit as those of Brazil: 11 less the rest, 0 in place of 10 and 11. */
function isElevenLess(digits: Digits, sum: u32, index: u32): bool {
  const rest = sum % 11;
  return digits.digit(index) == (rest < 2 ? 0 : 11 - rest);
}

function isBrazilianCompany(digits: Digits): bool {
  return (
    !digits.areSame(14) &&
    isElevenLess(digits, digits.sum(0, constant("543298765432")), 12) &&
    isElevenLess(digits, digits.sum(0, constant("6543298765432")), 13)
  );
}

function isBrazilian(digits: Digits): bool {
  return (
    !digits.areSame(11) &&
    isElevenLess(digits, digits.sum(0, constant(":98765432")), 9) &&
    isElevenLess(digits, digits.sum(0, constant(";:98765432")), 10)
  );
}

function isKorean(digits: Digits): bool {
  if (!digits.isDate(4, 2)) return false;
  return (11 - (digits.sum(0, constant("234567892345")) % 11)) % 10 == digits.digit(12);
}

function isSwiss(digits: Digits): bool {
  if (digits.digit(0) != 7 || digits.pair(1) != 56) return false;
  return digits.sum(0, constant("1313131313131")) % 10 == 0;
}

function isIndian(digits: Digits): bool {
  return digits.digit(0) > 1 && digits.hasVerhoeff(12);
}

function isJapanese(digits: Digits): bool {
  return isElevenLess(digits, digits.sum(0, constant("65432765432")), 11);
}

function isSwedishLong(digits: Digits): bool {
  const century = digits.pair(0);
  return (century == 19 || century == 20) && digits.isDate(6, 4, 60) && digits.hasLuhn(2, 12);
}

function isSwedish(digits: Digits): bool {
  return digits.isDate(4, 2, 60) && digits.hasLuhn(0, 10);
}

/** Exactly one of the first ten digits stands there two or three times. */
function isGerman(digits: Digits): bool {
  if (digits.digit(0) == 0) return false;
  let repeated = 0;
  for (let value: u32 = 0; value < 10; value++) {
    let count = 0;
    for (let i: u32 = 0; i < 10; i++) {
      if (digits.digit(i) == value) count++;
    }
    if (count > 3) return false;
    if (count > 1) repeated++;
  }
  return repeated == 1 && digits.hasMod11And10(11);
}

function isPolish(digits: Digits): bool {
  const month = digits.pair(2) % 20;
  if (month - 1 > 11 || digits.pair(4) - 1 > 30) return false;
  return digits.sum(0, constant("13791379131")) % 10 == 0;
}

function isNorwegian(digits: Digits): bool {
  return (
    digits.isDate(0, 2, 40, 40) &&
    digits.sum(0, constant("3761894521")) % 11 == 0 &&
    digits.sum(0, constant("54327654321")) % 11 == 0
  );
}

function isBelgian(digits: Digits): bool {
  if (digits.pair(2) > 12 || digits.pair(4) > 31) return false;
  const check = digits.pair(9);
  return 97 - digits.modulo(9, 97) == check || 97 - digits.modulo(9, 97, 2) == check;
}

function isBritish(digits: Digits): bool {
  return digits.sum(0, constant(":987654321")) % 11 == 0;
}

function isDanish(digits: Digits): bool {
  return digits.isDate(0, 2);
}

function isAmerican(digits: Digits): bool {
  const area = digits.digit(0) * 100 + digits.pair(1);
  const group = digits.pair(3);
  if (area >= 900) return (group > 49 && group < 66) || (group > 69 && group != 89 && group != 93);
  const hasSerial = digits.pair(5) + digits.pair(7) > 0;
  return area != 0 && area != 666 && group != 0 && hasSerial && !isKnownFake(area, group);
}

/** 123-45-6789, 078-05-1120, 219-09-9999: everybody's examples. */
function isKnownFake(area: u32, group: u32): bool {
  return (area == 123 && group == 45) || (area == 78 && group == 5) || (area == 219 && group == 9);
}

function isDutch(digits: Digits): bool {
  const sum = digits.sum(0, constant("98765432"));
  return sum > 0 && sum % 11 == digits.digit(8);
}

function isAustralian(digits: Digits): bool {
  const sum = digits.sum(0, constant("14375869:"));
  return sum > 0 && sum % 11 == 0;
}

function isCanadian(digits: Digits): bool {
  return digits.digit(0) != 0 && digits.digit(0) != 8 && digits.hasLuhn(0, 9);
}
