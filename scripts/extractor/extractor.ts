// Runs the extractor in Node: a target, its parameters and a prompt → a span for each parameter, and whether the prompt asks for the target.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { InferenceSession, Tensor } from "onnxruntime-node";

export interface Described {
  name: string;
  description: string;
}
export interface Parameter extends Described {
  type: string;
  enum?: readonly (string | number)[] | undefined;
  format?: string | undefined;
}
export interface Span {
  start: number;
  end: number;
}
/** A span and its log odds against "not stated". */
export interface Candidate extends Span {
  odds: number;
}
export interface Extraction {
  /** Of each parameter, the best first. */
  candidates: Candidate[][];
  /** Above 0: the prompt asks for the target. */
  asks: number;
}

/** As in model.py, which the weights were trained with. */
const CLS = 101;
const SEP = 102;
const PARAMETER = 103;
const ASKED = 2;
const MAX_TARGET = 40;
const MAX_PARAMETER = 32;
const MAX_TOKENS = 320;
const MAX_SPAN = 24;
const CANDIDATES = 6;
const WIDTH = 384;

/** The package's own types cannot be resolved by Node's rules: their imports have no extensions. */
interface WordTokenizer {
  encode: (
    text: string,
    options?: { add_special_tokens?: boolean },
  ) => { ids: number[]; tokens: string[] };
}
const WordTokenizer = Tokenizer as unknown as new (
  tokenizer: object,
  configuration: object,
) => WordTokenizer;

export class Extractor {
  readonly #session: InferenceSession;
  readonly #tokenizer: WordTokenizer;
  readonly #words: WordVectors;

  private constructor(session: InferenceSession, tokenizer: WordTokenizer, words: WordVectors) {
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#words = words;
  }

  /** `embeddingModel` is the folder of the embedded sentence model, whose table of words is used. */
  static async open(file: string, embeddingModel: string): Promise<Extractor> {
    const session = await InferenceSession.create(file, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: "sequential",
      graphOptimizationLevel: "all",
      enableCpuMemArena: false,
    });
    const tokenizer = JSON.parse(
      readFileSync(join(embeddingModel, "tokenizer.json"), "utf8"),
    ) as object;
    const words = new WordVectors(readFileSync(join(embeddingModel, "model.onnx")));
    return new Extractor(session, new WordTokenizer(tokenizer, {}), words);
  }

  async extract(
    target: Described,
    parameters: readonly Parameter[],
    prompt: string,
    asked: readonly string[] = [],
  ): Promise<Extraction> {
    const ids = [CLS, ...this.#ids(targetText(target), MAX_TARGET)];
    const queries: Span[] = [];
    for (const parameter of parameters) {
      const start = ids.length;
      ids.push(asked.includes(parameter.name) ? ASKED : PARAMETER);
      ids.push(...this.#ids(parameterText(parameter), MAX_PARAMETER));
      queries.push({ start, end: ids.length });
    }
    ids.push(SEP);
    const first = ids.length;
    const said = this.#piecesOf(prompt).slice(0, Math.max(0, MAX_TOKENS - first - 1));
    ids.push(...said.map(({ id }) => id), SEP);
    const output = await this.#run(ids, first, queries);
    const candidates = queries.map((_, index) => {
      const row = (of: Float32Array) => of.subarray(index * ids.length, (index + 1) * ids.length);
      return best(row(output.start), row(output.end), output.notStated, first, said);
    });
    return { candidates, asks: output.asks };
  }

  async #run(ids: readonly number[], first: number, queries: readonly Span[]) {
    const length = ids.length;
    const types = BigInt64Array.from(ids, (_, index) => (index < first ? 0n : 1n));
    const count = Math.max(1, queries.length);
    const pool = new Float32Array(count * length);
    queries.forEach(({ start, end }, index) => {
      pool.fill(1 / (end - start), index * length + start, index * length + end);
    });
    const outputs = await this.#session.run({
      word_vectors: new Tensor("float32", this.#words.of(ids), [1, length, WIDTH]),
      token_types: new Tensor("int64", types, [1, length]),
      pool: new Tensor("float32", pool, [1, count, length]),
    });
    const floats = (name: string) => outputs[name]?.data as Float32Array;
    return {
      start: floats("start"),
      end: floats("end"),
      notStated: floats("not_stated"),
      asks: floats("asks")[0] ?? 0,
    };
  }

  #ids(text: string, most: number): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids.slice(0, most);
  }

  /** The word pieces of a text, each with its place in it. */
  #piecesOf(text: string): (Span & { id: number })[] {
    const pieces: (Span & { id: number })[] = [];
    for (const match of text.matchAll(WORD)) {
      const { letters, places } = normalised(match[0]);
      if (letters === "") continue;
      const { ids, tokens } = this.#tokenizer.encode(match[0], { add_special_tokens: false });
      let at = 0;
      tokens.forEach((token, index) => {
        const isUnknown = token === "[UNK]";
        const length = isUnknown ? letters.length - at : token.replace(/^##/, "").length;
        const start = match.index + (places[at] ?? 0);
        at = Math.min(letters.length, at + length);
        const end = match.index + (places[at] ?? match[0].length);
        pieces.push({ id: ids[index] ?? 0, start, end });
      });
    }
    return pieces;
  }
}

