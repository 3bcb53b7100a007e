// What a text mentions that a parameter could take: numbers, dates, places, currencies, ids, addresses, quotations.
import * as chrono from "chrono-node";

export interface Span {
  start: number;
  end: number;
}
export interface Mention<T> extends Span {
  value: T;
}
export interface NumberMention extends Mention<number> {
  /** The word after it, lower case, such as `days`. */
  unit: string;
  /** The few words before it, lower case. */
  before: string;
}

const NUMBER_WORDS: Readonly<Record<string, number>> = Object.fromEntries([
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, value) => [word, value] as const),
  ..."thirty forty fifty sixty seventy eighty ninety hundred"
    .split(" ")
    .map((word, index) => [word, (index + 3) * 10] as const),
  ["dozen", 12],
  ["couple", 2],
  ["thousand", 1000],
]);

export function numberWord(word: string): number | undefined {
  return Object.hasOwn(NUMBER_WORDS, word) ? NUMBER_WORDS[word] : undefined;
}

/** Digits with thousands separators and decimals, and number words; not those inside longer names. */
export function numbersOf(text: string, taken: readonly Span[] = []): NumberMention[] {
  const result: NumberMention[] = [];
  const pattern =
    /(?<![\p{L}\p{N}_.-])(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d{1,15}(?:\.\d{1,10})?|[a-z]{3,9})(?![\p{N}_-]|\.\d)/giu;
  for (const match of text.matchAll(pattern)) {
    const said = match[1] ?? "";
    const value = /\d/.test(said)
      ? Number(said.replaceAll(",", ""))
      : isWholeWord(text, match.index, said)
        ? numberWord(said.toLowerCase())
        : undefined;
    if (value === undefined || !Number.isFinite(value)) continue;
    const span = { start: match.index, end: match.index + said.length };
    if (overlaps(span, taken)) continue;
    const unit = /^\s*(%|[\p{L}°]+)/u.exec(text.slice(span.end, span.end + 40))?.[1] ?? "";
    const before = text.slice(Math.max(0, span.start - 40), span.start).toLowerCase();
    result.push({ ...span, value, unit: unit.toLowerCase(), before });
  }
  return result;
}

function isWholeWord(text: string, start: number, word: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text.charAt(start + word.length));
}

export function emailsOf(text: string): Mention<string>[] {
  return matches(text, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}/g);
}

export function urlsOf(text: string): Mention<string>[] {
  return matches(text, /https?:\/\/[^\s<>"']{3,2000}/gi).map((mention) => ({
    ...mention,
    value: mention.value.replace(/[.,;:!?)]+$/, ""),
  }));
}

export function quotationsOf(text: string): Mention<string>[] {
  const pattern =
    /"([^"\n]{1,500})"|“([^”\n]{1,500})”|«([^»\n]{1,500})»|(?<!\w)'([^'\n]{2,500})'(?!\w)/gu;
  return [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    value: (match[1] ?? match[2] ?? match[3] ?? match[4] ?? "").trim(),
  }));
}

