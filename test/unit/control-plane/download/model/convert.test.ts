// The converter gives the same bytes as ever: whoever changes it changes the pinned checksums, and looks at the reference vectors again.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import {
  MODEL_SHA256,
  requireEmbeddedModel,
  TOKENIZER_SHA256,
} from "../../../../../control-plane/model-server/embedded-model.ts";
import { convertModel } from "../../../../../control-plane/download/model/convert.ts";

const WIDTH = 384;
const WIDE = 1536;
const directory = mkdtempSync(join(tmpdir(), "gateway-convert-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Names and shapes of all-MiniLM-L6-v2, with 50 words. */
function shapes(): [string, number[]][] {
  const both = (name: string, out: number, into: number): [string, number[]][] => [
    [`${name}.weight`, [out, into]],
    [`${name}.bias`, [out]],
  ];
  const norm = (name: string): [string, number[]][] => [
    [`${name}.weight`, [WIDTH]],
    [`${name}.bias`, [WIDTH]],
  ];
  return [
    ["embeddings.word_embeddings.weight", [50, WIDTH]],
    ["embeddings.position_embeddings.weight", [512, WIDTH]],
    ["embeddings.token_type_embeddings.weight", [2, WIDTH]],
    ...norm("embeddings.LayerNorm"),
    ...Array.from({ length: 6 }, (_, layer) => `encoder.layer.${layer}`).flatMap((layer) => [
      ...["query", "key", "value"].flatMap((part) =>
        both(`${layer}.attention.self.${part}`, WIDTH, WIDTH),
      ),
      ...both(`${layer}.attention.output.dense`, WIDTH, WIDTH),
      ...norm(`${layer}.attention.output.LayerNorm`),
      ...both(`${layer}.intermediate.dense`, WIDE, WIDTH),
      ...both(`${layer}.output.dense`, WIDTH, WIDE),
      ...norm(`${layer}.output.LayerNorm`),
    ]),
  ];
}

/** A safetensors file of numbers that look like chance and never change. */
function madeUpWeights(): string {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, shape] of shapes()) {
    const start = end;
    end += 4 * shape.reduce((product, length) => product * length, 1);
    header[name] = { dtype: "F32", shape, data_offsets: [start, end] };
  }
  let state = 1;
  const values = new Float32Array(end / 4).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  const file = join(directory, "model.safetensors");
  writeFileSync(file, Buffer.concat([size, text, Buffer.from(values.buffer)]));
  return file;
}

it("the conversion turns the same weights into the same model", () => {
  expect(sha256(convertModel(madeUpWeights()))).toBe(
    "36c6354b37230c77681a41c2eb8a1616d815f168ae15975b8ca0238df1d2c095",
  );
});

it("the installed model is the converted one, with its tokenizer", () => {
  const installed = requireEmbeddedModel(process.env);
  const [model, tokenizer] = ["model.onnx", "tokenizer.json"].map((name) =>
    sha256(readFileSync(join(installed, name))),
  );
  expect([model, tokenizer]).toEqual([MODEL_SHA256, TOKENIZER_SHA256]);
});
