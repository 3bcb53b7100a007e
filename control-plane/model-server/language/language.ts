// The language of a text, and the text in English words, one by one: the embedded model and the extractor know English.
import type { Span } from "../text-span.ts";
import { rememberLatest } from "../latest.ts";
import { CONTENT_WORDS, FUNCTION_WORDS, type Language, LANGUAGES } from "./common-words.ts";

/** The part of a text that is read; the models read less. Characters. */
const MAX_TEXT = 4000;
/** Words of the longest phrase. */
const MAX_PHRASE = 5;
/** A code such as `A-7781` or `19h` is not translated. */
const CODE = /(?:\d[\p{L}\p{M}]+|[\p{L}\p{M}]+[-_]?\d)[\p{L}\p{M}\d_-]*/gu;
const WORD = /[\p{L}\p{M}]+/gu;

const ENGLISH = new Set(
  `i me you we us it he she they my your our the a an and or not is are was were be will would have has had can could
  want need must please for to in on at from with without of until about this that there here also still again now if
  but how many much what which who when where why do does did let's i'd i'm what's get give show some any next`.split(
    /\s+/,
  ),
);

interface Lexicon {
  /** English by phrase: words in lower case without accents, joined by spaces. */
  phrases: Map<string, string>;
  /** English by the beginning of a word. */
  beginnings: Map<string, string>;
  functions: Set<string>;
}

const LEXICONS = new Map<Language, Lexicon>(
  LANGUAGES.map((language, index) => [language, lexiconOf(index)]),
);

function lexiconOf(column: number): Lexicon {
  const lexicon: Lexicon = { phrases: new Map(), beginnings: new Map(), functions: new Set() };
  for (const [isFunction, rows] of [
    [true, FUNCTION_WORDS],
    [false, CONTENT_WORDS],
  ] as const) {
    for (const row of rows.trim().split("\n")) {
      const [english = "", ...columns] = row.split("|").map((cell) => cell.trim());
      for (const form of (columns[column] ?? "").split(/\s+/).filter((one) => one !== "")) {
        const isBeginning = form.endsWith("*");
        const phrase = (plain(form).match(WORD) ?? []).join(" ");
        const known = isBeginning ? lexicon.beginnings : lexicon.phrases;
        if (!known.has(phrase)) known.set(phrase, english);
        if (isFunction && !phrase.includes(" ")) lexicon.functions.add(phrase);
      }
    }
  }
  return lexicon;
}

const ENGLISH_CONTENT = new Set(
  CONTENT_WORDS.split("\n").flatMap((row) => row.split("|")[0]?.toLowerCase().match(WORD) ?? []),
);
const FUNCTIONS = new Set(FUNCTION_WORDS.split("\n").map((row) => row.split("|")[0]?.trim() ?? ""));
/** What a word counts that is no function word. */
const CONTENT = 0.5;

/** Returns the language of a text; undefined for English, and for languages that are not known. */
export function languageOf(text: string): Language | undefined {
  return readLanguage(text.slice(0, MAX_TEXT));
}

const readLanguage = rememberLatest(computeLanguage);

function computeLanguage(text: string): Language | undefined {
  const words = plain(text).match(WORD) ?? [];
  const score = (isFunction: (word: string) => boolean, isContent: (word: string) => boolean) =>
    words.reduce((sum, word) => sum + (isFunction(word) ? 1 : isContent(word) ? CONTENT : 0), 0);
  let best: Language | undefined;
  let most = score(
    (word) => ENGLISH.has(word),
    (word) => ENGLISH_CONTENT.has(word),
  );
  for (const [language, lexicon] of LEXICONS) {
    const own = score(
      (word) => lexicon.functions.has(word),
      (word) => translated(lexicon, [{ plain: word, isName: false }])[0] !== undefined,
    );
    if (own > most) [best, most] = [language, own];
  }
  return best;
}

/** A word or phrase of the original, and what stands for it in the English text. */
interface Segment extends Span {
  /** In the original. */
  from: number;
  to: number;
  isTranslated: boolean;
}

