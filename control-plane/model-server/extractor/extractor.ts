// The trained extractor: one pass over a target, its parameters and a prompt gives spans for each parameter, and whether
// the prompt asks for the target.
import { join } from "node:path";
import type { InferenceSession } from "onnxruntime-node";
import { ONE_THREAD, openTokenizer, type WordTokenizer } from "../onnx-model.ts";
import { onnxRuntime } from "../onnx-runtime.ts";
import type { Span } from "../text-span.ts";
import { bestSpans, type Candidate } from "./spans.ts";
import {
  type Described,
  type DescribedParameter,
  parameterText,
  targetText,
} from "./target-text.ts";
import { WIDTH, WordVectors } from "./word-vectors.ts";
import { piecesOf } from "./word-pieces.ts";

export interface ExtractorRequest {
  target: Described;
  parameters: readonly DescribedParameter[];
  prompt: string;
  /** Names of the parameters that a question before the prompt asked for. */
  asked: readonly string[];
}

export interface Extraction {
  /** Of each parameter, the best first. */
  candidates: Candidate[][];
  /** Log odds that the prompt asks for the target. */
  asks: number;
}

/** As in scripts/extractor/model.py, which the weights were trained with. */
const CLS = 101;
const SEP = 102;
const PARAMETER = 103;
const ASKED = 2;
const MAX_TARGET = 40;
const MAX_PARAMETER = 32;
const MAX_TOKENS = 320;
const MAX_PARAMETERS = 16;

export class Extractor {
  readonly #session: InferenceSession;
  readonly #tokenizer: WordTokenizer;
  readonly #words: WordVectors;

  private constructor(session: InferenceSession, tokenizer: WordTokenizer, words: WordVectors) {
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#words = words;
  }

  /** Opens the ONNX weights. @param embeddedModel the folder of the embedded model, whose words are used */
  static async open(weights: Uint8Array, embeddedModel: string): Promise<Extractor> {
    const words = new WordVectors(join(embeddedModel, "model.onnx"));
    const session = await onnxRuntime().InferenceSession.create(weights, ONE_THREAD);
    return new Extractor(session, openTokenizer(embeddedModel), words);
  }

  async close(): Promise<void> {
    this.#words.close();
    await this.#session.release();
  }

  /** Reads the start of the prompt, about 200 words. Parameters after the 16th have no candidates. */
  async run({ target, parameters, prompt, asked }: ExtractorRequest): Promise<Extraction> {
    const ids = [CLS, ...this.#ids(targetText(target), MAX_TARGET)];
    const queries: Span[] = [];
    for (const parameter of parameters.slice(0, MAX_PARAMETERS)) {
      const own = this.#ids(parameterText(parameter), MAX_PARAMETER);
      if (ids.length + own.length > MAX_TOKENS / 2) break;
      const start = ids.length;
      ids.push(asked.includes(parameter.name) ? ASKED : PARAMETER, ...own);
      queries.push({ start, end: ids.length });
    }
    ids.push(SEP);
    const first = ids.length;
    const pieces = piecesOf(this.#tokenizer, prompt, MAX_TOKENS - first - 1);
    ids.push(...pieces.map(({ id }) => id), SEP);
    const { start, end, notStated, asks } = await this.#score(ids, first, queries);
    const candidates = parameters.map((_, index) => {
      if (index >= queries.length) return [];
      const row = (of: Float32Array) => of.subarray(index * ids.length, (index + 1) * ids.length);
      return bestSpans({ start: row(start), end: row(end), notStated }, first, pieces);
    });
    return { candidates, asks };
  }

  async #score(ids: readonly number[], first: number, queries: readonly Span[]) {
    const length = ids.length;
    const types = BigInt64Array.from(ids, (_, index) => (index < first ? 0n : 1n));
    const count = Math.max(1, queries.length);
    const pool = new Float32Array(count * length);
    queries.forEach(({ start, end }, index) => {
      pool.fill(1 / (end - start), index * length + start, index * length + end);
    });
    const { Tensor } = onnxRuntime();
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
}
