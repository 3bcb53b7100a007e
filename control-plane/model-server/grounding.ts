// Scores whether the user stated a parameter's value: 1 if the text contains it, less for a similar text.
import { codesIn } from "./extraction/codes.ts";
import { currenciesOf } from "./extraction/currencies.ts";
import { datesOf, datesOfLines, timesOf } from "./extraction/dates.ts";
import { isFlag } from "./extraction/flags.ts";
import { numbersOf } from "./extraction/numbers.ts";
import { optionsIn, UNITS } from "./extraction/enum-options.ts";
import { kindOf, type Parameter, stem } from "./extraction/parameter.ts";
import { wholeSpan } from "./extraction/read-value.ts";

export interface Grounding {
  /** All of the user's turns. */
  prompt: string;
  now: Date;
}

const MAX_PROMPT = 16_000;
/** Of a text that is searched for dates or numbers: the end of the conversation. Characters. */
const MAX_DATED = 1000;
const MAX_COUNTED = 8000;
/** A longer value is no token that could be cut. Characters. */
const MAX_TOKEN = 200;

/** Returns a score from 0 to 1. The parameter's default value has 1, because it was not invented; an empty value has 0. */
export function groundingScore(
  { prompt, now }: Grounding,
  value: unknown,
  parameter?: Parameter,
): number {
  if (value === null || value === undefined || value === "") return 0;
  if (parameter?.default !== undefined && same(value, parameter.default)) return 1;
  const text = prompt.slice(-MAX_PROMPT);
  const described = parameter ?? UNDESCRIBED;
  if (typeof value === "boolean") return booleanScore(text, parameter);
  if (typeof value === "number") return numberScore(text, value, described);
  if (Array.isArray(value))
    return least(value.map((item) => groundingScore({ prompt, now }, item)));
  if (typeof value === "object") {
    return least(Object.values(value).map((item) => groundingScore({ prompt, now }, item)));
  }
  return typeof value === "string" ? stringScore(text, value, described, now) : 0;
}

const UNDESCRIBED: Parameter = { name: "", description: "", required: false, type: "string" };

function stringScore(text: string, value: string, parameter: Parameter, now: Date): number {
  const whole = wholeScore(text, value, parameter);
  if (whole >= 1) return whole;
  switch (kindOf(parameter)) {
    case "id":
      // A part of an id is another id.
      return whole;
    case "date":
      return dateScore(text, value, now);
    case "time":
      return timesOf(text.slice(-MAX_DATED), now).includes(value) ? 1 : 0;
    case "currency":
      return currenciesOf(text).includes(value) ? 1 : whole;
    case "enum":
      if (optionsIn(parameter, text).includes(value)) return 1;
      if (isFlag(parameter)) return booleanScore(text, parameter);
      if (codesIn(parameter, text).includes(Number(value))) return 1;
      break;
    default:
      if (/\d{4}-\d{2}-\d{2}/.test(value)) return Math.max(whole, dateScore(text, value, now));
  }
  return Math.max(whole, likeness(text, value, parameter));
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right) || String(left) === String(right);
}

function least(scores: readonly number[]): number {
  return scores.length === 0 ? 0 : Math.min(...scores);
}

/**
 * Scores a boolean, which has no text: by the words of its parameter's name, or by a yes or no at the start of a turn.
 */
function booleanScore(text: string, parameter: Parameter | undefined): number {
  if (
    /(?:^|\n)\s*(?:yes|yeah|yep|sure|no|nope|true|false|of course|please do|ja|nein|oui|non|s[ií])(?!\p{L})/iu.test(
      text,
    )
  )
    return 1;
  const own = (parameter?.name.toLowerCase().match(/\p{L}{3,}/gu) ?? []).map(stem);
  const said = new Set(wordsOf(text).map(stem));
  return own.some((word) => said.has(word)) ? 0.8 : 0;
}

function numberScore(text: string, value: number, parameter: Parameter): number {
  const said = numbersOf(parameter, text.slice(-MAX_COUNTED)).map((found) => found.value);
  if (said.includes(value) || codesIn(parameter, text).includes(value)) return 1;
  // 15 percent is 0.15, but half past is not 0.5: only hundredths count.
  return said.some((number) => Math.abs(number / 100 - value) < 1e-9) && /%|percent/i.test(text)
    ? 0.8
    : 0;
}

