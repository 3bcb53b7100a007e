// By how much a request is too long: as the log has it, and as the catalogue lets expect it.
import { expect, it } from "vitest";
import {
  contextUse,
  overflowsOf,
  overflowText,
} from "../../../../control-plane/explain/context-window.ts";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { modelFacts } from "../../../../model/facts/model-facts.ts";

const RECORD = { id: "i", listener: "egress" };
const TOO_LONG = "context_length_exceeded";

it("an overflow is each attempt that was too long, the last one too", () => {
  const attempts = [
    { target: "a/one", status: 400, error: TOO_LONG, context_tokens: 9, context_limit: 8, ms: 1 },
    { target: "b/two", status: 500, error: "server_error", ms: 1 },
  ];
  const last = { target: "c/three", code: TOO_LONG, context_limit: 7 };
  expect(overflowsOf({ ...RECORD, attempts, ...last })).toEqual([
    { target: "a/one", tokens: 9, limit: 8 },
    { target: "c/three", tokens: undefined, limit: 7 },
  ]);
  expect(overflowsOf({ ...RECORD, attempts, target: "c/three", input: 4 })).toHaveLength(1);
  expect(overflowsOf({ ...RECORD, target: "c/three", error: "invalid_api_key" })).toEqual([]);
});

it.each([
  [
    { tokens: 212_000, limit: 200_000 },
    "212,000 tokens, 12,000 more than its context window of 200,000",
  ],
  [{ tokens: 190_000, limit: 200_000 }, "190,000 tokens, more than its context window of 200,000"],
  [{ tokens: 212_000 }, "212,000 tokens, more than its context window"],
  [{ limit: 200_000 }, "more tokens than its context window of 200,000"],
  [{}, "more tokens than its context window"],
])("an overflow of %j is %s", (overflow, text) => {
  expect(overflowText(overflow)).toBe(text);
});

it("the use of a context window counts texts, and no images and files", () => {
  const file = "gateway.yaml";
  const text = "llm_providers: [{model: openai/gpt-4, access_key: $KEY}]\n";
  const loaded = loadConfiguration({ file, text }, { KEY: "k".repeat(30) });
  const target = loaded.ok ? loaded.model.targets[0] : undefined;
  if (target === undefined) throw new Error("the configuration is invalid");
  const window = modelFacts("openai", "gpt-4")?.contextWindow;
  expect(window).toBeGreaterThan(1000);
  const image = {
    type: "image_url",
    image_url: { url: `data:image/png;base64,${"A".repeat(90_000)}` },
  };
  const body = JSON.stringify({ messages: [{ content: [{ text: "x".repeat(4000) }, image] }] });
  const use = contextUse(target, "gpt-4", body);
  expect(use).toMatchObject({ window });
  expect(use?.tokens).toBeGreaterThan(1000);
  expect(use?.tokens).toBeLessThan(1100);
  expect(contextUse(target, "no-such-model", body)).toBeUndefined();
  expect(contextUse(target, "gpt-4", "not JSON")?.tokens).toBe(2);
});
