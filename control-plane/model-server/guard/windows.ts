// The parts of a text that the guard scores: its beginning, its sentences and runs of them, and what is hidden in it.
import { hiddenTexts } from "./hidden.ts";
import { ServerError } from "../server-error.ts";

/**
 * A longer text cannot be read whole, and is rejected: about a million tokens, as many as the largest models read.
 * Compatibility forms count as what they stand for. Characters.
 */
export const MAX_GUARDED = 4 * 1024 * 1024;
/** Read at a time, so that no compatibility form makes a long text many times longer in memory. Characters. */
const PIECE = 64 * 1024;

const SENTENCES = 3;
const STRIDE = 2;
/** Each costs one run of the model; the windows of a longer text are spread over all of it. */
const MAX_WINDOWS = 24;
const OPENING = 1200;
const MAX_SENTENCE = 240;
/** Of each hidden text. */
const MAX_HIDDEN_WINDOWS = 3;

/** Returns the windows of the text, and of the texts that are hidden in it. Throws a ServerError (413) if it is too long. */
export function windowsOf(text: string): string[] {
  const hidden = hiddenTexts(text).flatMap((one) => plainWindows(one).slice(0, MAX_HIDDEN_WINDOWS));
  return [...new Set([...plainWindows(text), ...hidden])];
}

/** Returns the beginning of the text, and overlapping runs of sentences. */
function plainWindows(text: string): string[] {
  const read = visible(text);
  // A repeated sentence is no more dangerous than the first.
  const sentences = [...new Set(sentencesOf(read))];
  const starts: number[] = [];
  for (let start = 0; start < sentences.length; start += STRIDE) {
    starts.push(start);
    if (start + SENTENCES >= sentences.length) break;
  }
  const runs = starts.map((start) => sentences.slice(start, start + SENTENCES));
  // Each sentence alone too: one attack can hide between harmless sentences.
  const all = [...runs, ...sentences.map((sentence) => [sentence])];
  const kept = all.length <= MAX_WINDOWS ? all : chosen(runs, all);
  const windows = kept.map((window) => window.join(" "));
  const opening = read.slice(0, OPENING).trim();
  return [...new Set(opening === "" ? windows : [opening, ...windows])];
}

/** Removes the characters that split words for a program, but are invisible to a person. */
function visible(text: string): string {
  const pieces: string[] = [];
  let length = 0;
  for (let start = 0; start < text.length; start += PIECE) {
    const piece = text.slice(start, start + PIECE).normalize("NFKC");
    length += piece.length;
    if (length > MAX_GUARDED) throw tooLong();
    pieces.push(piece.replace(INVISIBLE, ""));
  }
  return pieces.join("");
}

const INVISIBLE = /[\p{Cf}]|(?![\t\n])\p{Cc}/gu;

export function tooLong(): ServerError {
  return new ServerError(
    413,
    `The guard reads a text of at most ${String(MAX_GUARDED)} characters.`,
  );
}

const SENTENCE_PART = new RegExp(`.{1,${MAX_SENTENCE}}`, "gsu");

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .flatMap((sentence) => sentence.match(SENTENCE_PART) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/**
 * Returns the windows to score. For a long text, half are those with the most words of an attack, so that padding
 * cannot hide one; the rest are spread over the text.
 */
function chosen(
  runs: readonly (readonly string[])[],
  all: readonly (readonly string[])[],
): (readonly string[])[] {
  const half = MAX_WINDOWS / 2;
  const wordsOf = attackWords(new Set(all.flat()));
  const weighed = all.map((window) => ({
    window,
    words: countOf(window.flatMap((sentence) => wordsOf.get(sentence) ?? [])),
    length: window.reduce((sum, sentence) => sum + sentence.length, 0),
  }));
  const suspicious = first(
    weighed,
    half,
    (left, right) => right.words - left.words || left.length - right.length,
  ).map(({ window }) => window);
  return [...suspicious, ...spread(runs, half)];
}

function countOf(words: readonly string[]): number {
  return words.length < 2 ? words.length : new Set(words).size;
}

/** Returns the first `most` items by `order`, without sorting all of them. */
function first<Item>(
  items: readonly Item[],
  most: number,
  order: (left: Item, right: Item) => number,
): Item[] {
  const kept: Item[] = [];
  for (const item of items) {
    const last = kept.length < most ? undefined : kept.at(-1);
    if (last !== undefined && order(item, last) >= 0) continue;
    const place = kept.findIndex((other) => order(item, other) < 0);
    kept.splice(place < 0 ? kept.length : place, 0, item);
    if (kept.length > most) kept.pop();
  }
  return kept;
}

/** Returns the attack words of each sentence. */
function attackWords(sentences: Iterable<string>): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const sentence of sentences) {
    const words = sentence.toLowerCase().match(ATTACK_WORDS);
    if (words !== null) found.set(sentence, words);
  }
  return found;
}

const ATTACK_WORDS =
  /ignore|disregard|forget|instruction|guideline|rules|restriction|system|prompt|pretend|act as|role ?play|persona|unfiltered|uncensored|jailbr|developer mode|\bdan\b|bypass|override|policy|policies|filter|ethic|moral|refuse|secret|reveal|hidden|safety|limits|no longer|from now on/g;

/** Returns `most` of the items, including the first and the last. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const last = items.length - 1;
  return items.filter(
    (_, index) =>
      Math.round((Math.round((index * (most - 1)) / last) * last) / (most - 1)) === index,
  );
}
