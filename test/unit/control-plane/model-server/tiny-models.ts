// Tiny models in ONNX, written by the converter's own writer, with the embedded model's tokenizer: bags of words that can be reckoned.
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { requireEmbeddedModel } from "../../../../control-plane/model-server/embedded-model.ts";
import {
  FLOAT,
  INT64,
  type Node,
  type Tensor,
  writeOnnx,
} from "../../../../control-plane/download/model/onnx.ts";

const VOCABULARY = 30_522;
const WIDTH = 64;

const input = (name: string) => ({ name, type: INT64, shape: [1, "length"] });
const output = (name: string, ...shape: (number | string)[]) => ({ name, type: FLOAT, shape });
const integers = (name: string, ...values: number[]): Tensor => ({
  name,
  type: INT64,
  shape: [values.length],
  data: BigInt64Array.from(values, BigInt),
});
const floats = (name: string, shape: number[], values: Float32Array | number[]): Tensor => ({
  name,
  type: FLOAT,
  shape,
  data: Float32Array.from(values),
});
const step = (operator: string, inputs: string[], result: string, attributes = {}): Node => ({
  operator,
  inputs,
  outputs: [result],
  attributes,
});

/** A vector for each word, which has nothing to do with those of other words. */
function wordVectors(): Float32Array {
  let seed = 7;
  return Float32Array.from({ length: VOCABULARY * WIDTH }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  });
}

/** Text classification: the sum of each word's own logits. `words` are by token id. */
export function bagOfWords(labels: number, words: ReadonlyMap<number, readonly number[]>): Buffer {
  const table = new Float32Array(VOCABULARY * labels);
  for (const [id, logits] of words) table.set(logits, id * labels);
  return writeOnnx({
    name: "bag of words",
    constants: [floats("words", [VOCABULARY, labels], table), integers("over_words", 1)],
    nodes: [
      step("Gather", ["words", "input_ids"], "each"),
      step("ReduceSum", ["each", "over_words"], "logits", { keepdims: 0 }),
    ],
    inputs: [input("input_ids"), input("attention_mask")],
    outputs: [output("logits", 1, labels)],
  });
}

/** Natural-language inference: how much of the second text the first one says. Contradiction, neutral, entailment. */
export function sharedWords(): Buffer {
  return writeOnnx({
    name: "shared words",
    constants: [
      floats("words", [VOCABULARY, WIDTH], wordVectors()),
      floats("sides", [1, 3], [-1, 0, 1]),
      floats("one", [1], [1]),
      floats("usual", [1], [45]),
      integers("over_words", 1),
      integers("last", -1),
    ],
    nodes: [
      step("Gather", ["words", "input_ids"], "each"),
      step("Cast", ["token_type_ids"], "types", { to: FLOAT }),
      step("Unsqueeze", ["types", "last"], "second"),
      step("Sub", ["one", "second"], "first"),
      step("Mul", ["each", "first"], "first_words"),
      step("Mul", ["each", "second"], "second_words"),
      step("ReduceSum", ["first_words", "over_words"], "first_sum", { keepdims: 0 }),
      step("ReduceSum", ["second_words", "over_words"], "second_sum", { keepdims: 0 }),
      step("Mul", ["first_sum", "second_sum"], "products"),
      step("ReduceSum", ["products", "last"], "shared", { keepdims: 1 }),
      step("Sub", ["shared", "usual"], "more_than_usual"),
      step("MatMul", ["more_than_usual", "sides"], "logits"),
    ],
    inputs: [input("input_ids"), input("attention_mask"), input("token_type_ids")],
    outputs: [output("logits", 1, 3)],
  });
}

/** Embeddings word by word, as a model of the hub gives them: the reader pools them. */
export function wordEmbeddings(): Buffer {
  return writeOnnx({
    name: "word embeddings",
    constants: [floats("words", [VOCABULARY, WIDTH], wordVectors())],
    nodes: [step("Gather", ["words", "input_ids"], "last_hidden_state")],
    inputs: [input("input_ids"), input("attention_mask"), input("token_type_ids")],
    outputs: [output("last_hidden_state", 1, "length", WIDTH)],
  });
}

/** A directory with the model, the embedded model's tokenizer and a config.json. `place` is the model's own path in it. */
export function modelDirectory(
  model: Buffer,
  configuration?: object,
  place = "model.onnx",
): string {
  const directory = mkdtempSync(join(tmpdir(), "gateway-model-"));
  mkdirSync(dirname(join(directory, place)), { recursive: true });
  writeFileSync(join(directory, place), model);
  const tokenizer = join(requireEmbeddedModel(process.env), "tokenizer.json");
  copyFileSync(tokenizer, join(directory, "tokenizer.json"));
  if (configuration !== undefined) {
    writeFileSync(join(directory, "config.json"), JSON.stringify(configuration));
  }
  return directory;
}
