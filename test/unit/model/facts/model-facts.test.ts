// What the catalogue has of models, for the names that clients and configurations use.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { catalogueSources, modelFacts } from "../../../../model/facts/model-facts.ts";

interface Sdk {
  provider: string;
  version: string;
  models: string[];
}

const SDKS = JSON.parse(
  readFileSync(new URL("../../../fixtures/sdk-models.json", import.meta.url), "utf8"),
) as Record<string, Sdk>;
const NAMES = Object.values(SDKS).flatMap(({ provider, models }) =>
  models.map((model) => [provider, model] as const),
);

it("every model in the types of the vendors' SDKs has facts, each with its source", () => {
  expect(NAMES.length).toBeGreaterThan(200);
  const missing = NAMES.filter(([provider, model]) => modelFacts(provider, model) === undefined);
  expect(missing).toEqual([]);
  for (const [provider, model] of NAMES) {
    const { sources = {}, ...facts } = modelFacts(provider, model) ?? {};
    const names = Object.keys(facts).filter((name) => name !== "provider" && name !== "model");
    expect(Object.keys(sources).sort(), model).toEqual(names.sort());
    for (const source of Object.values(sources)) expect(source, model).toMatch(/^\w.* [\w.]+$/);
  }
});

it("every language model in the types of the vendors' SDKs has a price, if a public list has one", () => {
  const unpriced = NAMES.filter(([provider, model]) => {
    const facts = modelFacts(provider, model);
    return facts?.kind === undefined && facts?.price === undefined;
  });
  expect(unpriced.map(([, model]) => model)).toEqual([
    "gpt-6.2-astra-law",
    "gemini-robotics-er-1.6-preview",
    "compound-beta",
    "compound-beta-mini",
  ]);
});

it("the catalogue names its sources, with version, date and checksum", () => {
  const sources = catalogueSources();
  expect(sources.map(({ letter }) => letter)).toEqual(["C", "I", "L", "G"]);
  for (const { name, version, date, sha256, letter } of sources) {
    expect([name, version, date].every((text) => text !== "")).toBe(true);
    expect(sha256).toMatch(letter === "C" ? /^$/ : /^[0-9a-f]{64}$/);
  }
});

it.each([
  ["openai", "gpt-5.4", { chat: true, responses: true, maxOutputTokens: 128_000, reasons: true }],
  ["openai", "gpt-5.3-codex", { chat: false, responses: true }],
  ["openai", "gpt-6.2-sol", { chat: true, responses: true, contextWindow: 1_050_000 }],
  // A dated name has what only the row of its family has.
  ["openai", "gpt-5.4-2026-03-05", { efforts: ["none", "low", "medium", "high", "xhigh"] }],
  ["openai", "gpt-4o", { reasons: false, maxOutputTokens: 16_384 }],
  ["azure_openai", "gpt-6.1-sol", { chat: true, responses: true }],
  ["anthropic", "claude-opus-5-5", { maxOutputTokens: 128_000, minCachedTokens: 512 }],
  ["vertex", "claude-opus-4-5@20251101", { contextWindow: 200_000, maxOutputTokens: 64_000 }],
  ["bedrock", "eu.anthropic.claude-opus-5-5-v1:0", { maxOutputTokens: 128_000 }],
  ["bedrock", "global.anthropic.claude-fable-5-2", { maxOutputTokens: 128_000 }],
  ["gemini", "gemini-3.8-flash", { sampling: false, maxOutputTokens: 65_536 }],
  ["groq", "openai/gpt-oss-120b", { efforts: ["low", "medium", "high"] }],
])("%s/%s", (provider, model, facts) => {
  expect(modelFacts(provider, model)).toMatchObject(facts);
});

it("a name that nobody lists has no facts", () => {
  expect(modelFacts("openai", "model-of-ours")).toBeUndefined();
  expect(modelFacts("server-of-ours", "gpt-4o")).toBeUndefined();
  expect(modelFacts("openai", "constructor")).toBeUndefined();
});
