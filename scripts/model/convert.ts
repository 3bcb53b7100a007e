// Converts all-MiniLM-L6-v2 (BERT, safetensors) to int8 ONNX: one sentence's token ids in, its unit vector out.
import { FLOAT, INT64, INT8, type Node, type Tensor, writeOnnx } from "./onnx.ts";
import { readSafetensors } from "./safetensors.ts";

const LAYERS = 6;
const HEADS = 12;
const HEAD_WIDTH = 32;
const WIDTH = HEADS * HEAD_WIDTH;
/** 7 bits of a weight: where a CPU has no VNNI, two products of u8 and s8 are added in 16 bits, and 8 bits would saturate. */
const MAX_WEIGHT = 63;
const MAX_EMBEDDING = 127;

/** The bytes of the ONNX model: opset 20, dynamic int8, `input_ids` [1, length] → `sentence_embedding` [1, 384]. */
export function convertModel(safetensorsFile: string): Buffer {
  const tensor = readSafetensors(safetensorsFile);
  const nodes: Node[] = [];
  const constants: Tensor[] = [];

  const floats = (name: string, values: Float32Array, shape: readonly number[]) => {
    constants.push({ name, type: FLOAT, shape, data: values });
    return name;
  };
  const integers = (name: string, ...values: number[]) => {
    const data = BigInt64Array.from(values, BigInt);
    constants.push({ name, type: INT64, shape: [values.length], data });
    return name;
  };
  const node = (operator: string, inputs: string[], output: string, attributes = {}) => {
    nodes.push({ operator, inputs, outputs: [output], attributes });
    return output;
  };

  const normalise = (input: string, from: string, output: string) => {
    const scale = floats(`${output}/scale`, tensor(`${from}.weight`).values, [WIDTH]);
    const bias = floats(`${output}/bias`, tensor(`${from}.bias`).values, [WIDTH]);
    const attributes = { axis: -1, epsilon: { float: 1e-12 } };
    return node("LayerNormalization", [input, scale, bias], output, attributes);
  };

  /** One or more linear layers side by side. `factors` multiply the outputs of each. */
  const linear = (input: string, from: readonly string[], output: string, factors = [1]) => {
    const { weights, scales, biases, rows, columns } = sideBySide(
      from.map((name) => ({ ...tensor(`${name}.weight`), bias: tensor(`${name}.bias`).values })),
      factors,
    );
    constants.push({
      name: `${output}/weight`,
      type: INT8,
      shape: [rows, columns],
      data: weights,
    });
    floats(`${output}/weight_scale`, scales, [columns]);
    floats(`${output}/bias`, biases, [columns]);
    const [bytes, scale, zero] = ["bytes", "scale", "zero"].map((part) => `${output}/${part}`);
    nodes.push({
      operator: "DynamicQuantizeLinear",
      inputs: [input],
      outputs: [bytes ?? "", scale ?? "", zero ?? ""],
    });
    node(
      "MatMulInteger",
      [bytes ?? "", `${output}/weight`, zero ?? "", "no_offset"],
      `${output}/sums`,
    );
    node("Cast", [`${output}/sums`], `${output}/float`, { to: FLOAT });
    node("Mul", [scale ?? "", `${output}/weight_scale`], `${output}/both_scales`);
    node("Mul", [`${output}/float`, `${output}/both_scales`], `${output}/product`);
    return node("Add", [`${output}/product`, `${output}/bias`], output);
  };

  constants.push({ name: "no_offset", type: INT8, shape: [], data: new Int8Array(1) });
  integers("split_heads", 0, 0, HEADS, HEAD_WIDTH);
  integers("join_heads", 0, 0, WIDTH);
  integers("zero", 0);

  const words = quantiseRows(tensor("embeddings.word_embeddings.weight").values, WIDTH);
  const vocabulary = words.scales.length;
  constants.push({ name: "words", type: INT8, shape: [vocabulary, WIDTH], data: words.bytes });
  floats("word_scales", words.scales, [vocabulary, 1]);
  floats("positions", positions(tensor), tensor("embeddings.position_embeddings.weight").shape);
  node("Gather", ["words", "input_ids"], "word_bytes");
  node("Cast", ["word_bytes"], "word_floats", { to: FLOAT });
  node("Gather", ["word_scales", "input_ids"], "own_scales");
  node("Mul", ["word_floats", "own_scales"], "word_vectors");
  node("Shape", ["input_ids"], "length", { start: 1 });
  node("Slice", ["positions", "zero", "length", "zero"], "own_positions");
  node("Add", ["word_vectors", "own_positions"], "embedded");
  let state = normalise("embedded", "embeddings.LayerNorm", "layer0");

  for (let layer = 0; layer < LAYERS; layer++) {
    const from = `encoder.layer.${layer}`;
    const to = (name: string) => `layer${layer + 1}/${name}`;
    const self = `${from}.attention.self`;
    linear(state, [`${self}.query`, `${self}.key`, `${self}.value`], to("attention"), [
      1 / Math.sqrt(HEAD_WIDTH),
      1,
      1,
    ]);
    const parts = ["query", "key", "value"].map(to);
    nodes.push({
      operator: "Split",
      inputs: [to("attention")],
      outputs: parts,
      attributes: { axis: 2, num_outputs: 3 },
    });
    for (const part of ["query", "key", "value"]) {
      node("Reshape", [to(part), "split_heads"], to(`${part}/heads`));
      node("Transpose", [to(`${part}/heads`)], to(`${part}/turned`), {
        perm: part === "key" ? [0, 2, 3, 1] : [0, 2, 1, 3],
      });
    }
    node("MatMul", [to("query/turned"), to("key/turned")], to("similarity"));
    node("Softmax", [to("similarity")], to("shares"), { axis: -1 });
    node("MatMul", [to("shares"), to("value/turned")], to("mixed"));
    node("Transpose", [to("mixed")], to("mixed/turned"), { perm: [0, 2, 1, 3] });
    node("Reshape", [to("mixed/turned"), "join_heads"], to("joined"));
    linear(to("joined"), [`${from}.attention.output.dense`], to("attended"));
    node("Add", [to("attended"), state], to("attended/sum"));
    state = normalise(
      to("attended/sum"),
      `${from}.attention.output.LayerNorm`,
      to("attended/norm"),
    );
    linear(state, [`${from}.intermediate.dense`], to("wide"));
    node("Gelu", [to("wide")], to("wide/gelu"));
    linear(to("wide/gelu"), [`${from}.output.dense`], to("narrow"));
    node("Add", [to("narrow"), state], to("narrow/sum"));
    state = normalise(to("narrow/sum"), `${from}.output.LayerNorm`, to("norm"));
  }
  node("ReduceMean", [state, integers("over_words", 1)], "mean", { keepdims: 0 });
  node("LpNormalization", ["mean"], "sentence_embedding", { axis: -1, p: 2 });
  return writeOnnx({
    name: "all-MiniLM-L6-v2",
    nodes,
    constants,
    inputs: [{ name: "input_ids", type: INT64, shape: [1, "length"] }],
    outputs: [{ name: "sentence_embedding", type: FLOAT, shape: [1, WIDTH] }],
  });
}

