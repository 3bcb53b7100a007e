// Sentences → unit vectors, by the model that the options name, with a cache in front of it.
import type { Environment } from "./options.ts";
import type { Embedder, Embedding } from "./embedder.ts";
import { localEmbedder } from "./embeddings-local.ts";
import { remoteEmbedder } from "./embeddings-remote.ts";
import { EMBEDDED_MODEL, requireEmbeddedModel } from "./embedded-model.ts";
import type { EmbeddingBackend } from "./options.ts";
import type { RunQueue } from "./run-queue.ts";
import { transformersEmbedder } from "./transformers.ts";

/** A prompt is embedded by /embeddings and requested again by /zeroshot; labels are requested with every prompt. */
const CACHED_TEXTS = 2000;
/** Longer texts are not cached: they occur only once. Characters. */
const MAX_CACHED_TEXT = 4000;

/** Opens the configured model. Rejects with a StartError if it is missing. */
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

/** Returns the same embedder with a cache of the latest vectors; a text whose run is in flight is not started twice. */
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
        // The caller gets the error; the cache only removes the entry.
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
