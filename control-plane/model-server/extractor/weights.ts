// The trained weights of the extractor, and whether they are the ones that this code was measured with.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../start-error.ts";

/** The int8 ONNX file beside this module. Its training and licence: scripts/extractor/README.md, NOTICE. */
export const WEIGHTS = {
  name: "extractor.onnx",
  bytes: 11_434_486,
  sha256: "748977ee3cd4242c63f758fab73c7aeae335c886c10d66a76d3baff03f311b65",
};

/** Returns the int8 ONNX model. Throws if the file is missing or has another content. */
export function readWeights(folder = import.meta.dirname): Buffer {
  const file = join(folder, WEIGHTS.name);
  let weights: Buffer;
  try {
    weights = readFileSync(file);
  } catch (error) {
    throw new StartError(`Cannot read the extractor's weights: ${String(error)}`, HINT);
  }
  const digest = createHash("sha256").update(weights).digest("hex");
  if (digest === WEIGHTS.sha256) return weights;
  throw new StartError(`${file} has the SHA-256 ${digest} instead of ${WEIGHTS.sha256}.`, HINT);
}

const HINT = { hint: "Install the gateway again, or restore the file from git." };
