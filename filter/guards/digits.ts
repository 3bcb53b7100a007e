// Digits of a number with the signs between them, and the check algorithms of ids (ISO 7064, Luhn, Verhoeff and weighted sums; the
// forms and weights are those of python-stdnum's modules).
import { byteAt, isDigit } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { TextWindow } from "./text-window";

export const MAX_NUMBER_DIGITS: u32 = 20;
/** Ten, as the last character of ids that have it. */
const LETTER_X: u32 = 0x58;
const CN_LENGTH: u32 = 18;

const SPACE: u32 = 0x20;
const HYPHEN: u32 = 0x2d;
const DOT: u32 = 0x2e;
const SLASH: u32 = 0x2f;
const PLUS: u32 = 0x2b;
const OPEN: u32 = 0x28;
const CLOSE: u32 = 0x29;

export class Digits {
  count: u32 = 0;
  values: StaticArray<u8> = new StaticArray<u8>(MAX_NUMBER_DIGITS);
  /** Where each digit ends. */
  ends: StaticArray<u32> = new StaticArray<u32>(MAX_NUMBER_DIGITS);
  /** A bit for each digit that has a sign before it. */
  groups: u32 = 0;
  /** What all of these signs are; 0 if they differ. */
  sign: u32 = 0;
  hasParenthesis: bool = false;

  /** Reads the number at an index. Returns false if the end of the bytes cuts it. */
  read(window: TextWindow, at: u32): bool {
    const start = at;
    this.count = 0;
    this.groups = 0;
    this.sign = 0;
    this.hasParenthesis = false;
    while (this.count < MAX_NUMBER_DIGITS) {
      const byte = window.at(at);
      if (isDigit(byte)) {
        this.push(byte - 0x30, ++at);
        continue;
      }
      if (byte == LETTER_X && this.count == CN_LENGTH - 1) this.push(10, ++at);
      const next = this.afterSign(window, at, byte, start);
      if (next == at) break;
      if (this.groups == 0) this.sign = byte;
      else if (this.sign != byte) this.sign = 0;
      this.groups |= 1 << this.count;
      at = next;
    }
    const isOpened = start > 0 && byteAt(window.base, start - 1) == OPEN;
    return !window.isCut(isOpened ? start - 1 : start, at + 2);
  }

  private push(value: u32, end: u32): void {
    this.values[this.count] = <u8>value;
    this.ends[this.count] = end;
    this.count++;
  }

  /** Returns where the digit after a sign stands, or `at` if there is none. */
  private afterSign(window: TextWindow, at: u32, byte: u32, start: u32): u32 {
    let next = at + 1;
    if (
      byte == CLOSE &&
      start > 0 &&
      byteAt(window.base, start - 1) == OPEN &&
      !this.hasParenthesis
    ) {
      this.hasParenthesis = true;
      if (window.at(next) == SPACE) next++;
    } else if (byte != SPACE && byte != HYPHEN && byte != DOT && byte != SLASH && byte != PLUS)
      return at;
    return isDigit(window.at(next)) ? next : at;
  }

  @inline
  digit(index: u32): u32 {
    return <u32>unchecked(this.values[index]);
  }

  /** Returns two digits as a number. */
  pair(index: u32): u32 {
    return this.digit(index) * 10 + this.digit(index + 1);
  }

  /** Returns the signs before the first so many digits. */
  groupsOf(count: u32): u32 {
    return this.groups & ((1 << count) - 1);
  }

  /** Returns the sum of the digits from an index on, each times its weight: a character of the text less `0`. */
  sum(from: u32, weights: Span): u32 {
    let sum: u32 = 0;
    for (let i: u32 = 0; i < weights.length; i++)
      sum += this.digit(from + i) * (byteAt(weights.pointer, i) - 0x30);
    return sum;
  }

  /** Returns the first digits as a number, modulo another one. */
  modulo(count: u32, divisor: u32, before: u32 = 0): u32 {
    let rest = before;
    for (let i: u32 = 0; i < count; i++) rest = (rest * 10 + this.digit(i)) % divisor;
    return rest;
  }

  hasLuhn(from: u32, to: u32): bool {
    let sum: u32 = 0;
    let isDoubled = false;
    for (let i = to; i > from; i--) {
      let value = this.digit(i - 1);
      if (isDoubled) {
        value *= 2;
        if (value > 9) value -= 9;
      }
      sum += value;
      isDoubled = !isDoubled;
    }
    return sum % 10 == 0;
  }

  /** ISO 7064 modulo 11, 10. */
  hasMod11And10(count: u32): bool {
    let check: u32 = 5;
    for (let i: u32 = 0; i < count; i++)
      check = ((((check == 0 ? 10 : check) * 2) % 11) + this.digit(i)) % 10;
    return check == 1;
  }

  hasVerhoeff(count: u32): bool {
    let check: u32 = 0;
    for (let i: u32 = 0; i < count; i++) {
      let value = this.digit(count - 1 - i);
      for (let turns = i % 8; turns > 0; turns--) value = byteAt(PERMUTATION.pointer, value) - 0x30;
      check = dihedral(check, value);
    }
    return check == 0;
  }

  /** Returns whether two pairs of digits are a day and a month. `extra`: what may be added to the day, and to the month. */
  isDate(day: u32, month: u32, extraDay: u32 = 0, extraMonth: u32 = 0): bool {
    const days = this.pair(day);
    const months = this.pair(month);
    const own = days > 31 ? days - extraDay : days;
    const ownMonth = months > 12 ? months - extraMonth : months;
    return own - 1 < 31 && ownMonth - 1 < 12;
  }

  /** Returns whether all of the first digits are the same. */
  areSame(count: u32): bool {
    for (let i: u32 = 1; i < count; i++) {
      if (this.digit(i) != this.digit(0)) return false;
    }
    return true;
  }
}

const PERMUTATION = constant("1576283094");

/** The operation of the group of symmetries of a pentagon. */
function dihedral(one: u32, other: u32): u32 {
  if (one < 5) return other < 5 ? (one + other) % 5 : 5 + ((one + other) % 5);
  return other < 5 ? 5 + ((one - other) % 5) : (5 + one - other) % 5;
}
