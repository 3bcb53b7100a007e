// Reads a safetensors file: named tensors of 32-bit floats.
// @see https://github.com/huggingface/safetensors#format
import { readFileSync } from "node:fs";
import { GatewayError } from "../../report/gateway-error.ts";

export interface FloatTensor {
  shape: readonly number[];
  values: Float32Array;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** A function that gives the tensor of a name. It throws a GatewayError when the file has no such floats. */
export function readSafetensors(file: string): (name: string) => FloatTensor {
  const bytes = readFileSync(file);
  const headerEnd = 8 + Number(bytes.readBigUInt64LE(0));
  const entries = JSON.parse(bytes.toString("utf8", 8, headerEnd)) as Record<string, Entry>;
  return (name) => {
    const entry = entries[name];
    if (entry?.dtype !== "F32") {
      throw new GatewayError(`The model has no floats called ${name}.`);
    }
    const [start, end] = entry.data_offsets;
    // A copy, because the floats need not stand at a multiple of four.
    const copy = new Uint8Array(bytes.subarray(headerEnd + start, headerEnd + end));
    return { shape: entry.shape, values: new Float32Array(copy.buffer) };
  };
}
