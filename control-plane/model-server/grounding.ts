// Scores whether the user stated a parameter's value: 1 if the text contains it, less for a similar text.
import { currenciesOf, datesOf, numbersOf } from "./extraction/mentions.ts";
import { kindOf, type Parameter, stem } from "./extraction/parameter.ts";

export interface Grounding {
  /** All of the user's turns. */
  prompt: string;
  now: Date;
}

const MAX_PROMPT = 16_000;
const UNITS: readonly (readonly string[])[] = [
  ["celsius", "c", "°c", "centigrade", "metric"],
  ["fahrenheit", "f", "°f", "imperial"],
  ["kilometers", "kilometres", "kilometer", "km"],
  ["miles", "mile", "mi"],
  ["kilograms", "kilogram", "kg"],
  ["pounds", "pound", "lbs", "lb"],
  ["meters", "metres", "meter", "m"],
  ["feet", "foot", "ft"],
  ["percent", "%"],
];

/** Returns a score from 0 to 1. The parameter's default value has 1, because it was not invented; an empty value has 0. */
export function groundingScore(
  { prompt, now }: Grounding,
  value: unknown,
  parameter?: Parameter,
): number {
  if (value === null || value === undefined || value === "") return 0;
  if (parameter?.default !== undefined && same(value, parameter.default)) return 1;
  const text = prompt.slice(-MAX_PROMPT);
  if (typeof value === "boolean") return booleanScore(text, parameter);
  if (typeof value === "number") return numberScore(text, value);
  if (Array.isArray(value))
    return least(value.map((item) => groundingScore({ prompt, now }, item)));
  if (typeof value === "object") {
    return least(Object.values(value).map((item) => groundingScore({ prompt, now }, item)));
  }
  if (typeof value !== "string") return 0;
  const score = textScore(text, value);
  if (score >= 1) return 1;
  const isDate = parameter !== undefined && kindOf(parameter) === "date";
  return Math.max(
    score,
    isDate || /\d{4}-\d{2}-\d{2}/.test(value) ? dateScore(text, value, now) : 0,
  );
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
  if (/(?:^|\n)\s*(?:yes|yeah|yep|sure|no|nope|true|false)\b/i.test(text)) return 1;
  const own = (parameter?.name.toLowerCase().match(/\p{L}{3,}/gu) ?? []).map(stem);
  const said = new Set(wordsOf(text).map(stem));
  return own.some((word) => said.has(word)) ? 0.8 : 0;
}

function numberScore(text: string, value: number): number {
  const said = numbersOf(text).map((mention) => mention.value);
  if (said.includes(value)) return 1;
  const digits = text.match(/\d+(?:\.\d+)?/g) ?? [];
  if (digits.some((number) => Number(number) === value)) return 0.9;
  // 15 percent is 0.15, but half past is not 0.5: only hundredths count.
  return said.some((number) => Math.abs(number / 100 - value) < 1e-9) && /%|percent/i.test(text)
    ? 0.8
    : 0;
}

function textScore(text: string, value: string): number {
  const prompt = ` ${normal(text)} `;
  const wanted = normal(value);
  if (wanted === "") return prompt.includes(value) && value.trim() !== "" ? 1 : 0;
  if (prompt.includes(` ${wanted} `)) return 1;
  const compact = wanted.replaceAll(" ", "");
  if (compact.length >= 4 && prompt.replaceAll(" ", "").includes(compact)) return 0.9;
  if (/^[A-Z]{3}$/.test(value) && currenciesOf(text).some((said) => said.value === value)) return 1;
  const group = UNITS.find((names) => names.includes(wanted));
  if (group?.some((name) => prompt.includes(` ${name} `)) === true) return 0.9;
  if (isInitials(value, text)) return 0.7;
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return numberScore(text, number);
  return 0.9 * overlap(wordsOf(value), wordsOf(text));
}

/** Returns the share of the value's words that the prompt contains, compared by their stems. */
function overlap(value: readonly string[], prompt: readonly string[]): number {
  const said = new Set(prompt.map(stem));
  const own = value.filter((word) => word.length > 1 || /\d/.test(word));
  if (own.length === 0) return 0;
  return own.filter((word) => said.has(stem(word))).length / own.length;
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
  const isSaid = datesOf(text.slice(-1000), now).some(
    ({ from, to }) => day(from) === day(wanted) || (to !== undefined && day(to) === day(wanted)),
  );
  return isSaid ? 1 : 0;
}

/** Returns the text in lower case without accents and marks, with one space between words. */
function normal(text: string): string {
  return wordsOf(text).join(" ");
}

function wordsOf(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}°%]+/gu) ?? [];
}
