// Sentences → unit vectors, by the model that the options name, with a cache in front of it.
import type { Environment } from "./options.ts";
import type { Embedder, Embedding } from "./embedder.ts";
import { localEmbedder } from "./embeddings-local.ts";
import { remoteEmbedder } from "./embeddings-remote.ts";
import { EMBEDDED_MODEL, requireEmbeddedModel } from "./embedded-model.ts";
import type { EmbeddingBackend } from "./options.ts";
import type { RunQueue } from "./run-queue.ts";
import { transformersEmbedder } from "./transformers.ts";

/** One user's prompt is embedded by /embeddings and asked for again by /zeroshot; labels are asked for all the time. */
const CACHED_TEXTS = 2000;
/** Longer texts are not kept: they come once. Characters. */
const MAX_CACHED_TEXT = 4000;

/** The model of the options, loaded. Rejects with a StartError when it is not there. */
export async function openEmbedder(
  backend: EmbeddingBackend,
  environment: Environment,
  queue: RunQueue,
): Promise<Embedder> {
  switch (backend.kind) {
    case "embedded":
      return cached(await localEmbedder(requireEmbeddedModel(environment), EMBEDDED_MODEL, queue));
    case "onnx":
      return cached(await localEmbedder(backend.directory, backend.directory, queue));
    case "openai":
      return cached(remoteEmbedder(backend, environment));
    case "transformers":
      return cached(await transformersEmbedder(backend.model, queue));
  }
}

/** The same embedder with the last texts' vectors kept; a text that is under way is not started twice. */
export function cached(embedder: Embedder): Embedder {
  const known = new Map<string, Promise<Embedding>>();
  const remember = (text: string, embedding: Promise<Embedding>) => {
    known.delete(text);
    known.set(text, embedding);
    const oldest = known.keys().next();
    if (known.size > CACHED_TEXTS && oldest.done !== true) known.delete(oldest.value);
  };
  return {
    ...embedder,
    embed: (texts) => {
      const found = new Map<string, Promise<Embedding>>();
      for (const text of texts) {
        const embedding = known.get(text);
        if (embedding !== undefined) found.set(text, embedding);
      }
      const open = [...new Set(texts)].filter((text) => !found.has(text));
      const started = open.length === 0 ? Promise.resolve([]) : embedder.embed(open);
      open.forEach((text, index) => {
        const embedding = started.then((all) => required(all[index]));
        // Whoever asked is told; the cache only forgets.
        embedding.catch(() => {
          if (known.get(text) === embedding) known.delete(text);
        });
        found.set(text, embedding);
      });
      for (const [text, embedding] of found) {
        if (text.length <= MAX_CACHED_TEXT) remember(text, embedding);
      }
      return Promise.all(texts.map((text) => required(found.get(text))));
    },
  };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the embedding model gave too few embeddings");
  return value;
}
