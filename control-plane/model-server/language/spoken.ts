// The language in which a user is asked: one of the twelve most used on the web, English where it is not recognised.
import { languageOf, plain } from "./language.ts";

export const SPOKEN = [
  "en",
  "es",
  "de",
  "ja",
  "fr",
  "pt",
  "ru",
  "it",
  "nl",
  "pl",
  "tr",
  "zh",
] as const;
export type Spoken = (typeof SPOKEN)[number];

const MAX_TEXT = 4000;
/** Letters and scripts that no other of the twelve languages has. */
const SIGNS: readonly [Spoken, RegExp][] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["zh", /\p{Script=Han}/u],
  ["ru", /\p{Script=Cyrillic}/u],
  ["pl", /[ąęłńśźżĄĘŁŃŚŹŻ]/u],
  ["tr", /[ğışĞİŞ]/u],
];
/** Common words of those that are not always written with such letters. */
const WORDS: Readonly<Partial<Record<Spoken, ReadonlySet<string>>>> = {
  pl: new Set(
    "jest czy nie dla mam chce prosze jaka jaki jakie jak gdzie kiedy ile moge moj moja jutro".split(
      " ",
    ),
  ),
  tr: new Set(
    "ve bir bu ne icin mi nasil nerede lutfen istiyorum kac var yok bana benim hava yarin".split(
      " ",
    ),
  ),
};

export function spokenLanguage(text: string): Spoken {
  const read = text.slice(0, MAX_TEXT);
  const signed = SIGNS.find(([, signs]) => signs.test(read))?.[0];
  const known = signed ?? languageOf(read);
  if (known !== undefined) return known;
  const words = plain(read).match(/\p{L}+/gu) ?? [];
  const found = SPOKEN.find((language) => {
    const own = words.filter((word) => WORDS[language]?.has(word) === true).length;
    return own > 1 && 2 * own >= words.length;
  });
  return found ?? "en";
}
