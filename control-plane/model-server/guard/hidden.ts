// Texts that are hidden in a text: encoded, spelt with digits, letters of other scripts or invisible ones, or backwards.

/** The part of a text that is searched, and the most of each hidden text. Characters. */
const MAX_SEARCHED = 8000;
const MAX_HIDDEN = 1200;
/** Hidden texts that are scored. */
const MAX_FOUND = 4;
/** Encoded runs that are tried. */
const MAX_RUNS = 8;

/** Returns the texts that a reader could be told to decode. */
export function hiddenTexts(text: string): string[] {
  const searched = text.slice(0, MAX_SEARCHED);
  const found = READERS.flatMap((read) => read(searched));
  return [...new Set(found.map((one) => one.slice(0, MAX_HIDDEN)))].slice(0, MAX_FOUND);
}

const READERS: readonly ((text: string) => string[])[] = [
  tagCharacters,
  (text) => runs(text, /[A-Za-z0-9+/_-]{16,}={0,2}/g, (run) => Buffer.from(run, "base64")),
  (text) =>
    runs(text, /(?:(?:\\x|0x)?[0-9a-f]{2}[\s:,;]{0,2}){8,}/gi, (run) =>
      Buffer.from(run.replaceAll(/\\x|0x|[^0-9a-f]/gi, ""), "hex"),
    ),
  (text) =>
    runs(text, /(?:%[0-9a-f]{2}|[\w.-]){8,}/gi, (run) =>
      run.includes("%") ? Buffer.from(run.replaceAll(/%([0-9a-f]{2})/gi, byteOf), "latin1") : NONE,
    ),
  (text) => ifEnglish(text, rotated),
  (text) => ifEnglish(text, reversed),
  digitSpelling,
  spacedLetters,
  otherScripts,
];

const NONE = Buffer.alloc(0);

function byteOf(_: string, hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}

/** Returns the decoded runs that are words. */
function runs(text: string, pattern: RegExp, decode: (run: string) => Buffer): string[] {
  const candidates = [...text.matchAll(pattern)].slice(0, MAX_RUNS);
  return candidates.map(([run]) => decode(run).toString("utf8")).filter(isWords);
}

function isWords(text: string): boolean {
  const letters = text.match(/[\p{L}\s.,!?'"-]/gu)?.length ?? 0;
  return /\p{L}{2,}\s+\p{L}/u.test(text) && letters >= 0.85 * text.length;
}

/** Letters of Unicode's block of tags, which nobody sees. */
function tagCharacters(text: string): string[] {
  const found = text.match(/[\u{e0020}-\u{e007e}]+/gu) ?? [];
  const shown = (run: string) =>
    Array.from(run, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0xe0000)).join("");
  return found.map(shown);
}

/** The commonest words of English, and those of attacks. */
const COMMON =
  /\b(?:the|and|you|your|all|are|is|to|of|in|me|my|ignore|previous|instructions?|system|prompt|rules|without|show|tell|how)\b/gi;

function ifEnglish(text: string, turned: (text: string) => string): string[] {
  const result = turned(text);
  const [before, after] = [text, result].map((one) => one.match(COMMON)?.length ?? 0);
  return (after ?? 0) >= 3 && (after ?? 0) > 2 * (before ?? 0) ? [result] : [];
}

/** ROT13 */
function rotated(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    const start = code < 97 ? 65 : 97;
    return String.fromCharCode(((code - start + 13) % 26) + start);
  });
}

function reversed(text: string): string {
  return Array.from(text).reverse().join("");
}

const DIGITS: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g" },
  ...{ "@": "a", $: "s", "!": "i", "|": "l", "+": "t" },
};

/** `1gn0r3 4ll` → `ignore all`; two such words at least, because `mp3` is one. */
function digitSpelling(text: string): string[] {
  let count = 0;
  const plain = text.replaceAll(/[\p{L}\d@$!|+]+/gu, (word) => {
    const isSpelt = /\p{L}/u.test(word) && /[013457@$]/.test(word.replace(/[!|+]+$/, ""));
    if (isSpelt) count++;
    return isSpelt || /^[0134579]{2,4}$/.test(word)
      ? word.replaceAll(/[0134578@$!|+9]/g, (sign) => DIGITS[sign] ?? sign)
      : word;
  });
  return count >= 2 ? [plain] : [];
}

/** `i g n o r e   a l l` and `i.g.n.o.r.e` */
function spacedLetters(text: string): string[] {
  const pattern = /(?<!\p{L})\p{L}(?:[ .*_-]\p{L}){4,}(?!\p{L})/gu;
  if (!pattern.test(text)) return [];
  const joined = (run: string) => run.replaceAll(/[ .*_-]/g, "");
  const words = text.split(/\s{2,}|\s*[/|\n]\s*/);
  return [
    words
      .map((part) => part.replaceAll(/(?<!\p{L})\p{L}(?:[ .*_-]\p{L})+(?!\p{L})/gu, joined))
      .join(" "),
  ];
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ а: "a", в: "b", е: "e", і: "i", ј: "j", к: "k", м: "m", н: "h", о: "o", р: "p", с: "c" },
  ...{ т: "t", у: "y", х: "x", ѕ: "s", ԁ: "d", ɡ: "g", ո: "n", α: "a", ε: "e", ι: "i", ο: "o" },
  ...{ ρ: "p", τ: "t", υ: "u", ν: "v", κ: "k" },
};

/** Latin words with letters of other scripts that look alike. */
function otherScripts(text: string): string[] {
  if (
    !/\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u.test(
      text,
    )
  )
    return [];
  return [
    text.replaceAll(/[^\p{ASCII}]/gu, (letter) => LOOKALIKES[letter.toLowerCase()] ?? letter),
  ];
}
