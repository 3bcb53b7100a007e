// Models in ONNX: one thread and one text per run, because int8 results depend on the rest of a batch.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { onnxRuntime } from "./onnx-runtime.ts";
import { StartError } from "./start-error.ts";
import { unitVector } from "./vector.ts";

/** Node's rules cannot resolve the package's own types: their imports have no extensions. */
export interface WordTokenizer {
  encode: (
    text: string,
    options?: { text_pair?: string; return_token_type_ids?: boolean; add_special_tokens?: boolean },
  ) => { ids: number[]; tokens: string[]; token_type_ids?: number[] };
  token_to_id: (token: string) => number | undefined;
}
const WordTokenizer = Tokenizer as unknown as new (
  tokenizer: object,
  configuration: object,
) => WordTokenizer;

/** The maximum with which all-MiniLM-L6-v2 was trained; more tokens do not improve the vector and cost time. */
const MAX_TOKENS = 256;
/** Texts with MAX_TOKENS tokens are shorter, except for unusual ones, whose rest can be ignored. Characters. */
const MAX_TEXT = 4000;
/** For a pair: the second text is a label or a sentence about a label. Characters. */
const MAX_SECOND = 400;

export interface OnnxModel {
  tokenizer: WordTokenizer;
  session: InferenceSession;
  separator: number | undefined;
}

/** Loads a directory and passes the model to `start`, which reads further files. Rejects with a StartError. */
export async function openOnnxModel<Opened>(
  directory: string,
  start: (model: OnnxModel) => Promise<Opened>,
  files: readonly string[] = ["model.onnx", "tokenizer.json"],
): Promise<Opened> {
  for (const name of files) {
    if (existsSync(join(directory, name))) continue;
    throw new StartError(`The model directory ${directory} has no ${name}.`, {
      hint: `Name a directory with ${files.slice(0, -1).join(", ")} and ${files.at(-1) ?? ""}.`,
    });
  }
  let model: OnnxModel | undefined;
  try {
    model = await loadOnnxModel(directory);
    return await start(model);
  } catch (error) {
    await model?.session.release();
    if (error instanceof StartError) throw error;
    throw new StartError(`The model in ${directory} cannot be loaded: ${String(error)}`);
  }
}

/** Options of every session: more threads are slower, because Envoy needs the processors too. */
export const ONE_THREAD: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel: "all",
  enableCpuMemArena: false,
};

/** Loads `model.onnx` and `tokenizer.json`. Rejects if they are invalid. */
export async function loadOnnxModel(directory: string): Promise<OnnxModel> {
  const tokenizer = openTokenizer(directory);
  const session = await onnxRuntime().InferenceSession.create(
    join(directory, "model.onnx"),
    ONE_THREAD,
  );
  const separator = tokenizer.token_to_id("[SEP]") ?? tokenizer.token_to_id("</s>");
  return { tokenizer, session, separator };
}

/** The tokenizers in use: the embedded model and the extractor share theirs, which has 30,000 words. */
const tokenizers = new Map<string, WeakRef<WordTokenizer>>();

/** Returns the tokenizer of a model's directory. Throws if it is invalid. */
export function openTokenizer(directory: string): WordTokenizer {
  const file = join(directory, "tokenizer.json");
  const known = tokenizers.get(file)?.deref();
  if (known !== undefined) return known;
  const tokenizer = new WordTokenizer(JSON.parse(readFileSync(file, "utf8")) as object, {});
  tokenizers.set(file, new WeakRef(tokenizer));
  return tokenizer;
}

/** Returns the model's input ids: at most 256, the end token kept. */
export function tokenIds({ tokenizer, separator }: OnnxModel, text: string): number[] {
  const { ids } = tokenizer.encode(readable(text));
  if (ids.length <= MAX_TOKENS) return ids;
  const cut = ids.slice(0, MAX_TOKENS);
  if (separator !== undefined) cut[MAX_TOKENS - 1] = separator;
  return cut;
}

/**
 * Returns the ids of a text and a short second one, and to which of the two each belongs: the text is cut, never the
 * second one.
 */
export function pairIds(
  { tokenizer }: OnnxModel,
  text: string,
  second: string,
): { ids: number[]; types: number[] } {
  let kept = readable(text);
  for (;;) {
    const encoding = tokenizer.encode(kept, {
      text_pair: second.slice(0, MAX_SECOND).toWellFormed(),
      return_token_type_ids: true,
    });
    const { ids, token_type_ids: types } = encoding;
    if (ids.length <= MAX_TOKENS || kept === "") {
      return { ids, types: types ?? ids.map(() => 0) };
    }
    kept = kept.slice(0, kept.length / 2).toWellFormed();
  }
}

function readable(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}

/** Returns the text's unit vector. The run blocks the thread: 1 ms for a short sentence, 20 ms for the longest. */
export async function embedText(
  model: OnnxModel,
  text: string,
): Promise<{ vector: Float32Array; tokens: number }> {
  const ids = tokenIds(model, text);
  const { data, dims } = await runModel(model, ids, "sentence_embedding");
  return { vector: unitVector(pool(data, dims)), tokens: ids.length };
}

/** Returns the floats of the named output, else of the first one. */
export async function runModel(
  { session }: OnnxModel,
  ids: readonly number[],
  output: string,
  types: readonly number[] = ids.map(() => 0),
): Promise<{ data: Float32Array; dims: readonly number[] }> {
  const { Tensor } = onnxRuntime();
  const tensor = (values: readonly number[]) =>
    new Tensor("int64", BigInt64Array.from(values, BigInt), [1, ids.length]);
  const feeds: Record<string, Tensor> = {};
  for (const name of session.inputNames) {
    if (name === "attention_mask") feeds[name] = tensor(ids.map(() => 1));
    else if (name === "token_type_ids") feeds[name] = tensor(types);
    else feeds[name] = tensor(ids);
  }
  const outputs = await session.run(feeds);
  const found = outputs[output] ?? Object.values(outputs)[0];
  if (!(found?.data instanceof Float32Array)) throw new Error("the model gives no floats");
  return { data: found.data, dims: found.dims };
}

/** Pools [1, length, width] to the mean of its words; [1, width] is already pooled. */
function pool(data: Float32Array, dimensions: readonly number[]): Float32Array {
  if (dimensions.length < 3) return Float32Array.from(data);
  const width = dimensions.at(-1) ?? 0;
  const sum = new Float32Array(width);
  data.forEach((value, index) => {
    sum[index % width] = (sum[index % width] ?? 0) + value;
  });
  return sum;
}
