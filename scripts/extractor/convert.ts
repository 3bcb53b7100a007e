// Converts the trained extractor (safetensors, see export.py) to int8 ONNX: convert.ts WEIGHTS.safetensors EXTRACTOR.onnx
import { writeFileSync } from "node:fs";
import { BertGraph, LAYERS, WIDTH } from "../../control-plane/download/model/bert.ts";
import { FLOAT, INT64, writeOnnx } from "../../control-plane/download/model/onnx.ts";
import { readSafetensors } from "../../control-plane/download/model/safetensors.ts";

/** The longest text, in tokens: the positions after it are left out. */
const MAX_TOKENS = 320;
/** Width of the projections of start and end. */
const PROJECTION = 192;

/**
 * The bytes of the ONNX model: opset 20, dynamic int8. Inputs: `word_vectors` [1, length, 384], which are rows of the embedding model's table,
 * `token_types` [1, length], and `pool` [1, parameters, length], which averages the tokens of each parameter. Outputs: `start` and `end`
 * [1, parameters, length], `not_stated` [2], which is added to the first token's start and end, and `asks` [1, 1].
 */
export function convertExtractor(safetensorsFile: string): Buffer {
  const tensor = readSafetensors(safetensorsFile);
  const graph = new BertGraph(tensor);
  graph.addSharedConstants();
  const positions = tensor("positions.weight").values.subarray(0, MAX_TOKENS * WIDTH);
  graph.floats("kinds", tensor("kinds.weight").values, [2, WIDTH]);
  graph.integers("one", 1);
  graph.constants.push({ name: "first", type: INT64, shape: [], data: BigInt64Array.of(0n) });
  graph.constants.push({ name: "step", type: INT64, shape: [], data: BigInt64Array.of(1n) });
  graph.constants.push({ name: "no_axis", type: INT64, shape: [1], data: BigInt64Array.of(0n) });
  graph.node("Shape", ["token_types"], "length", { start: 1 });
  graph.node("Squeeze", ["length", "no_axis"], "count");
  graph.node("Range", ["first", "count", "step"], "places");
  graph.lookUp("positions", positions, "places", {
    scales: "position_scales",
    bytes: "position_bytes",
    floats: "position_floats",
    ownScales: "own_position_scales",
    vectors: "own_positions",
  });
  graph.node("Gather", ["kinds", "token_types"], "own_kinds");
  graph.node("Add", ["word_vectors", "own_positions"], "placed");
  graph.node("Add", ["placed", "own_kinds"], "embedded");
  let state = graph.normalise("embedded", "norm", "layer0");
  for (let layer = 0; layer < LAYERS; layer++) {
    const from = `layers.${layer}`;
    const names = {
      attention: [`${from}.attention`],
      attended: `${from}.joined`,
      attendedNorm: `${from}.first_norm`,
      wide: `${from}.wide`,
      narrow: `${from}.narrow`,
      norm: `${from}.second_norm`,
    };
    state = graph.layer(state, names, `layer${layer + 1}`);
  }

  graph.node("MatMul", ["pool", state], "query");
  const factors = [1 / Math.sqrt(PROJECTION)];
  graph.linear("query", ["queries"], "queries", { factors, hasBias: false });
  graph.linear(state, ["keys"], "keys", { hasBias: false });
  for (const side of ["queries", "keys"]) {
    const outputs = [`${side}/start`, `${side}/end`];
    graph.nodes.push({
      operator: "Split",
      inputs: [side],
      outputs,
      attributes: { axis: 2, num_outputs: 2 },
    });
  }
  for (const part of ["start", "end"]) {
    graph.node("Transpose", [`keys/${part}`], `keys/${part}/turned`, { perm: [0, 2, 1] });
    graph.node("MatMul", [`queries/${part}`, `keys/${part}/turned`], part);
  }
  graph.floats("not_stated/values", tensor("not_stated").values, [2]);
  graph.node("Identity", ["not_stated/values"], "not_stated");
  graph.node("Slice", [state, "zero", "one", "one"], "whole");
  graph.linear("whole", ["asks_hidden"], "asks/hidden");
  graph.node("Tanh", ["asks/hidden"], "asks/bent");
  graph.linear("asks/bent", ["asks"], "asks");
  const perToken = [1, "parameters", "length"];
  return writeOnnx({
    name: "extractor",
    nodes: graph.nodes,
    constants: graph.constants,
    inputs: [
      { name: "word_vectors", type: FLOAT, shape: [1, "length", WIDTH] },
      { name: "token_types", type: INT64, shape: [1, "length"] },
      { name: "pool", type: FLOAT, shape: perToken },
    ],
    outputs: [
      { name: "start", type: FLOAT, shape: perToken },
      { name: "end", type: FLOAT, shape: perToken },
      { name: "not_stated", type: FLOAT, shape: [2] },
      { name: "asks", type: FLOAT, shape: [1, 1, 1] },
    ],
  });
}

if (import.meta.main) {
  const [weights, output] = process.argv.slice(2);
  if (weights === undefined || output === undefined) {
    throw new Error("convert.ts needs the weights and the file to write.");
  }
  const bytes = convertExtractor(weights);
  writeFileSync(output, bytes);
  process.stdout.write(`${bytes.length} bytes\n`);
}
