// An embedding model at an address that implements OpenAI's /embeddings.
import { z } from "zod";
import type { Environment } from "./options.ts";
import type { Embedder, Embedding } from "./embedder.ts";
import type { EmbeddingBackend } from "./options.ts";
import { postJson } from "./post-json.ts";
import { ServerError } from "./server-error.ts";
import { unitVector } from "./vector.ts";

const answer = z.object({
  data: z.array(
    z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(16384) }),
  ),
  usage: z.object({ prompt_tokens: z.number() }).optional(),
});
/** The gateway waits 5 s for a response of this server. */
const TIMEOUT_MS = 4000;
/** Texts of one request: all known servers accept this many. */
const BATCH = 32;
/** Models accept 512 tokens and more, and reject longer texts; the embedded one reads as much. Characters. */
const MAX_TEXT = 1200;

export function remoteEmbedder(
  { base_url, model, access_key_variable }: Extract<EmbeddingBackend, { kind: "openai" }>,
  environment: Environment,
): Embedder {
  const url = `${base_url.replace(/\/+$/, "")}/embeddings`;
  const key = access_key_variable === undefined ? undefined : environment[access_key_variable];
  let width: number | undefined;

  async function embedBatch(texts: readonly string[]): Promise<Embedding[]> {
    const body = { model, input: texts, encoding_format: "float" };
    const parsed = answer.safeParse(await postJson({ url, body, key, timeoutMs: TIMEOUT_MS }));
    if (!parsed.success) throw refused(url, "something that is no list of embeddings");
    const { data, usage } = parsed.data;
    return texts.map((_, index) => {
      const embedding = data.find((one) => one.index === index)?.embedding;
      if (embedding === undefined) throw refused(url, "too few embeddings");
      width ??= embedding.length;
      // A different model responds now: its vectors cannot be compared with the known ones.
      if (embedding.length !== width) {
        throw refused(url, `${String(embedding.length)} numbers a text, not ${String(width)}`);
      }
      const tokens = Math.round((usage?.prompt_tokens ?? 0) / texts.length);
      return { vector: unitVector(embedding), tokens };
    });
  }

  return {
    model,
    embed: async (texts) => {
      const cut = texts.map((text) => text.slice(0, MAX_TEXT).toWellFormed());
      // OpenAI rejects an empty text, and no text is similar to it.
      const sent = cut.filter((text) => text.trim() !== "");
      const found: Embedding[] = [];
      for (let start = 0; start < sent.length; start += BATCH) {
        found.push(...(await embedBatch(sent.slice(start, start + BATCH))));
      }
      const nothing = { vector: new Float32Array(width ?? 1), tokens: 0 };
      return cut.map((text) => (text.trim() === "" ? nothing : (found.shift() ?? nothing)));
    },
    close: () => Promise.resolve(),
  };
}

function refused(url: string, what: string): ServerError {
  return new ServerError(502, `${new URL(url).origin} answered with ${what}.`);
}
