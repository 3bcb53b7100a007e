// Dates and times of day that a person stated, written as a parameter's format asks.
import * as chrono from "chrono-node";
import { isDateFormat, type Parameter } from "./parameter.ts";

const MAX_TEXT = 1000;
/** `five days`: a duration, not a date; `in five days` and `five days ago` are dates. */
const DURATION = /^(?:[\p{L}\d]+\s+)?(?:hours?|days?|weeks?|months?|years?)$/iu;

/** Returns the date of a text that states exactly one. */
export function readDate(parameter: Parameter, text: string, now: Date): string | undefined {
  const plain = withIsoDates(text);
  const [only, another] = datesOf(plain, now);
  if (only === undefined || another !== undefined || only.to !== undefined) return undefined;
  // `March 2023` is no day.
  if (!only.from.isCertain("day") && !only.from.isCertain("weekday")) return undefined;
  if (formatOf(parameter)?.includes("HH") === true && !only.from.isCertain("hour"))
    return undefined;
  const rest = plain.slice(0, only.start) + plain.slice(only.end);
  return /\d/.test(rest) ? undefined : formatDate(only.from, parameter);
}

/** Returns the time of day of a text that states nothing else, as HH:MM. */
export function readTime(text: string, now: Date): string | undefined {
  const spoken = text
    .replace(/^(?:at|um|à|a las)\s+/i, "")
    .replace(/(?:\s*uhr|(?<=\d)\s*h)$/i, "")
    .replace(/^(\d{1,2})$/, "$1:00")
    .replace(/^(\d{2})(\d{2})$/, "$1:$2");
  const said = `at ${spoken}`;
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
  return words.flatMap((word, index) => {
    if (!/\d|^(?:noon|midday|midnight)/i.test(word)) return [];
    const next = `${word} ${words[index + 1] ?? ""}`;
    const found = [word, next].map((said) => readTime(said.replace(/\.$/, ""), now));
    return found.filter((time) => time !== undefined);
  });
}

export interface DateMention {
  start: number;
  end: number;
  from: chrono.ParsedComponents;
  /** The end of a range. */
  to?: chrono.ParsedComponents | undefined;
}

/** Returns the days that a text states, seen from `now`. English, and numeric dates. */
export function datesOf(text: string, now: Date): DateMention[] {
  return chrono
    .parse(withIsoDates(text.slice(0, MAX_TEXT)), now, { forwardDate: true })
    .filter(
      ({ start, text: said }) =>
        (start.isCertain("day") || start.isCertain("weekday") || start.isCertain("month")) &&
        !DURATION.test(said),
    )
    .map(({ index, text: said, start, end }) => ({
      start: index,
      end: index + said.length,
      from: start,
      ...(end ? { to: end } : {}),
    }));
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
export function formatDate(date: chrono.ParsedComponents, parameter: Parameter): string {
  const parts = {
    YYYY: String(date.get("year") ?? 0).padStart(4, "0"),
    MM: two(date.get("month")),
    DD: two(date.get("day")),
    HH: two(date.get("hour")),
    mm: two(date.get("minute")),
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
