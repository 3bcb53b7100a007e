// The trained weights of the extractor: where they are, and whether they are the ones that this code was measured with.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Not in git until the training is finished (docs/decisions/2026-11-22-extractor-data.md). */
const WEIGHTS = join(import.meta.dirname, "../../../build/extractor/extractor.onnx");
const WEIGHTS_SHA256 = "8ef0811a4829654cbed96f33fde5b81f205d9d70f5e8d99d9aa39459aa06484b";

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
