// Dates and times of day that a person stated, written as a parameter's format asks.
import * as chrono from "chrono-node";
import { languageOf } from "../language/language.ts";
import { type Language, LANGUAGES } from "../language/common-words.ts";
import { clocksIn } from "./clock.ts";
import { isDateFormat, type Parameter } from "./parameter.ts";

const MAX_TEXT = 1000;
/** `five days`: a duration, not a date; `in five days` and `five days ago` are dates. */
const DURATION =
  /^(?:(?:for|für|pour|de|por|per|di|voor|durante)\s+)?(?:[\p{L}\d]+\s+)?(?:minut\p{L}*|hours?|stunden?|heures?|horas?|or[ae]|uur|uren|days?|tagen?|tage|jours?|d[ií]as?|giorn[io]|dag(?:en)?|weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|months?|monaten?|mois|meses|mesi|maanden|years?|jahren?|ans?|años?|anos?|anni|jaar)$/iu;

/** Returns the date of a text that states exactly one. */
export function readDate(parameter: Parameter, text: string, now: Date): string | undefined {
  const language = languageOf(text);
  const own = readDateIn(language ?? "en", parameter, text, now);
  if (own !== undefined || language !== undefined) return own;
  // A date alone, such as `24 décembre`, may have no word by which its language is recognised.
  const days = LANGUAGES.map((other) => readDateIn(other, parameter, text, now));
  const different = new Set(days.filter((day) => day !== undefined));
  return different.size === 1 ? [...different][0] : undefined;
}

function readDateIn(
  language: Language | "en",
  parameter: Parameter,
  text: string,
  now: Date,
): string | undefined {
  const plain = withIsoDates(text);
  const [only, another] = mentionsIn(language, plain, now);
  const [clock, second] = clocksIn(text);
  if (only === undefined || another !== undefined || only.to !== undefined) return undefined;
  // `March 2023` is no day.
  if (!only.from.isCertain("day") && !only.from.isCertain("weekday")) return undefined;
  if (formatOf(parameter)?.includes("HH") === true && (clock === undefined || second !== undefined))
    return undefined;
  const rest = withoutClocks(plain.slice(0, only.start) + plain.slice(only.end));
  return /\d/.test(rest) ? undefined : formatDate(only.from, parameter, clock?.value);
}

/** Returns the time of day of a text that states nothing else, as HH:MM. */
export function readTime(text: string, now: Date): string | undefined {
  const [clock, second] = clocksIn(text, true);
  if (second !== undefined) return undefined;
  if (clock !== undefined) {
    const rest = text.slice(0, clock.start) + text.slice(clock.end);
    return /\d/.test(rest) ? undefined : clock.value;
  }
  const said = `at ${text.replace(/^at\s+/i, "")}`;
  const [time, another] = chrono.parse(said, now).filter(({ start }) => start.isCertain("hour"));
  const hour = time?.start.get("hour");
  if (time === undefined || another !== undefined || hour === null || hour === undefined)
    return undefined;
  const rest = said.slice(0, time.index) + said.slice(time.index + time.text.length);
  return /\d/.test(rest) ? undefined : `${two(hour)}:${two(time.start.get("minute"))}`;
}

/** Returns all times of day that a text states, as HH:MM. */
export function timesOf(text: string, now: Date): string[] {
  const words = text.match(/[^\s,;!?()]+/g) ?? [];
  const short = words.flatMap((word, index) => {
    if (!/\d/.test(word)) return [];
    const next = `${word} ${words[index + 1] ?? ""}`;
    const found = [word, next].map((said) => readTime(said.replace(/\.$/, ""), now));
    return found.filter((time) => time !== undefined);
  });
  const answers = text
    .split("\n")
    .flatMap((line) => clocksIn(line.trim().replace(/[.!]$/, ""), true));
  return [...answers.map(({ value }) => value), ...short];
}

