// Prices and provider words of every kind of name that a configuration can have, those of the clouds first.
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { formatProblem } from "../../../control-plane/report/problem.ts";
import { modelNames } from "../../../control-plane/cli/commands/models.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { pricesOf } from "../../../model/prices.ts";
import { providerWord } from "../../../model/provider-words.ts";
import { costOf } from "../../../control-plane/usage/record-cost.ts";
import type { UsageRecord } from "../../../control-plane/usage/usage-line.ts";

function modelOf(text: string): GatewayModel {
  const environment = { KEY: "k".repeat(30) };
  const result = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.model;
}

const entry = (model: string, more: string) => `llm_providers: [{ model: "${model}", ${more} }]\n`;

const KEY = "access_key: $KEY";
const AZURE = `${KEY}, resource: ours`;
const VERTEX = "project: ours, location: europe-west1";
const AWS = `${KEY}, region: eu-central-1`;

/** `gen_ai.provider.name`, and dollars per million input and output tokens; undefined: no known price. */
const TABLE: [model: string, more: string, word: string, price: [number, number] | undefined][] = [
  ["openai/gpt-4o", KEY, "openai", [2.5, 10]],
  ["anthropic/claude-sonnet-4-5", KEY, "anthropic", [3, 15]],
  ["mistral/mistral-large-latest", KEY, "mistral_ai", [0.7, 2.1]],
  ["xai/grok-4", KEY, "x_ai", [3, 15]],
  ["deepseek/deepseek-chat", KEY, "deepseek", [0.28, 0.42]],
  ["groq/llama-3.3-70b-versatile", KEY, "groq", [0.59, 0.79]],
  ["moonshotai/kimi-k2-0905-preview", KEY, "moonshot_ai", [0.6, 2.5]],
  ["gemini/gemini-2.5-pro", KEY, "gcp.gemini", [1.25, 10]],
  ["vertex/gemini-2.5-pro", VERTEX, "gcp.vertex_ai", [1.25, 10]],
  ["vertex/claude-sonnet-4-5@20250929", VERTEX, "gcp.vertex_ai", [3, 15]],
  ["vertex/meta/llama-4-of-ours", VERTEX, "gcp.vertex_ai", undefined],
  ["bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", AWS, "aws.bedrock", [3, 15]],
  ["bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0", AWS, "aws.bedrock", [3.3, 16.5]],
  ["bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0", AWS, "aws.bedrock", [3, 15]],
  ["bedrock/us.amazon.nova-pro-v1:0", AWS, "aws.bedrock", [0.8, 3.2]],
  ["bedrock/amazon.model-of-ours-v1:0", AWS, "aws.bedrock", undefined],
  ["bedrock_mantle/openai.gpt-oss-120b", AWS, "aws.bedrock", [0.15, 0.6]],
  ["azure_openai/gpt-4o", AZURE, "azure.ai.openai", [2.5, 10]],
  ["azure_openai/our-deployment", AZURE, "azure.ai.openai", undefined],
  ["azure_foundry/grok-3", AZURE, "azure.ai.inference", [3, 15]],
  ["ollama/llama3.1:8b", "name: local", "ollama", undefined],
  [
    "our-cluster/gpt-4o",
    'base_url: "http://own.test/v1", provider_interface: openai',
    "our-cluster",
    undefined,
  ],
];

it.each(TABLE)("%s", (name, more, word, price) => {
  const model = modelOf(entry(name, more));
  expect(providerWord(name.slice(0, name.indexOf("/")))).toBe(word);
  const [row] = modelNames(model);
  const [input, output] = price ?? [];
  expect(row?.price).toEqual(
    price === undefined
      ? { source: "unknown" }
      : { input, output, source: expect.any(String) as string },
  );
});

