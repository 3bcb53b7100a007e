// An ONNX embedding model on this machine.
import type { Embedder } from "./embedder.ts";
import { embedText, openOnnxModel } from "./onnx-model.ts";
import type { RunQueue } from "./run-queue.ts";

/** Loads `model.onnx` and `tokenizer.json` of the directory. Rejects with a StartError if it cannot. */
export async function localEmbedder(
  directory: string,
  model: string,
  queue: RunQueue,
): Promise<Embedder> {
  const loaded = await openOnnxModel(directory, async (opened) => {
    // The first run allocates memory, so that no user's prompt has to wait for it.
    await embedText(opened, "ready");
    return opened;
  });
  return {
    model,
    embed: (texts) => queue.runAll(texts, (text) => embedText(loaded, text)),
    close: async () => {
      await queue.idle();
      await loaded.session.release();
    },
  };
}