export interface Gloss {
  text: string;
  /** Returns the span of the original that a span of the English text stands for. */
  original: (span: Span) => Span;
}

/** Returns the text with all known words in English; undefined if it is English, or nothing of it is known. */
export function glossOf(text: string): Gloss | undefined {
  return readGloss(text.slice(0, MAX_TEXT));
}

const readGloss = rememberLatest(computeGloss);

function computeGloss(read: string): Gloss | undefined {
  const language = languageOf(read);
  const lexicon = language === undefined ? undefined : LEXICONS.get(language);
  if (lexicon === undefined) return undefined;
  const words = wordsOf(read);
  const segments: Segment[] = [];
  let english = "";
  let at = 0;
  let hasContent = false;
  for (let index = 0; index < words.length;) {
    const [translation, count] = translated(lexicon, words.slice(index, index + MAX_PHRASE));
    const from = words[index]?.start ?? 0;
    const to = words[index + count - 1]?.end ?? from;
    // `l'ordine` is two words.
    english += read.slice(at, from).replace(/^['’]$/, " ");
    const start = english.length;
    english += translation ?? read.slice(from, to);
    const isTranslated = translation !== undefined;
    hasContent ||= isTranslated && !FUNCTIONS.has(translation);
    segments.push({ start, end: english.length, from, to, isTranslated });
    at = to;
    index += count;
  }
  english += read.slice(at);
  // `I want my abonnement opzeggen` has lost more than it has gained.
  if (!hasContent) return undefined;
  return {
    text: english,
    original: ({ start, end }) => ({
      start: placeOf(
        segments.findLast((segment) => segment.start <= start),
        start,
        "from",
      ),
      end: placeOf(
        segments.findLast((segment) => segment.start < end),
        end,
        "to",
      ),
    }),
  };
}

interface Word extends Span {
  plain: string;
  /** Whether it is a name by its capital, within a sentence. */
  isName: boolean;
}

function wordsOf(text: string): Word[] {
  const withoutCodes = text.replace(CODE, (code) => "0".repeat(code.length));
  return [...withoutCodes.matchAll(WORD)].map(({ index: start, 0: word }) => ({
    start,
    end: start + word.length,
    plain: plain(word),
    isName:
      /^\p{Lu}/u.test(word) &&
      /[^\s.!?¿¡"“«„(][\s"“«„(]*$/u.test(text.slice(Math.max(0, start - 8), start)),
  }));
}

/** @param words the next ones; returns the English for the longest phrase that they begin with, and its words */
function translated(
  { phrases, beginnings, functions }: Lexicon,
  words: readonly Pick<Word, "plain" | "isName">[],
): [string | undefined, number] {
  for (let count = words.length; count > 0; count--) {
    const phrase = words
      .slice(0, count)
      .map((word) => word.plain)
      .join(" ");
    // `São Paulo`
    if (count === 1 && words[0]?.isName === true && functions.has(phrase)) break;
    const found = phrases.get(phrase);
    if (found !== undefined) return [found, count];
  }
  const word = words[0]?.plain ?? "";
  for (let length = word.length; length > 2; length--) {
    const found = beginnings.get(word.slice(0, length));
    if (found !== undefined) return [found, 1];
  }
  return [undefined, 1];
}

/** Returns the place in the original: between words and in names as many letters on, in a translated word at its end. */
function placeOf(segment: Segment | undefined, place: number, end: "from" | "to"): number {
  if (segment === undefined) return place;
  if (place > segment.end) return segment.to + place - segment.end;
  return segment.isTranslated ? segment[end] : segment.from + place - segment.start;
}

/** Returns the text in lower case without accents; its length stays the same. */
export function plain(text: string): string {
  return Array.from(text, (letter) => {
    const [first = letter] = letter.toLowerCase().normalize("NFD");
    return first.length === letter.length ? first : letter;
  }).join("");
}