it("a configured rate leaves the other one at the listed price", () => {
  const priceOf = (pricing: string) =>
    pricesOf(modelOf(`${entry("openai/gpt-4o", KEY)}pricing: { openai/gpt-4o: ${pricing} }`)).get(
      "openai/gpt-4o",
    )?.tiers;
  const million = 1_000_000;
  expect(priceOf("{ input: 1 }")).toEqual([
    {
      start: 0,
      input: million,
      output: 10 * million,
      cacheRead: million,
      cacheWrite: million,
      cacheWriteHour: million,
    },
  ]);
  expect(priceOf("{ output: 1, factor: 2 }")).toMatchObject([
    { input: 5 * million, output: 2 * million, cacheRead: 2.5 * million },
  ]);
});

it("a price of the configuration is shown as such", () => {
  const text = `${entry("azure_openai/our-deployment", AZURE)}pricing: { azure_openai/our-deployment: { input: 2.2, output: 8.8 } }\n`;
  expect(modelNames(modelOf(text))[0]?.price).toEqual({ input: 2.2, output: 8.8, source: "yours" });
  const factor = `${entry("openai/gpt-4o", KEY)}pricing: { openai/gpt-4o: { factor: 0.8 } }\n`;
  expect(modelNames(modelOf(factor))[0]?.price).toEqual({ input: 2, output: 8, source: "yours" });
});

describe("kinds of tokens", () => {
  const cost = (model: string, record: Partial<UsageRecord>, pricing = "") => {
    const price = pricesOf(modelOf(entry(model, KEY) + pricing)).get(model);
    if (price === undefined) throw new Error(`no price of ${model}`);
    return costOf({ id: "i", listener: "egress", ...record }, price);
  };
  const CLAUDE = "anthropic/claude-sonnet-4-5";

  it("read from a cache, written to one for five minutes or for an hour, and reasoning", () => {
    // $0.30, $3.75 and $6 per million.
    expect(cost(CLAUDE, { input: 1000, cache_read: 1000 })).toBe(300_000);
    expect(cost(CLAUDE, { input: 1000, cache_write: 1000 })).toBe(3_750_000);
    expect(cost(CLAUDE, { input: 1000, cache_write: 1000, cache_write_1h: 1000 })).toBe(6_000_000);
    expect(cost(CLAUDE, { input: 1000, cache_write: 1000, cache_write_1h: 400 })).toBe(
      600 * 3750 + 400 * 6000,
    );
    // A part of the output, which has its rate.
    expect(cost(CLAUDE, { input: 0, output: 100, reasoning: 90 })).toBe(
      cost(CLAUDE, { input: 0, output: 100 }),
    );
  });

  it("kinds of tokens have the rates of the input's tier, all of them", () => {
    const parts = { cache_read: 100_000, cache_write: 50_000, output: 1000 };
    expect(cost(CLAUDE, { input: 200_000, ...parts })).toBe(
      50_000 * 3000 + 100_000 * 300 + 50_000 * 3750 + 1000 * 15_000,
    );
    expect(cost(CLAUDE, { input: 200_001, ...parts })).toBe(
      50_001 * 6000 + 100_000 * 600 + 50_000 * 7500 + 1000 * 22_500,
    );
  });

  it("kinds of tokens of a configured price fall back to the next one", () => {
    const own = (rates: string) => `pricing: { ${CLAUDE}: { input: 2, ${rates} } }\n`;
    const record = { input: 100, cache_write: 100, cache_write_1h: 100 };
    expect(cost(CLAUDE, record, own("output: 3"))).toBe(200_000);
    expect(cost(CLAUDE, record, own("cache_write: 2.5"))).toBe(250_000);
    expect(cost(CLAUDE, record, own("cache_write: 2.5, cache_write_1h: 4"))).toBe(400_000);
  });

  it("kinds of tokens are rounded once, to a nano-dollar", () => {
    const own = `pricing: { ${CLAUDE}: { input: 0.0004, output: 0.0003 } }\n`;
    expect(cost(CLAUDE, { input: 1, output: 0 }, own)).toBe(0);
    expect(cost(CLAUDE, { input: 1, output: 1 }, own)).toBe(1);
  });

  it("ranges of input tokens in LiteLLM's map are tiers", () => {
    // $0.30 and $1.50 per million, from 128,000 input tokens on $0.80 and $4.
    expect(cost("qwen/qwen3-coder-flash", { input: 1000, output: 100 })).toBe(450_000);
    expect(cost("qwen/qwen3-coder-flash", { input: 128_001, output: 100 })).toBe(
      128_001 * 800 + 400_000,
    );
  });

  it("kinds of tokens have the rates of the service tier, audio and searches those of their own", () => {
    const GPT = "openai/gpt-5.6-sol";
    // $4 and $20 per million, and twice as much above 272,000 input tokens.
    const usage = { input: 1000, output: 100 };
    expect(cost(GPT, usage)).toBe(6_000_000);
    expect(cost(GPT, { ...usage, service_tier: "priority" })).toBe(12_000_000);
    expect(cost(GPT, { ...usage, service_tier: "flex" })).toBe(3_000_000);
    expect(cost(GPT, { ...usage, service_tier: "a tier without a price" })).toBe(6_000_000);
    const long = { input: 272_001, output: 0, service_tier: "priority" };
    expect(cost(GPT, long)).toBe(272_001 * 16_000);
    expect(cost(GPT, { ...usage, searches: 2 })).toBe(26_000_000);
    // $2.50 and $10, audio $32 and $64.
    const audio = { ...usage, audio_input: 400, audio_output: 100 };
    expect(cost("openai/gpt-audio", audio)).toBe(600 * 2500 + 400 * 32_000 + 100 * 64_000);
    // No more than there are tokens.
    expect(cost("openai/gpt-audio", { input: 10, audio_input: 400 })).toBe(10 * 32_000);
  });
});