export interface DateMention {
  start: number;
  end: number;
  said: string;
  from: chrono.ParsedComponents;
  /** The end of a range. */
  to?: chrono.ParsedComponents | undefined;
}

/** Returns the days that a text states, seen from `now`, in English or in the language of the text. */
export function datesOf(text: string, now: Date): DateMention[] {
  return mentionsIn(languageOf(text) ?? "en", text, now);
}

/** Returns the days that the lines of a text state, each in its own language. */
export function datesOfLines(text: string, now: Date): DateMention[] {
  const lines = text.slice(-MAX_TEXT).split("\n");
  return lines.flatMap((line) => {
    const language = languageOf(line);
    const read: readonly (Language | "en")[] =
      language === undefined && line.length <= MAX_SHORT
        ? ["en", ...LANGUAGES]
        : [language ?? "en"];
    return read.flatMap((one) => mentionsIn(one, line, now));
  });
}

/** A longer line has words by which its language is recognised. Characters. */
const MAX_SHORT = 40;

function mentionsIn(language: Language | "en", text: string, now: Date): DateMention[] {
  const parser = language === "en" ? chrono : chrono[language];
  const dated = withoutClocks(withIsoDates(text.slice(0, MAX_TEXT)));
  return parser
    .parse(dated, now, { forwardDate: true })
    .filter(
      ({ start, text: said }) =>
        (start.isCertain("day") || start.isCertain("weekday") || start.isCertain("month")) &&
        !DURATION.test(said),
    )
    .map(({ index, text: said, start, end }) => ({
      start: index,
      end: index + said.length,
      said,
      from: start,
      ...(end ? { to: end } : {}),
    }));
}

/** Returns the text with spaces in place of its times of day: chrono reads `de la mañana` as tomorrow. */
function withoutClocks(text: string): string {
  return clocksIn(text).reduce(
    (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
    text,
  );
}

/** 1.8.2027 is 1 August everywhere; chrono reads it as 8 January. */
function withIsoDates(text: string): string {
  return text.replace(
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?![\d])/g,
    (_, day: string, month: string, year: string) =>
      `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`,
  );
}

/** `date-time`, a pattern of YYYY MM DD HH mm or strftime's, else an ISO date. */
function formatDate(date: chrono.ParsedComponents, parameter: Parameter, time = "00:00"): string {
  const [hour = "", minute = ""] = time.split(":");
  const parts = {
    YYYY: String(date.get("year") ?? 0).padStart(4, "0"),
    MM: two(date.get("month")),
    DD: two(date.get("day")),
    HH: hour,
    mm: minute,
  };
  const day = `${parts.YYYY}-${parts.MM}-${parts.DD}`;
  const format = formatOf(parameter);
  if (format === "date-time" || format === "datetime") return `${day}T${parts.HH}:${parts.mm}:00`;
  if (format === undefined || !isDateFormat(format) || /^date$/i.test(format)) return day;
  return format
    .replaceAll("%Y", parts.YYYY)
    .replaceAll("%m", parts.MM)
    .replaceAll("%d", parts.DD)
    .replaceAll("%H", parts.HH)
    .replaceAll("%M", parts.mm)
    .replace(/yyyy/i, parts.YYYY)
    .replace("MM", parts.MM)
    .replace(/dd/i, parts.DD)
    .replace("HH", parts.HH)
    .replace("mm", parts.mm)
    .replace(/ss/i, "00");
}

/** Returns the configured format, or the one that the description names; minutes are `mm`. */
function formatOf({ format, description }: Parameter): string | undefined {
  const named = /\b(?:YYYY|DD|MM)\b[-./\w]*(?:[ T]HH:mm(?::ss)?)?/i.exec(description)?.[0];
  return (format ?? named?.replace(/[^A-Za-z]+$/, ""))?.replace("HH:MM", "HH:mm");
}

function two(number: number | null): string {
  return String(number ?? 0).padStart(2, "0");
}
