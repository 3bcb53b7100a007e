// The guard's head: a weight for each number of a window's vector, and one for each of its words and pairs of words.
import shipped from "./head.json" with { type: "json" };

/** Words and pairs of words share this many weights. */
export const WORD_WEIGHTS = 8192;

export interface GuardHead {
  bias: number;
  vector: ArrayLike<number>;
  words: ArrayLike<number>;
}

/** Returns a head from its file, whose word weights are bytes in base64. */
function readHead(file: typeof shipped): GuardHead {
  const bytes = new Int8Array(Buffer.from(file.words, "base64"));
  const words = Float32Array.from(bytes, (byte) => byte * file.word_scale);
  return { bias: file.bias, vector: file.vector, words };
}

export const SHIPPED = readHead(shipped);

export function headProbability(
  head: GuardHead,
  vector: Float32Array,
  text: string,
  places: readonly number[] = wordPlaces(text),
): number {
  let sum = head.bias;
  vector.forEach((value, index) => {
    sum += value * (head.vector[index] ?? 0);
  });
  const share = wordShare(places);
  for (const place of places) sum += share * (head.words[place] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

/** Returns the places of the weights of a text's words and pairs of neighbours, each once. */
export function wordPlaces(text: string): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = new Set<number>();
  words.forEach((word, index) => {
    places.add(placeOf(word));
    const next = words[index + 1];
    if (next !== undefined) places.add(placeOf(`${word} ${next}`));
  });
  return [...places];
}

/** Returns what each word counts: a long text has more words, but is no stronger evidence by its length. */
export function wordShare(places: readonly number[]): number {
  return 1 / Math.sqrt(Math.max(1, places.length));
}

/** FNV-1a. */
function placeOf(word: string): number {
  let hash = 2_166_136_261;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 16_777_619);
  return (hash >>> 0) % WORD_WEIGHTS;
}