/** Positions and the one token type, which every word here has, added up. */
function positions(tensor: ReturnType<typeof readSafetensors>): Float32Array {
  const type = tensor("embeddings.token_type_embeddings.weight").values;
  return tensor("embeddings.position_embeddings.weight").values.map(
    (value, index) => value + (type[index % WIDTH] ?? 0),
  );
}

/** Weights as they are stored, [out, in], each with its bias → one int8 matrix [in, out …] with a scale per column. */
function sideBySide(
  layers: readonly { shape: readonly number[]; values: Float32Array; bias: Float32Array }[],
  factors: readonly number[],
) {
  const rows = layers[0]?.shape[1] ?? 0;
  const columns = layers.reduce((sum, { bias }) => sum + bias.length, 0);
  const weights = new Int8Array(rows * columns);
  const scales = new Float32Array(columns);
  const biases = new Float32Array(columns);
  let column = 0;
  layers.forEach(({ values, bias }, index) => {
    const factor = factors[index] ?? 1;
    for (let out = 0; out < bias.length; out++, column++) {
      const own = values.subarray(out * rows, (out + 1) * rows);
      const scale = largest(own) / MAX_WEIGHT;
      for (let row = 0; row < rows; row++) {
        weights[row * columns + column] = Math.round((own[row] ?? 0) / scale);
      }
      scales[column] = scale * factor;
      biases[column] = (bias[out] ?? 0) * factor;
    }
  });
  return { weights, scales, biases, rows, columns };
}

function quantiseRows(values: Float32Array, width: number) {
  const scales = new Float32Array(values.length / width);
  const bytes = new Int8Array(values.length);
  for (let row = 0; row < scales.length; row++) {
    const own = values.subarray(row * width, (row + 1) * width);
    const scale = largest(own) / MAX_EMBEDDING;
    scales[row] = scale;
    for (let index = 0; index < width; index++) {
      bytes[row * width + index] = Math.round((own[index] ?? 0) / scale);
    }
  }
  return { bytes, scales };
}

/** The largest magnitude, and never zero, by which one could not divide. */
function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
}
