// The parts of a BERT encoder as ONNX nodes: dynamic int8 linear layers, attention, layer norms; of all-MiniLM-L6-v2's measures.
import { FLOAT, INT64, INT8, type Node, type Tensor } from "./onnx.ts";
import type { FloatTensor } from "./safetensors.ts";

export const LAYERS = 6;
const HEADS = 12;
const HEAD_WIDTH = 32;
export const WIDTH = HEADS * HEAD_WIDTH;
/** 7 bits of a weight: where a CPU has no VNNI, two products of u8 and s8 are added in 16 bits, and 8 bits would saturate. */
const MAX_WEIGHT = 63;
const MAX_EMBEDDING = 127;

/** One layer's names in the weights. `attention` has one name, or three: query, key, value. */
export interface LayerNames {
  attention: readonly string[];
  attended: string;
  attendedNorm: string;
  wide: string;
  narrow: string;
  norm: string;
}

/** Collects nodes and constants. Each method returns the name of its output. */
export class BertGraph {
  readonly nodes: Node[] = [];
  readonly constants: Tensor[] = [];
  readonly #tensor: (name: string) => FloatTensor;

  constructor(tensor: (name: string) => FloatTensor) {
    this.#tensor = tensor;
  }

  floats(name: string, values: Float32Array, shape: readonly number[]): string {
    this.constants.push({ name, type: FLOAT, shape, data: values });
    return name;
  }

  integers(name: string, ...values: number[]): string {
    const data = BigInt64Array.from(values, BigInt);
    this.constants.push({ name, type: INT64, shape: [values.length], data });
    return name;
  }

  node(operator: string, inputs: string[], output: string, attributes: Node["attributes"] = {}) {
    this.nodes.push({ operator, inputs, outputs: [output], attributes });
    return output;
  }

  /** The constants that every layer shares. */
  addSharedConstants(): void {
    this.constants.push({ name: "no_offset", type: INT8, shape: [], data: new Int8Array(1) });
    this.integers("split_heads", 0, 0, HEADS, HEAD_WIDTH);
    this.integers("join_heads", 0, 0, WIDTH);
    this.integers("zero", 0);
  }

  /** A table of embeddings as bytes with a scale for each row, and the rows at `ids`. */
  lookUp(table: string, values: Float32Array, ids: string, names: LookUpNames): string {
    const rows = quantiseRows(values, WIDTH);
    const count = rows.scales.length;
    this.constants.push({ name: table, type: INT8, shape: [count, WIDTH], data: rows.bytes });
    this.floats(names.scales, rows.scales, [count, 1]);
    return this.rowsOf(table, ids, names);
  }

  rowsOf(table: string, ids: string, names: LookUpNames): string {
    this.node("Gather", [table, ids], names.bytes);
    this.node("Cast", [names.bytes], names.floats, { to: FLOAT });
    this.node("Gather", [names.scales, ids], names.ownScales);
    return this.node("Mul", [names.floats, names.ownScales], names.vectors);
  }

