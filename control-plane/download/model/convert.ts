// Converts all-MiniLM-L6-v2 (BERT, safetensors) to int8 ONNX: one sentence's token ids in, its unit vector out.
import { BertGraph, LAYERS, WIDTH } from "./bert.ts";
import { FLOAT, INT64, writeOnnx } from "./onnx.ts";
import { readSafetensors } from "./safetensors.ts";

/** The bytes of the ONNX model: opset 20, dynamic int8, `input_ids` [1, length] → `sentence_embedding` [1, 384]. */
export function convertModel(safetensorsFile: string): Buffer {
  const tensor = readSafetensors(safetensorsFile);
  const graph = new BertGraph(tensor);
  graph.addSharedConstants();
  const words = tensor("embeddings.word_embeddings.weight").values;
  graph.lookUp("words", words, "input_ids", {
    scales: "word_scales",
    bytes: "word_bytes",
    floats: "word_floats",
    ownScales: "own_scales",
    vectors: "word_vectors",
  });
  graph.floats(
    "positions",
    positions(tensor),
    tensor("embeddings.position_embeddings.weight").shape,
  );
  graph.node("Shape", ["input_ids"], "length", { start: 1 });
  graph.node("Slice", ["positions", "zero", "length", "zero"], "own_positions");
  graph.node("Add", ["word_vectors", "own_positions"], "embedded");
  let state = graph.normalise("embedded", "embeddings.LayerNorm", "layer0");

  for (let layer = 0; layer < LAYERS; layer++) {
    const from = `encoder.layer.${layer}`;
    const names = {
      attention: ["query", "key", "value"].map((part) => `${from}.attention.self.${part}`),
      attended: `${from}.attention.output.dense`,
      attendedNorm: `${from}.attention.output.LayerNorm`,
      wide: `${from}.intermediate.dense`,
      narrow: `${from}.output.dense`,
      norm: `${from}.output.LayerNorm`,
    };
    state = graph.layer(state, names, `layer${layer + 1}`);
  }
  graph.node("ReduceMean", [state, graph.integers("over_words", 1)], "mean", { keepdims: 0 });
  graph.node("LpNormalization", ["mean"], "sentence_embedding", { axis: -1, p: 2 });
  return writeOnnx({
    name: "all-MiniLM-L6-v2",
    nodes: graph.nodes,
    constants: graph.constants,
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
