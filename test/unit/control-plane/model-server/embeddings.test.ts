// The embedded model against the Python tokenizer and a float implementation of the same weights in numpy.
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireEmbeddedModel } from "../../../../control-plane/model-server/embedded-model.ts";
import type { Embedder, Embedding } from "../../../../control-plane/model-server/embedder.ts";
import { cached, openEmbedder } from "../../../../control-plane/model-server/embeddings.ts";
import { loadOnnxModel, tokenIds } from "../../../../control-plane/model-server/onnx-model.ts";
import { RunQueue } from "../../../../control-plane/model-server/run-queue.ts";
import { cosine } from "../../../../control-plane/model-server/vector.ts";
import { ensureEmbeddedModel } from "../../../../control-plane/download/embedded-model-download.ts";
import reference from "./reference-embeddings.json" with { type: "json" };

const NOTHING: Embedding = { vector: new Float32Array(), tokens: 0 };
let embedder: Embedder;
beforeAll(async () => {
  embedder = await openEmbedder({ kind: "embedded" }, process.env, new RunQueue());
});
afterAll(() => embedder.close());

describe("the embedded model", () => {
  it("the embedded model gives the ids of the Python tokenizer", async () => {
    const model = await loadOnnxModel(requireEmbeddedModel(process.env));
    expect(reference.map(({ text }) => tokenIds(model, text))).toEqual(
      reference.map(({ ids }) => ids),
    );
    await model.session.release();
  });

  it.each(reference)(
    "the vector of the embedded model is near the float model's: $text",
    async ({ text, embedding, ids }) => {
      const [{ vector, tokens } = NOTHING] = await embedder.embed([text]);
      expect(tokens).toBe(ids.length);
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      // An empty text, which is one token, is the farthest.
      expect(cosine(vector, Float32Array.from(embedding))).toBeGreaterThan(0.975);
    },
  );

  it("the vectors of the embedded model are as near as seven bits of a weight can be", async () => {
    // Six bits would give 0.984, eight 0.9925.
    const found = await embedder.embed(reference.map(({ text }) => text));
    const cosines = found.map(({ vector }, index) =>
      cosine(vector, Float32Array.from(reference[index]?.embedding ?? [])),
    );
    const mean = cosines.reduce((sum, one) => sum + one, 0) / cosines.length;
    expect(mean).toBeGreaterThan(0.9895);
    expect(mean).toBeLessThan(0.9915);
  });

  it("the embedded model returns the same vector whatever other requests run at the same time", async () => {
    const text = "the same sentence";
    const [first = NOTHING] = await embedder.embed([text]);
    const again = await openEmbedder({ kind: "embedded" }, process.env, new RunQueue());
    const [, [second = NOTHING]] = await Promise.all([
      again.embed(["another, longer sentence"]),
      again.embed([text]),
    ]);
    expect(second.vector).toEqual(first.vector);
    await again.close();
  });

  it.each([
    ["64 KB of words", "word ".repeat(13_000), 256],
    ["64 KB in one word", "x".repeat(65_536), 3],
    ["NUL and other control characters", "a\0b\u0001c", 4],
    ["right-to-left marks", "\u202Eweather\u202C", 3],
    ["half a surrogate pair", "a\uD800b", 4],
    ["nothing", "", 2],
  ])("the embedded model reads %s", async (_, text, tokens) => {
    const [embedding = NOTHING] = await embedder.embed([text]);
    expect(embedding.tokens).toBeLessThanOrEqual(tokens);
    expect(embedding.vector.every(Number.isFinite)).toBe(true);
  });

  it("the embedded model is missing in an empty cache, and a second set-up downloads nothing", async () => {
    expect(() => requireEmbeddedModel({ XDG_CACHE_HOME: tmpdir() })).toThrow(/not installed/);
    const lines: string[] = [];
    await ensureEmbeddedModel(process.env, {
      line: (line) => lines.push(line),
      bytes: (what) => lines.push(what),
    });
    expect(lines).toEqual([]);
  });
});

describe("cached texts", () => {
  it("cached texts run once, and again after a failure", async () => {
    const runs: string[][] = [];
    const flaky = cached({
      model: "m",
      close: () => Promise.resolve(),
      embed: (texts) => {
        runs.push([...texts]);
        return runs.length === 1
          ? Promise.reject(new Error("once"))
          : Promise.resolve(texts.map(({ length }) => ({ ...NOTHING, tokens: length })));
      },
    });
    await expect(flaky.embed(["a"])).rejects.toThrow("once");
    await Promise.all([flaky.embed(["a"]), flaky.embed(["a"])]);
    const [long, short, again] = await flaky.embed(["aaa", "a", "aaa"]);
    expect([long?.tokens, short?.tokens, again?.tokens]).toEqual([3, 1, 3]);
    expect(runs).toEqual([["a"], ["a"], ["aaa"]]);
  });
});
