// The parts of a text that the guard scores: its beginning, its sentences and runs of them, and what is hidden in it.
import { hiddenTexts } from "./hidden.ts";

const SENTENCES = 3;
const STRIDE = 2;
/** Each costs one run of the model; the windows of a longer text are spread over all of it. */
const MAX_WINDOWS = 24;
const OPENING = 1200;
const MAX_SENTENCE = 240;
/** Of each hidden text. */
const MAX_HIDDEN_WINDOWS = 3;

/** Returns the windows of the text, and of the texts that are hidden in it. */
export function windowsOf(text: string): string[] {
  const hidden = hiddenTexts(text).flatMap((one) => plainWindows(one).slice(0, MAX_HIDDEN_WINDOWS));
  return [...new Set([...plainWindows(text), ...hidden])];
}

/** Returns the beginning of the text, and overlapping runs of sentences. */
function plainWindows(text: string): string[] {
  // A repeated sentence is no more dangerous than the first.
  const sentences = [...new Set(sentencesOf(visible(text)))];
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
  const opening = visible(text).slice(0, OPENING).trim();
  return [...new Set(opening === "" ? windows : [opening, ...windows])];
}

/** Removes the characters that split words for a program, but are invisible to a person. */
function visible(text: string): string {
  return text.normalize("NFKC").replace(/[\p{Cf}]|(?![\t\n])\p{Cc}/gu, "");
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .flatMap((sentence) => sentence.match(new RegExp(`.{1,${MAX_SENTENCE}}`, "gsu")) ?? [])
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
  const wordsOf = attackWords(all.flat());
  const suspicious = all
    .map((window) => ({
      window,
      words: new Set(window.flatMap((sentence) => wordsOf.get(sentence) ?? [])).size,
      length: window.reduce((sum, sentence) => sum + sentence.length, 0),
    }))
    .sort((left, right) => right.words - left.words || left.length - right.length)
    .slice(0, half)
    .map(({ window }) => window);
  return [...suspicious, ...spread(runs, half)];
}

/** Returns the attack words of each sentence, searched once, because most sentences are in several windows. */
function attackWords(sentences: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const sentence of sentences) {
    if (found.has(sentence)) continue;
    found.set(sentence, sentence.toLowerCase().match(ATTACK_WORDS) ?? []);
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
