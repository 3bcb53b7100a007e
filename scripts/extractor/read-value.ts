// A span of a prompt as its parameter's value: numbers, dates, times of day, durations, currencies, enums; else its words.
import * as chrono from "chrono-node";
import { coerce } from "../../control-plane/model-server/extraction/coerce.ts";
import { formatDate } from "../../control-plane/model-server/extraction/dates.ts";
import { currencyCode, numberWord } from "../../control-plane/model-server/extraction/mentions.ts";
import {
  type Kind,
  kindOf,
  type Parameter,
} from "../../control-plane/model-server/extraction/parameter.ts";

interface Span {
  start: number;
  end: number;
}

/**
 * The span made longer up to the ends of its word, so that no half of one is ever a value. An id is all that stands between spaces
 * (10.0.0.1, fe80::1, 2024/DE/0091), less the signs at its ends; a number or a currency may stand at once beside the other (75EUR).
 */
export function wholeSpan(parameter: Parameter, prompt: string, { start, end }: Span): Span {
  const kind = valueKind(parameter);
  if (kind === "number" || kind === "currency") return { start, end };
  const inside = kind === "id" ? /[^\s"“”«»'(),;!?]/u : /[\p{L}\p{M}\p{N}_]/u;
  let [from, to] = [start, end];
  while (from > 0 && inside.test(prompt.charAt(from - 1))) from--;
  while (to < prompt.length && inside.test(prompt.charAt(to))) to++;
  const ends = kind === "id" ? /[.:]+$/ : /^$/;
  return { start: from, end: to - (ends.exec(prompt.slice(end, to))?.[0].length ?? 0) };
}

/** The value, or undefined where the span is none of the parameter's kind. */
export function readValue(parameter: Parameter, said: string, now: Date): unknown {
  const text = plain(said);
  if (text === "") return undefined;
  const value = valueOf(parameter, text, now);
  const coerced = coerce(parameter, value);
  return coerced.ok ? coerced.value : undefined;
}

function valueOf(parameter: Parameter, text: string, now: Date): unknown {
  if (isTimeOfDay(parameter)) return timeOfDay(text, now);
  switch (valueKind(parameter)) {
    case "number":
      return numberIn(parameter, text);
    case "date": {
      const [date] = chrono.parse(text, now, { forwardDate: true });
      return date === undefined ? undefined : formatDate(date.start, parameter);
    }
    case "currency":
      return currencyNamed(text) ?? text;
    case "id":
      return text.replace(/^#/, "");
    case "enum":
    case "boolean":
    case "email":
    case "url":
    case "place":
    case "text":
    case "list":
    case "object":
      return text;
  }
}

/** As the rules judge it, and a currency also where only the description says so. */
function valueKind(parameter: Parameter): Kind {
  const kind = kindOf(parameter);
  const isText = kind === "text" || kind === "place";
  return isText && /\bcurrency\b/i.test(parameter.description) ? "currency" : kind;
}

/** Without quotation marks and signs around it. */
function plain(said: string): string {
  return said
    .trim()
    .replace(/^["“«'(]+|["”»'),;!?]+$/gu, "")
    .replace(/(?<=\p{L}{3})\.$/u, "");
}

function isTimeOfDay({ format, name, description }: Parameter): boolean {
  if (format !== undefined) return /^HH|^%H|^time$/.test(format);
  return /\btime of (?:the )?day\b|\bHH:MM\b|\bstart time\b/i.test(`${name} ${description}`);
}

function timeOfDay(text: string, now: Date): string | undefined {
  const spoken = text.replace(/^(\d{1,2})$/, "$1:00").replace(/^(\d{2})(\d{2})$/, "$1:$2");
  const time = chrono.parse(`at ${spoken}`, now).find(({ start }) => start.isCertain("hour"));
  const hour = time?.start.get("hour");
  if (time === undefined || hour === null || hour === undefined) return undefined;
  return `${two(hour)}:${two(time.start.get("minute") ?? 0)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** Of each unit of time, its minutes. */
const MINUTES: readonly [RegExp, number][] = [
  [/^(?:s|secs?|seconds?|sekunden?|secondes?|segundos?)$/, 1 / 60],
  [/^(?:m|mins?|minutes?|minuten?|minutos?)$/, 1],
  [/^(?:h|hrs?|hours?|stunden?|heures?|horas?)$/, 60],
  [/^(?:d|days?|tage?n?|jours?|d[ií]as?|nights?|nächte?|nuits?|noches?)$/, 1440],
  [/^(?:w|weeks?|wochen?|semaines?|semanas?)$/, 10080],
  [/^(?:months?|monate?n?|mois|mes(?:es)?)$/, 43200],
  [/^(?:years?|jahre?n?|ans?|años?)$/, 525600],
];
const TIMES: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6 };
const NUMBER_WORDS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  half: 0.5,
  ein: 1,
  eine: 1,
  einen: 1,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  sechs: 6,
  zehn: 10,
  un: 1,
  une: 1,
  deux: 2,
  trois: 3,
  quatre: 4,
  cinq: 5,
  six: 6,
  dix: 10,
  una: 1,
  dos: 2,
  tres: 3,
  cuatro: 4,
  cinco: 5,
  seis: 6,
  diez: 10,
};

/** The only number said, in the unit that the parameter asks for. */
function numberIn(parameter: Parameter, text: string): number | undefined {
  const match =
    /^(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:[.,]\d+)?)\s*(.*)$/.exec(text) ??
    /^((?:[\p{L}]+[\s-]+)*?[\p{L}]+)()$/u.exec(text);
  if (match === null) return undefined;
  const [, digits = "", rest = ""] = match;
  if (!/\d/.test(digits)) return wordsAsNumber(parameter, digits);
  const number = Number(
    /,\d{3}(?!\d)/.test(digits) ? digits.replaceAll(",", "") : digits.replace(",", "."),
  );
  return inUnit(parameter, number, rest);
}

function inUnit(parameter: Parameter, number: number, rest: string): number | undefined {
  const unit = rest
    .toLowerCase()
    .replace(/^-|[.,]$/g, "")
    .trim();
  const [first = "", ...more] = unit.split(/\s+/);
  const wanted = unitOf(parameter);
  const own = minutesOf(first);
  if (wanted === undefined || own === undefined) return number * (TIMES[first] ?? 1);
  const value = (number * own) / wanted;
  const [, extra = "", extraUnit = ""] = /^(\d+)\s*(\p{L}*)$/u.exec(more.join(" ")) ?? [];
  return extra === "" ? value : value + (Number(extra) * (minutesOf(extraUnit) ?? 1)) / wanted;
}

function minutesOf(word: string): number | undefined {
  return MINUTES.find(([pattern]) => pattern.test(word))?.[1];
}

/** The minutes of the unit that the parameter's own words name. */
function unitOf({ name, description }: Parameter): number | undefined {
  const words = `${name.replaceAll("_", " ")} ${description}`.toLowerCase().split(/[^\p{L}]+/u);
  return words.map((word) => (word.length > 2 ? minutesOf(word) : undefined)).find(Boolean);
}

function wordsAsNumber(parameter: Parameter, said: string): number | undefined {
  let total = 0;
  let current: number | undefined;
  const words = said.toLowerCase().split(/[\s-]+/);
  for (const [index, word] of words.entries()) {
    const number = Object.hasOwn(NUMBER_WORDS, word) ? NUMBER_WORDS[word] : numberWord(word);
    if (number === undefined) {
      if (word === "of" || word === "and") continue;
      if (word === "million") current = (current ?? 1) * 1e6;
      else {
        return current === undefined && total === 0
          ? undefined
          : inUnit(parameter, total + (current ?? 0), words.slice(index).join(" "));
      }
    } else if (number === 100) current = (current ?? 1) * 100;
    else if (number === 1000) {
      total += (current ?? 1) * 1000;
      current = undefined;
    } else if (current !== undefined && number === 0.5 && current === 1) current = 0.5;
    else if (number === 1 && current === 0.5) continue;
    else current = current === 1 && number === 12 ? 12 : (current ?? 0) + number;
  }
  return total + (current ?? 0);
}

/** Names that mentions.ts does not know yet; the last word decides there. */
const CURRENCIES: readonly [RegExp, string][] = [
  [/swiss|schweizer|suis|suiz/, "CHF"],
  [/canad|kanad/, "CAD"],
  [/austral|aussie/, "AUD"],
  [/mexi|mejic|^pesos?$/, "MXN"],
  [/brazil|brasil|reais|reales/, "BRL"],
  [/dirham|dírham/, "AED"],
  [/rupee|rupie|roupie|rupia/, "INR"],
  [/swedish|schwedi|suéd|suec/, "SEK"],
  [/norweg|norvég|norueg/, "NOK"],
  [/danish|dänisch|danois|danes/, "DKK"],
  [/pound|pfund|livre|libra|sterling|quid/, "GBP"],
  [/dollar|dólar|bucks?/, "USD"],
  [/^euro/, "EUR"],
  [/yen/, "JPY"],
  [/yuan|人民币/, "CNY"],
  [/美元/, "USD"],
];

function currencyNamed(text: string): string | undefined {
  const known = currencyCode(text) ?? currencyCode(text.toUpperCase());
  if (known !== undefined && text.length < 4) return known;
  return CURRENCIES.find(([pattern]) => pattern.test(text.toLowerCase()))?.[1] ?? known;
}
