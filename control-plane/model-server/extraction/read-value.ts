// A span of a prompt as the value of its parameter: a whole token, read by the parameter's kind.
import { coerce } from "./coerce.ts";
import { currencyCode } from "./currencies.ts";
import { readDate, readTime } from "./dates.ts";
import { readNumber } from "./numbers.ts";
import { clocksIn } from "./clock.ts";
import { readOption } from "./enum-options.ts";
import { type Kind, kindOf, ownWords, type Parameter, stem } from "./parameter.ts";
import type { Span } from "../text-span.ts";

/** Nobody names a place or a device in more words. */
const MAX_WORDS: Partial<Record<Kind, number>> = { place: 6, id: 4, number: 8, date: 8, time: 9 };
/** Signs at the ends of a token that belong to the sentence. */
const AROUND = /^["“”«»‘’'`([{]+|["“”«»’'`)\]},;!?]+$/gu;
/** They stand for a value that somebody else knows. */
const POINTS_ELSEWHERE =
  /^(?:my|our|your|his|her|their|this|that|these|those|it|me|us|you|here|there|the same|some|any|another|somewhere|something|one|over there|you know)(?:\s|$)/i;
const SURE_UNKNOWN =
  /^(?:i|we) (?:do not|don'?t|can'?t|cannot|am not|have no)\b|^(?:no idea|not sure|whatever|unknown|dunno|idk|skip|none|nothing|no|yes|ok|okay)$/i;

/** The end of a quotation or of a sentence inside a name: `main_db', username is 'admin`, `my shop? Their number`. */
const CROSSES = /[\p{L}\p{N}]['’"](?!\p{L})|[“”"]|\s['‘][^'’]*$|\p{L}{4,}[.?!]\s+\p{Lu}|[?!]\s/u;

/**
 * Returns the span made longer up to the ends of its token, so that no half of one is ever a value: neither `10` of
 * 10.0.0.1 nor `edge` of sw-edge-9. Names without digits can be a part of one (Boston-Denver).
 */
export function wholeSpan(parameter: Parameter, text: string, span: Span): Span {
  const kind = kindOf(parameter);
  if (kind === "currency") return grown(text, span, /[\p{L}\p{M}]/u);
  if (kind === "number") return trimmed(text, grown(text, span, /[\p{L}\p{N}.,:/_-]/u));
  if (kind === "date") return withYear(text, span);
  if (kind === "time") return clockAt(text, span);
  const token = trimmed(text, grown(text, span, /[^\s"“”«»'‘’(),;!?]/u));
  if (kind === "place" && HAS_STATE.test(parameter.description)) return withState(text, span);
  const isOne = kind === "id" || kind === "email" || kind === "url";
  const said = text.slice(token.start, token.end);
  const isCode = /\p{N}/u.test(said) || (kind !== "place" && JOINED.test(said));
  return isOne || isCode ? token : grown(text, span, /[\p{L}\p{M}\p{N}_]/u);
}

/** `web.fra.example.net`, `anna@example`, `src/main`: words that are one name. */
const JOINED = /\p{Ll}[.:@/\\]\p{Ll}/u;

/** Scripts without spaces between words: a span cannot be checked there. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u;

/** `half past seven` in `half past seven in the evening` is another time. */
function clockAt(text: string, span: Span): Span {
  const around = { start: Math.max(0, span.start - CONTEXT), end: span.end + CONTEXT };
  const found = clocksIn(text.slice(around.start, around.end))
    .map(({ start, end }) => ({ start: around.start + start, end: around.start + end }))
    .find((clock) => clock.start < span.end && span.start < clock.end);
  return found ?? trimmed(text, grown(text, span, /[^\s"“”«»'‘’(),;!?]/u));
}

/** The words around a time that belong to it. Characters. */
const CONTEXT = 60;

/** `10th of March` in `10th of March 2023` is another day. */
function withYear(text: string, span: Span): Span {
  const { start, end } = trimmed(text, grown(text, span, /[\p{L}\p{N}.:/_-]/u));
  if (/\d{4}/.test(text.slice(start, end))) return { start, end };
  const after =
    /^,?\s+(?:(?:of|de|del)\s+)?(?:19|20)\d{2}(?![\d.:/-])/.exec(text.slice(end))?.[0] ?? "";
  const before = /(?<![\d.:/-])(?:19|20)\d{2},?\s+$/.exec(text.slice(0, start))?.[0] ?? "";
  return after === "" ? { start: start - before.length, end } : { start, end: end + after.length };
}

/** A description that asks for `City, State`. */
const HAS_STATE = /\bcity,? (?:and )?(?:state|country)\b|\p{L}, [A-Z]{2}\b/iu;

/** `Berkeley` in `Berkeley, CA` */
function withState(text: string, span: Span): Span {
  const { start, end } = grown(text, span, /[\p{L}\p{M}\p{N}_]/u);
  if (text.slice(start, end).includes(",")) return { start, end };
  const after = /^, ?(?:[A-Z]{2}(?!\p{L})|\p{Lu}\p{Ll}{3,}(?=\s*(?:[.,;?!]|$)))/u.exec(
    text.slice(end),
  );
  return { start, end: end + (after?.[0].length ?? 0) };
}

function grown(text: string, { start, end }: Span, inside: RegExp): Span {
  let [from, to] = [start, end];
  const isInside = (sign: string) => inside.test(sign) && !UNSPACED.test(sign);
  while (from > 0 && isInside(text.charAt(from - 1))) from--;
  while (to < text.length && isInside(text.charAt(to))) to++;
  return { start: from, end: to };
}

/** Without the signs of the sentence at its ends. */
function trimmed(text: string, { start, end }: Span): Span {
  const said = text.slice(start, end);
  const before = /^[.,:/_]+/.exec(said)?.[0].length ?? 0;
  const after = /[.,:/_-]+$/.exec(said)?.[0].length ?? 0;
  return { start: start + before, end: Math.max(start + before, end - after) };
}

/** Returns the value, or undefined if the text is not one of the parameter's kind. */
export function readValue(parameter: Parameter, said: string, now: Date): unknown {
  const text = said
    .trim()
    .replace(AROUND, "")
    .replace(/(?<=\p{L}{3})\.$/u, "")
    .trim();
  const kind = kindOf(parameter);
  if (text === "" || text.split(/\s+/).length > (MAX_WORDS[kind] ?? Infinity)) return undefined;
  const coerced = coerce(parameter, valueOf(parameter, kind, text, now));
  return coerced.ok ? coerced.value : undefined;
}

function valueOf(parameter: Parameter, kind: Kind, text: string, now: Date): unknown {
  switch (kind) {
    case "number":
      return readNumber(parameter, text);
    case "date":
      return readDate(parameter, text, now);
    case "time":
      return readTime(text, now);
    case "currency":
      return currencyCode(text);
    case "enum":
      return readOption(parameter, text) ?? readCount(parameter, text);
    case "id":
      return readId(parameter, text);
    case "email":
      return /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}$/.exec(text)?.[0];
    case "url":
      return /^(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+[^\s<>"']*$/i.exec(text)?.[0];
    case "list":
      return text.split(/\s*(?:[,;]|\b(?:and|und|et|y)\b)\s*/).filter((item) => item !== "");
    case "place":
      return isNoPlace(parameter, text) ? undefined : readWords(parameter, text);
    case "text":
      return readWords(parameter, text);
    case "boolean":
    case "object":
      return text;
  }
}

/** `two people` where the options are numbers. */
function readCount(parameter: Parameter, text: string): number | string | undefined {
  const options = (parameter.enum ?? []).filter((option) => option !== "dontcare");
  if (!options.every((option) => /^\d+$/.test(String(option)))) return undefined;
  const number = readNumber({ ...parameter, type: "integer" }, text.replace(/^(\d+)-/, "$1 "));
  return options.find((option) => String(option) === String(number));
}

/** `#5521`, `order no. 5521`, `LH 400`: one token, or several of digits and capitals. */
function readId(parameter: Parameter, text: string): string | undefined {
  // `no idea` is no id after the label `no`.
  if (SURE_UNKNOWN.test(text)) return undefined;
  const own = ownWords(parameter);
  const words = text.split(/\s+/);
  const isLabel = (word: string) =>
    /^(?:no|nr|number|id|the|is|#)[.:]?$/i.test(word) || own.has(stem(word.replace(/[:.]$/, "")));
  while (words.length > 1 && isLabel(words[0] ?? "")) words.shift();
  const id = words.join(" ").replace(/^#\s*/, "").replace(AROUND, "");
  if (POINTS_ELSEWHERE.test(id) || isLabel(id)) return undefined;
  return words.length === 1 || words.every((word) => /^[\p{Lu}\p{N}-]+$/u.test(word))
    ? id
    : undefined;
}

/** `Rome to Paris` are two, `Lisboa amanhã` has a word too many, and `City, State` is not a bare city. */
function isNoPlace({ description }: Parameter, text: string): boolean {
  if (/^\p{Lu}.*\s\p{Ll}{4,}$|\s(?:to|from)\s/u.test(text)) return true;
  return !text.includes(",") && HAS_STATE.test(description);
}

/** `title: Budget review` → `Budget review`, `Amelia's` → `Amelia` */
function readWords({ name }: Parameter, text: string): string | undefined {
  if ([POINTS_ELSEWHERE, SURE_UNKNOWN, CROSSES].some((pattern) => pattern.test(text))) {
    return undefined;
  }
  const label = name.replaceAll(/[_.-]+/g, "[ _-]?");
  return text
    .replace(new RegExp(`^${label}\\s*[:=]\\s*`, "i"), "")
    .replace(AROUND, "")
    .replace(/(?<=\p{L})['’]s$/u, "");
}
