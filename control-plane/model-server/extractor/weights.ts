// The trained weights of the extractor: where they are, and whether they are the ones that this code was measured with.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Not in git until the training is finished (docs/decisions/2026-11-22-extractor-data.md). */
const WEIGHTS = join(import.meta.dirname, "../../../build/extractor/extractor.onnx");
const WEIGHTS_SHA256 = "748977ee3cd4242c63f758fab73c7aeae335c886c10d66a76d3baff03f311b65";

/** Returns the int8 ONNX model, or undefined if the file is missing. Throws if its content is another one. */
export function readWeights(): Buffer | undefined {
  let weights: Buffer;
  try {
    weights = readFileSync(WEIGHTS);
  } catch {
    return undefined;
  }
  const digest = createHash("sha256").update(weights).digest("hex");
  if (digest !== WEIGHTS_SHA256) {
    throw new Error(`The extractor ${WEIGHTS} has the SHA-256 ${digest}, not ${WEIGHTS_SHA256}.`);
  }
  return weights;
}