  normalise(input: string, from: string, output: string): string {
    const scale = this.floats(`${output}/scale`, this.#tensor(`${from}.weight`).values, [WIDTH]);
    const bias = this.floats(`${output}/bias`, this.#tensor(`${from}.bias`).values, [WIDTH]);
    const attributes = { axis: -1, epsilon: { float: 1e-12 } };
    return this.node("LayerNormalization", [input, scale, bias], output, attributes);
  }

  /** One or more linear layers side by side. `factors` multiply the outputs of each. */
  linear(
    input: string,
    from: readonly string[],
    output: string,
    { factors = [1], hasBias = true }: { factors?: readonly number[]; hasBias?: boolean } = {},
  ): string {
    const layers = from.map((name) => {
      const weight = this.#tensor(`${name}.weight`);
      const bias = hasBias
        ? this.#tensor(`${name}.bias`).values
        : new Float32Array(weight.shape[0] ?? 0);
      return { ...weight, bias };
    });
    const { weights, scales, biases, rows, columns } = sideBySide(layers, factors);
    const shape = [rows, columns];
    this.constants.push({ name: `${output}/weight`, type: INT8, shape, data: weights });
    this.floats(`${output}/weight_scale`, scales, [columns]);
    this.floats(`${output}/bias`, biases, [columns]);
    const [bytes, scale, zero] = ["bytes", "scale", "zero"].map((part) => `${output}/${part}`);
    this.nodes.push({
      operator: "DynamicQuantizeLinear",
      inputs: [input],
      outputs: [bytes ?? "", scale ?? "", zero ?? ""],
    });
    this.node(
      "MatMulInteger",
      [bytes ?? "", `${output}/weight`, zero ?? "", "no_offset"],
      `${output}/sums`,
    );
    this.node("Cast", [`${output}/sums`], `${output}/float`, { to: FLOAT });
    this.node("Mul", [scale ?? "", `${output}/weight_scale`], `${output}/both_scales`);
    this.node("Mul", [`${output}/float`, `${output}/both_scales`], `${output}/product`);
    return this.node("Add", [`${output}/product`, `${output}/bias`], output);
  }

  /** Self-attention and the two linear layers after it; the outputs are named below `prefix`. */
  layer(state: string, names: LayerNames, prefix: string): string {
    const to = (name: string) => `${prefix}/${name}`;
    this.linear(state, names.attention, to("attention"), {
      factors: [1 / Math.sqrt(HEAD_WIDTH), 1, 1],
    });
    const parts = ["query", "key", "value"].map(to);
    this.nodes.push({
      operator: "Split",
      inputs: [to("attention")],
      outputs: parts,
      attributes: { axis: 2, num_outputs: 3 },
    });
    for (const part of ["query", "key", "value"]) {
      this.node("Reshape", [to(part), "split_heads"], to(`${part}/heads`));
      this.node("Transpose", [to(`${part}/heads`)], to(`${part}/turned`), {
        perm: part === "key" ? [0, 2, 3, 1] : [0, 2, 1, 3],
      });
    }
    this.node("MatMul", [to("query/turned"), to("key/turned")], to("similarity"));
    this.node("Softmax", [to("similarity")], to("shares"), { axis: -1 });
    this.node("MatMul", [to("shares"), to("value/turned")], to("mixed"));
    this.node("Transpose", [to("mixed")], to("mixed/turned"), { perm: [0, 2, 1, 3] });
    this.node("Reshape", [to("mixed/turned"), "join_heads"], to("joined"));
    this.linear(to("joined"), [names.attended], to("attended"));
    this.node("Add", [to("attended"), state], to("attended/sum"));
    const attended = this.normalise(to("attended/sum"), names.attendedNorm, to("attended/norm"));
    this.linear(attended, [names.wide], to("wide"));
    this.node("Gelu", [to("wide")], to("wide/gelu"));
    this.linear(to("wide/gelu"), [names.narrow], to("narrow"));
    this.node("Add", [to("narrow"), attended], to("narrow/sum"));
    return this.normalise(to("narrow/sum"), names.norm, to("norm"));
  }
}

export interface LookUpNames {
  scales: string;
  bytes: string;
  floats: string;
  ownScales: string;
  vectors: string;
}

/** Weights as they are stored, [out, in], each with its bias → one int8 matrix [in, out …] with a scale per column. */
function sideBySide(
  layers: readonly { shape: readonly number[]; values: Float32Array; bias: Float32Array }[],
  factors: readonly number[],
) {
  const rows = layers[0]?.shape[1] ?? 0;
  const columns = layers.reduce((sum, { bias }) => sum + bias.length, 0);
  // One matrix of several layers has as many factors as layers: each is for an equal part of the columns.
  const share = columns / factors.length;
  const weights = new Int8Array(rows * columns);
  const scales = new Float32Array(columns);
  const biases = new Float32Array(columns);
  let column = 0;
  for (const { values, bias } of layers) {
    for (let out = 0; out < bias.length; out++, column++) {
      const factor = factors[Math.floor(column / share)] ?? 1;
      const own = values.subarray(out * rows, (out + 1) * rows);
      const scale = largest(own) / MAX_WEIGHT;
      for (let row = 0; row < rows; row++) {
        weights[row * columns + column] = Math.round((own[row] ?? 0) / scale);
      }
      scales[column] = scale * factor;
      biases[column] = (bias[out] ?? 0) * factor;
    }
  }
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
