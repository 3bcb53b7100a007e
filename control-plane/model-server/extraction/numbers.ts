// Numbers as people state them: digits, words, thousands, and durations in the unit that the parameter is about.
import { plain } from "../language/language.ts";
import { ARTICLES, CONNECTORS, numberWord } from "./number-words.ts";
import type { Parameter } from "./parameter.ts";

const THOUSANDS: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6 };
/** The minutes of each unit of time. */
const MINUTES: readonly [RegExp, number][] = [
  [/^(?:s|secs?|seconds?|sekunden?|secondes?|segundos?|second[io]|seconden)$/, 1 / 60],
  [/^(?:m|mins?|minutes?|minuten?|minutos?|minut[io]|minuut)$/, 1],
  [/^(?:h|hrs?|hours?|stunden?|heures?|horas?|or[ae]|uur|uren)$/, 60],
  [
    /^(?:d|days?|tage?n?|jours?|d[ií]as?|giorn[io]|dag(?:en)?|nights?|nächte?|nuits?|noches?|nott[ei]|noites?)$/,
    1440,
  ],
  [/^(?:w|weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken)$/, 10_080],
  [/^(?:fortnights?)$/, 20_160],
  [/^(?:months?|monate?n?|mois|mes(?:es)?|mes[ei]|mês|maand(?:en)?)$/, 43_200],
  [/^(?:years?|jahre?n?|ans?|años?|anos?|ann[io]|jaar|jaren)$/, 525_600],
];
/** What may stand after digits without a space, beside units of time: `20km`, `3rd`, `15%`, `75EUR`, `20$`. */
const ATTACHED =
  /^(?:%|°|[°º]?[cf]|k?m|cm|mm|k?g|lbs?|ft|mi|l|gb|mb|tb|x|st|nd|rd|th|[a-z]{3}|\p{Sc})$/u;
const DIGITS = /^(?:\p{Sc}|[A-Z]{3}|#)?\s*(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:[.,]\d+)?)(.*)$/u;

/** `days:3` */
const LABEL = /^\p{L}[\p{L}_-]*[:=]/u;

/** Returns the only number of the text in the unit of the parameter: for minutes, `1h 30m` is 90. */
export function readNumber(parameter: Parameter, text: string): number | undefined {
  const match = DIGITS.exec(text.replace(LABEL, ""));
  if (match === null) return readWords(parameter, text);
  const [, digits = "", rest = ""] = match;
  const unit = rest.toLowerCase().replace(/[.,]$/, "").trim();
  const isAttached = rest !== "" && /^[^\s-]/.test(rest);
  const [first = ""] = unit.split(/\s+/);
  if (isAttached && !ATTACHED.test(first) && !isMultiplier(first) && minutesOf(first) === undefined)
    return undefined;
  const number = Number(
    /,\d{3}(?!\d)/.test(digits) ? digits.replaceAll(",", "") : digits.replace(",", "."),
  );
  return inUnit(parameter, number, unit.replace(/^-/, ""));
}

/** @param unit what stands after the number, in lower case */
function inUnit(parameter: Parameter, number: number, unit: string): number | undefined {
  const [first = "", ...more] = unit.split(/\s+/);
  const wanted = unitOf(parameter);
  const own = minutesOf(first);
  const isTime = wanted !== undefined && own !== undefined;
  const second = /^(?:and )?(\d+)\s*(\p{L}*)$/u.exec(more.join(" "));
  if (/\d/.test(unit) && !(isTime && second !== null)) return undefined;
  if (!isTime) return number * (isMultiplier(first) ? (THOUSANDS[first] ?? 1) : 1);
  const [, extra = "0", extraUnit = ""] = second ?? [];
  const minutes = number * own + Number(extra) * (minutesOf(extraUnit) ?? 1);
  return Math.round((1000 * minutes) / wanted) / 1000;
}

/** `half an hour`, `two hundred`, `a couple of weeks`; undefined if a word before the unit is no number. */
function readWords(parameter: Parameter, text: string): number | undefined {
  const words = text
    .replace(/quatre-vingts?/i, "quatrevingt")
    .toLowerCase()
    .split(/[\s-]+/);
  let total = 0;
  let current: number | undefined;
  let hasNumber = false;
  for (const [index, word] of words.entries()) {
    const number = ARTICLES.has(word) ? 1 : numberWord(plain(word));
    if (number === undefined) {
      if (hasNumber && CONNECTORS.has(word)) continue;
      const isUnit = minutesOf(word) !== undefined && unitOf(parameter) !== undefined;
      if (current === undefined && total === 0) return undefined;
      if (!hasNumber && !isUnit) return undefined;
      return inUnit(parameter, total + (current ?? 0), words.slice(index).join(" "));
    }
    if (number === 1 && current === 0.5) continue;
    hasNumber ||= !ARTICLES.has(word) || word === "one";
    if (number === 1e6 || number === 100) current = (current ?? 1) * number;
    else if (number === 1000) {
      total += (current ?? 1) * 1000;
      current = undefined;
    } else if (current === 1 && (number === 0.5 || number === 12 || number === 2)) current = number;
    else current = (current ?? 0) + number;
  }
  return hasNumber ? total + (current ?? 0) : undefined;
}

function isMultiplier(word: string): boolean {
  return Object.hasOwn(THOUSANDS, word);
}

function minutesOf(word: string): number | undefined {
  return MINUTES.find(([pattern]) => pattern.test(word))?.[1];
}

/** Returns the minutes of the unit that the parameter's own words name. */
function unitOf({ name, description }: Parameter): number | undefined {
  const words = `${name.replaceAll("_", " ")} ${description}`.toLowerCase().split(/[^\p{L}]+/u);
  return words.map((word) => (word.length > 2 ? minutesOf(word) : undefined)).find(Boolean);
}

const MAX_WORDS = 6;

/** Returns all numbers that a text states, in the unit of the parameter, each with the words that state it. */
export function numbersOf(parameter: Parameter, text: string): { words: string; value: number }[] {
  const words = [...text.matchAll(/[^\s()[\]"“”«»;!?]+/gu)];
  return words.flatMap((first, index) => {
    const lower = first[0].toLowerCase().replace(/[,.:]+$/, "");
    if (
      !/\d/.test(lower) &&
      numberWord(plain(lower.split("-")[0] ?? "")) === undefined &&
      !ARTICLES.has(lower)
    )
      return [];
    return words.slice(index, index + MAX_WORDS).flatMap((last) => {
      const said = text.slice(first.index, last.index + last[0].length).replace(/[,.:]+$/, "");
      const value = readNumber(parameter, said);
      return value === undefined ? [] : [{ words: said, value }];
    });
  });
}