/** Returns 1 if the text contains the value as whole tokens, 0.9 if only its spaces and signs differ, else 0. */
function wholeScore(text: string, value: string, parameter: Parameter): number {
  const prompt = plain(text);
  const words = wordsOf(value);
  if (words.length === 0) return prompt.includes(value) && value.trim() !== "" ? 1 : 0;
  if (value.length > MAX_TOKEN) {
    return ` ${wordsOf(text).join(" ")} `.includes(` ${words.join(" ")} `) ? 1 : 0;
  }
  const exact = words.map(escaped).join("[^\\p{L}\\p{N}\\n]{1,3}");
  if (hasWhole(prompt, new RegExp(exact, "gu"), parameter)) return 1;
  const letters = words.join("");
  if (letters.length < 4 || kindOf(parameter) === "id") return 0;
  // Within a number no sign can be left out: 1.0 is not 10.
  const joined = letters.replace(/(?<=\p{L})(?=.)|(?<=.)(?=\p{L})/gsu, "[^\\p{L}\\p{N}\\n]?");
  return hasWhole(prompt, new RegExp(joined, "gu"), parameter) ? 0.9 : 0;
}

function hasWhole(prompt: string, pattern: RegExp, parameter: Parameter): boolean {
  return [...prompt.matchAll(pattern)].some(({ index, 0: said }) => {
    const span = { start: index, end: index + said.length };
    const token = wholeSpan(parameter, prompt, span);
    // A sign before or after the words is not a part of the value: `#5521`, `Berlin-`.
    const before = prompt.slice(token.start, span.start);
    const after = prompt.slice(span.end, token.end);
    return !/[\p{L}\p{N}]/u.test(before + after);
  });
}

/** Scores what is not the same words: a unit of the same name, initials, other endings, a number. */
function likeness(text: string, value: string, parameter: Parameter): number {
  if (/^[A-Z]{3}$/.test(value) && currenciesOf(text).includes(value)) return 1;
  const wanted = wordsOf(value).join(" ");
  const prompt = ` ${wordsOf(text).join(" ")} `;
  const group = UNITS.find((names) => names.includes(wanted));
  if (group?.some((name) => prompt.includes(` ${name} `)) === true) return 0.9;
  if (isInitials(value, text)) return 0.7;
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return numberScore(text, number, parameter);
  // Names have no endings: `Calai` is not `Calais`.
  const form = kindOf(parameter) === "place" ? (word: string) => word : stem;
  return 0.9 * overlap(wordsOf(value), wordsOf(text), form);
}

/** Returns the share of the value's words that the prompt contains, compared in the form that `form` returns. */
function overlap(
  value: readonly string[],
  prompt: readonly string[],
  form: (word: string) => string,
): number {
  const said = new Set(prompt.map(form));
  const own = value.filter((word) => word.length > 1 || /\d/.test(word));
  if (own.length === 0) return 0;
  return own.filter((word) => said.has(form(word))).length / own.length;
}

/** Whether one is the initials of the other (NYC and New York City), in both directions. */
function isInitials(value: string, text: string): boolean {
  const initials = (words: readonly string[]) => words.map((word) => word.charAt(0)).join("");
  if (/^\p{Lu}{2,5}$/u.test(value)) {
    const words = wordsOf(text);
    return words.some(
      (_, start) => initials(words.slice(start, start + value.length)) === value.toLowerCase(),
    );
  }
  const words = wordsOf(value);
  const short = initials(words);
  return words.length >= 2 && new RegExp(`(?<!\\p{L})${short}(?!\\p{L})`, "iu").test(text);
}

function dateScore(text: string, value: string, now: Date): number {
  const wanted = datesOf(value, now)[0]?.from;
  if (wanted === undefined) return 0;
  const day = (date: typeof wanted) =>
    [date.get("year"), date.get("month"), date.get("day")].join("-");
  const isSaid = datesOfLines(text.slice(-MAX_DATED), now).some(
    ({ from, to }) => day(from) === day(wanted) || (to !== undefined && day(to) === day(wanted)),
  );
  return isSaid ? 1 : 0;
}

function wordsOf(text: string): string[] {
  return plain(text).match(/[\p{L}\p{N}°%]+/gu) ?? [];
}

/** Returns the text in lower case, without accents. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .toLowerCase();
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
