// ONNX Runtime, which runs the models: a dependency of a checkout and of the image. The npm package has it downloaded with
// the embedded model, because it has 290 MB for all platforms and its installation script would download CUDA.
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import type * as OnnxRuntime from "onnxruntime-node";
import type { Environment } from "./options.ts";
import { StartError } from "./start-error.ts";

export const ONNX_RUNTIME_VERSION = "1.30.0";
const PACKAGE = "onnxruntime-node";

/** Returns the directory into which ONNX Runtime is downloaded: it has a `node_modules`. */
export function onnxRuntimeDirectory(environment: Environment): string {
  const home = environment["HOME"] ?? homedir();
  const cache = environment["XDG_CACHE_HOME"] || join(home, ".cache");
  const name = `onnxruntime-${ONNX_RUNTIME_VERSION}-${process.platform}-${process.arch}`;
  return join(cache, "gateway", name);
}

/** Returns the file of the runtime's main module, installed or downloaded; undefined if there is none. */
export function findOnnxRuntime(environment: Environment): string | undefined {
  const places = [import.meta.url, join(onnxRuntimeDirectory(environment), "main.js")];
  for (const place of places) {
    try {
      return createRequire(place).resolve(PACKAGE);
    } catch {
      continue;
    }
  }
  return undefined;
}

let loaded: typeof OnnxRuntime | undefined;

/** Returns ONNX Runtime. Throws a StartError if it is missing or cannot be loaded on this machine. */
export function onnxRuntime(): typeof OnnxRuntime {
  if (loaded !== undefined) return loaded;
  const file = findOnnxRuntime(process.env);
  if (file === undefined) {
    throw new StartError("ONNX Runtime, which runs the embedded model, is not installed.", {
      hint: "Run 'gateway fetch' to download it.",
    });
  }
  loaded = createRequire(file)(file) as typeof OnnxRuntime;
  return loaded;
}