/** Tokens with a digit in them, such as `48213`, `INV-22`, `#7781`. */
export function idsOf(text: string): Mention<string>[] {
  return matches(
    text,
    /(?<![\p{L}\p{N}@._-])#?(?=[\w-]{0,39}\d)[A-Za-z0-9][\w-]{0,39}(?![\p{L}\p{N}@])/gu,
  ).map((mention) => ({
    ...mention,
    value: mention.value.replace(/^#/, "").replace(/[-_]+$/, ""),
  }));
}

const CURRENCY_NAMES: Readonly<Record<string, string>> = {
  dollar: "USD",
  dollars: "USD",
  $: "USD",
  euro: "EUR",
  euros: "EUR",
  "€": "EUR",
  pound: "GBP",
  pounds: "GBP",
  sterling: "GBP",
  "£": "GBP",
  yen: "JPY",
  "¥": "JPY",
  franc: "CHF",
  francs: "CHF",
  yuan: "CNY",
  renminbi: "CNY",
  rupee: "INR",
  rupees: "INR",
  won: "KRW",
  zloty: "PLN",
  real: "BRL",
  reais: "BRL",
};
const CURRENCY_CODES = new Set(Intl.supportedValuesOf("currency"));

/** ISO 4217 codes, from codes (upper case, or a known one beside a number) and common names. */
export function currenciesOf(text: string): Mention<string>[] {
  const result: Mention<string>[] = [];
  for (const mention of matches(text, /[$€£¥]|(?<![\p{L}\p{N}])\p{L}{3,9}(?![\p{L}])/gu)) {
    const code = currencyCode(mention.value);
    if (code !== undefined) result.push({ ...mention, value: code });
  }
  return result;
}

/** The code of a code or a name; lower-case codes are taken where they are no English word. */
export function currencyCode(said: string): string | undefined {
  const lower = said.toLowerCase();
  if (Object.hasOwn(CURRENCY_NAMES, lower)) return CURRENCY_NAMES[lower];
  const upper = said.toUpperCase();
  if (!CURRENCY_CODES.has(upper)) return undefined;
  return said === upper || COMMON_CODES.has(upper) ? upper : undefined;
}
const COMMON_CODES = new Set(
  "USD EUR GBP JPY CHF CNY INR AUD CAD NZD SEK NOK DKK PLN CZK HUF BRL MXN ZAR KRW SGD HKD".split(
    " ",
  ),
);

export interface DateMention extends Span {
  from: chrono.ParsedComponents;
  to?: chrono.ParsedComponents | undefined;
}

/** Days and times as people say them, seen from `now`. English. */
export function datesOf(text: string, now: Date): DateMention[] {
  return chrono
    .parse(text.slice(0, MAX_DATED_TEXT), now, { forwardDate: true })
    .filter(
      ({ start }) =>
        start.isCertain("day") || start.isCertain("weekday") || start.isCertain("month"),
    )
    .map(({ index, text: said, start, end }) => ({
      start: index,
      end: index + said.length,
      from: start,
      ...(end ? { to: end } : {}),
    }));
}
const MAX_DATED_TEXT = 1000;

const PLACE_STOP =
  /^(?:for|in|on|at|with|and|or|from|to|by|of|is|are|was|will|be|over|during|within|until|today|tonight|tomorrow|yesterday|this|next|now|right|please|using|via|per|a|an|my|our|your|me|us|you|it|them|general|case|total|advance|detail|details|short|days?|weeks?|months?|hours?|morning|evening|afternoon|noon|night|celsius|fahrenheit|kelvin|metric|imperial|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|english|german|french|spanish|italian|japanese|chinese|like|that|which|so|but|if|when|because|as|than|then|there|here|again|sometime|soon|later|instead|too|also)$/i;
const MAX_PLACE = 4;

/** The names after the prepositions. Where some are capitalised, only those. */
export function placesAfter(
  text: string,
  prepositions: readonly string[],
  taken: readonly Span[],
): Mention<string>[] {
  const result: Mention<string>[] = [];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${prepositions.join("|")})\\s+(?:the\\s+)?`,
    "giu",
  );
  for (const match of text.matchAll(pattern)) {
    const place = nameAt(text, match.index + match[0].length, taken);
    if (place !== undefined) result.push(place);
  }
  const capitalised = result.filter(({ value }) => /^\p{Lu}/u.test(value));
  return capitalised.length > 0 ? capitalised : result;
}

/** The words from a place in the text up to one that ends a name; `Paris, France` goes over its comma. */
function nameAt(text: string, start: number, taken: readonly Span[]): Mention<string> | undefined {
  let end = start;
  for (let count = 0; count < MAX_PLACE; count++) {
    const next = /^(\s*|, (?=\p{Lu}))([\p{L}\p{M}][\p{L}\p{M}'’.-]*)/u.exec(
      text.slice(end, end + 80),
    );
    const word = next?.[2];
    if (next === null || word === undefined || (count > 0 && next[1] === "")) break;
    const span = { start: end + (next[1]?.length ?? 0), end: end + next[0].length };
    if (PLACE_STOP.test(word.replace(/\.$/, "")) || overlaps(span, taken)) break;
    if (numberWord(word.toLowerCase()) !== undefined) break;
    end = span.end;
    if (/[^.]\.$/.test(word) && word.length > 4) break;
  }
  const value = text.slice(start, end).replace(/[.'’-]+$/, "");
  return value === "" ? undefined : { start, end: start + value.length, value };
}

export function overlaps(span: Span, others: readonly Span[]): boolean {
  return others.some((other) => span.start < other.end && other.start < span.end);
}

function matches(text: string, pattern: RegExp): Mention<string>[] {
  return [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    value: match[0],
  }));
}