describe("in the filter's document", () => {
  const documentOf = (models: string[], more: string) =>
    filterConfig(
      modelOf(
        `llm_providers: [${models.map((name) => `{ model: "${name}", ${KEY} }`).join(", ")}]\n${more}`,
      ),
    );
  const BUDGETS = "budgets: [{ amount: 5 USD, per: day }]\n";

  it("services with the same rates share their rows", () => {
    const [target] = documentOf(["anthropic/claude-opus-5", "openai/gpt-5.6-sol"], BUDGETS).targets;
    const million = [5, 25, 0.5, 6.25, 10].map((rate) => rate * 1_000_000);
    expect(target).toMatchObject({ has_rates: true });
    expect(target?.price).toEqual([[0, ...million], [8, 2000], [16, 500], [10_000_000_000]]);
    const gpt = documentOf(["openai/gpt-5.6-sol"], BUDGETS).targets[0]?.price ?? [];
    // Priority is fast, and flex is batch.
    expect(gpt.slice(2)).toEqual([[10, 2000], [20, 500], [10_000_000_000]]);
    // Without a tier for long inputs.
    const older = documentOf(["openai/gpt-5.5"], BUDGETS).targets[0]?.price ?? [];
    expect(older.slice(2)).toEqual([
      [20, 500],
      [10, 0, 12_500_000, 75_000_000, 1_250_000, 12_500_000, 12_500_000],
      [10_000_000_000],
    ]);
  });

  it("a model without such prices has neither rows nor a mark, and one with them only the mark without budgets", () => {
    const [target] = documentOf(["deepseek/deepseek-chat"], BUDGETS).targets;
    expect(target?.price?.map((row) => row.length)).toEqual([6]);
    expect(target).not.toHaveProperty("has_rates");
    const [observed] = documentOf(["openai/gpt-5.6-sol"], "observability: {}\n").targets;
    expect(observed).toMatchObject({ has_rates: true });
    expect(observed).not.toHaveProperty("price");
    expect(documentOf(["openai/gpt-5.6-sol"], "").targets[0]).not.toHaveProperty("has_rates");
  });
});