/** As BERT's tokenizer splits: a sign alone, a Chinese character alone, else letters and digits together. */
const WORD =
  /[\p{P}$+<=>^`|~]|[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]|[^\s\p{P}$+<=>^`|~\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]+/gu;

/** The lower-case letters without accents, and where in the word each is; the last place is the word's end. */
function normalised(word: string): { letters: string; places: number[] } {
  let letters = "";
  const places: number[] = [];
  let at = 0;
  for (const character of word) {
    const plain = character
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
    places.push(...Array.from({ length: plain.length }, () => at));
    letters += plain;
    at += character.length;
  }
  places.push(at);
  return { letters, places };
}

/** The rows of the embedding model's table, which its ONNX file holds as bytes with a scale for each row. */
class WordVectors {
  readonly #bytes: Int8Array;
  readonly #scales: Float32Array;

  constructor(model: Buffer) {
    const words = rawData(model, "words");
    this.#bytes = new Int8Array(words);
    this.#scales = new Float32Array(new Uint8Array(rawData(model, "word_scales")).buffer);
  }

  of(ids: readonly number[]): Float32Array {
    const vectors = new Float32Array(ids.length * WIDTH);
    ids.forEach((id, row) => {
      const scale = this.#scales[id] ?? 0;
      for (let index = 0; index < WIDTH; index++) {
        vectors[row * WIDTH + index] = (this.#bytes[id * WIDTH + index] ?? 0) * scale;
      }
    });
    return vectors;
  }
}

/** The content of a constant of an ONNX file of ours: field 8 is its name, field 9 its bytes. */
function rawData(model: Buffer, name: string): Buffer {
  const marker = Buffer.concat([Buffer.of(0x42, name.length), Buffer.from(name), Buffer.of(0x4a)]);
  let at = model.indexOf(marker) + marker.length;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = model[at++] ?? 0;
    length += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  return model.subarray(at, at + length);
}

export function targetText({ name, description }: Described): string {
  return description === "" ? spaced(name) : `${spaced(name)}: ${description}`;
}

export function parameterText(parameter: Parameter): string {
  const text = targetText(parameter);
  const kind = kindText(parameter);
  return kind === undefined ? text : `${text} (${kind})`;
}

const TYPES: Readonly<Record<string, string>> = {
  int: "number",
  integer: "number",
  float: "number",
  number: "number",
  bool: "yes or no",
  boolean: "yes or no",
  list: "list",
  array: "list",
};

function kindText({ type, enum: choices, format }: Parameter): string | undefined {
  if (choices !== undefined && choices.length > 0) return choices.slice(0, 8).join(", ");
  if (format !== undefined && format !== "") {
    if (format.includes("HH")) return "time";
    return format.includes("YY") ? "date" : undefined;
  }
  return TYPES[type.toLowerCase()];
}

/** A configured name as words: `startDate` and `start_date` are both "start date". */
function spaced(name: string): string {
  return name
    .split(/[_\-.\s]+/)
    .filter((piece) => piece !== "")
    .map((piece) => piece.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 "))
    .join(" ")
    .toLowerCase();
}

function best(
  start: Float32Array,
  end: Float32Array,
  notStated: Float32Array,
  first: number,
  said: readonly Span[],
): Candidate[] {
  const from = probabilities(start, notStated[0] ?? 0, first, said.length);
  const to = probabilities(end, notStated[1] ?? 0, first, said.length);
  const found: Candidate[] = [];
  for (let i = 0; i < said.length; i++) {
    for (let j = i; j < Math.min(said.length, i + MAX_SPAN); j++) {
      const odds = (from[i + 1] ?? 0) + (to[j + 1] ?? 0) - (from[0] ?? 0) - (to[0] ?? 0);
      if (found.length === CANDIDATES && odds <= (found.at(-1)?.odds ?? 0)) continue;
      found.push({ start: said[i]?.start ?? 0, end: said[j]?.end ?? 0, odds });
      found.sort((one, other) => other.odds - one.odds);
      found.length = Math.min(found.length, CANDIDATES);
    }
  }
  return found;
}

/** The logarithms of the probabilities of "not stated" and of each token of the prompt. */
function probabilities(
  scores: Float32Array,
  extra: number,
  first: number,
  count: number,
): number[] {
  const own = [(scores[0] ?? 0) + extra, ...scores.subarray(first, first + count)];
  const highest = Math.max(...own);
  const sum =
    Math.log(own.reduce((total, score) => total + Math.exp(score - highest), 0)) + highest;
  return own.map((score) => score - sum);
}

/** One span for each parameter, or undefined: the surest first, and no word for two parameters. */
export function settled(
  candidates: readonly Candidate[][],
  margin: number,
): (Candidate | undefined)[] {
  const result = candidates.map((): Candidate | undefined => undefined);
  const taken: Span[] = [];
  const all = candidates.flatMap((own, index) => own.map((candidate) => ({ candidate, index })));
  all.sort((one, other) => other.candidate.odds - one.candidate.odds);
  for (const { candidate, index } of all) {
    if (candidate.odds <= margin || result[index] !== undefined) continue;
    if (taken.some((span) => candidate.start < span.end && span.start < candidate.end)) continue;
    result[index] = candidate;
    taken.push(candidate);
  }
  return result;
}
