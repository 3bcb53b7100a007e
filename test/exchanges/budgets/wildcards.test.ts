// What models cost that a wildcard takes: the filter decides by the patterns of its document, as the control plane does by the list
// of the catalogue.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import { pricedPatterns } from "../../../model/facts/listed-prices.ts";
import { priceOf } from "../../../model/prices.ts";
import { costOf } from "../../../control-plane/usage/record-cost.ts";
import { compileFilter, FilterHost } from "../../../control-plane/wasm-host/filter-host.ts";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { providerResponse } from "../rate-limits/provider-responses.ts";
import { recordOf } from "./set-up.ts";

const FILTER = join(import.meta.dirname, "../../../build/filter.wasm");
const environment = { KEY: "k".repeat(30) };
const RECORD = { id: "", listener: "", input: 20, output: 10 };

async function start(text: string) {
  const other = ", {model: openai/o3, access_key: $KEY, default: true}]";
  const source = `${text.replace("]\n", `${other}\n`)}observability: {cost_header: true}\n`;
  const result = loadConfiguration({ file: "gateway.yaml", text: source }, environment);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { model } = result;
  const [target] = model.targets;
  if (target === undefined) throw new Error("no target");
  const document = filterConfig(model);
  const host = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: document,
    environment,
  });
  const costBy = (name: string) => {
    const result = host.exchange({
      listener: "egress",
      request: {
        ...{ method: "POST", path: "/v1/chat/completions" },
        headers: [["content-type", "application/json"]],
        body: Buffer.from(
          JSON.stringify({ model: name, messages: [{ role: "user", content: "Hi" }] }),
        ),
      },
      upstream: ({ path }) => responseAt(path),
    });
    expect(result.response.status, name).toBe(200);
    return recordOf(result).cost;
  };
  const record = target.dialect === "anthropic_messages" ? { ...RECORD, cache_read: 15 } : RECORD;
  const listed = (name: string) => {
    const price = priceOf(target, model, name);
    return price === undefined ? undefined : costOf(record, price);
  };
  return { document, costBy, listed };
}

function responseAt(path: string): UpstreamResponse {
  if (!path.includes("generateContent")) {
    return providerResponse(path.endsWith("/messages") ? "messages" : "chat", false);
  }
  const body = {
    candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
  };
  const headers: [string, string][] = [["content-type", "application/json"]];
  const chunks = [Buffer.from(JSON.stringify(body))];
  return { status: 200, headers, chunks, ending: "complete" };
}

/** Names by the patterns of the list: as they are, and with something before, behind and in between. */
function namesIn(provider: string): string[] {
  const patterns = pricedPatterns(provider).map(({ pattern }) => pattern);
  return patterns
    .flatMap((pattern) => {
      if (pattern.startsWith("*")) return [`eu${pattern.slice(1)}`];
      const name = pattern.replace("*", "26-01-02");
      return [name, name.toUpperCase(), `${name}-20260102`, `${name}-preview-tts`, `x-${name}`];
    })
    .filter((name) => /^[\w.:/@-]+$/.test(name))
    .filter((_, index) => index % STEP === 0);
}

/** Each name is a request through the filter. */
const STEP = 3;

describe.each([
  ["openai", `access_key: $KEY`],
  ["anthropic", `access_key: $KEY`],
  ["gemini", `access_key: $KEY`],
  ["mistral", `access_key: $KEY`],
  ["groq", `access_key: $KEY`],
  ["deepseek", `access_key: $KEY`],
  ["xai", `access_key: $KEY`],
  ["azure_foundry", `access_key: $KEY, resource: ours, provider_interface: openai`],
  ["bedrock_mantle", `access_key: $KEY, region: eu-central-1, provider_interface: openai`],
  ["moonshotai", `access_key: $KEY`],
])("%s/*", (provider, more) => {
  it("a name of the wildcard costs what the control plane computes", async () => {
    const text = `llm_providers: [{model: "${provider}/*", ${more}, base_url: "http://own.test/v1"}]\n`;
    const { costBy, listed } = await start(text);
    const names = [...new Set(namesIn(provider))];
    expect(names.length).toBeGreaterThan(20);
    const wrong = names.filter((name) => costBy(`${provider}/${name}`) !== listed(name));
    expect(wrong).toEqual([]);
    expect(names.filter((name) => listed(name) !== undefined).length).toBeGreaterThan(10);
  });
});

describe("a wildcard", () => {
  const openai = (model: string) =>
    `llm_providers: [{model: "${model}", access_key: $KEY, base_url: "http://own.test/v1"}]\n`;

  it("a wildcard has the configured price for all of its models", async () => {
    const { document, costBy } = await start(
      `${openai("openai/*")}pricing: {"openai/*": {input: 1, output: 10}}\n`,
    );
    expect(document.price_lists).toBeUndefined();
    expect(costBy("openai/gpt-4o")).toBe(120_000);
    expect(costBy("openai/anything")).toBe(120_000);
  });

  it("a wildcard multiplies the listed prices by a factor", async () => {
    const { costBy } = await start(`${openai("openai/*")}pricing: {"openai/*": {factor: 2}}\n`);
    expect(costBy("openai/gpt-4o")).toBe(2 * (20 * 2500 + 10 * 10_000));
  });

  it("a wildcard has no cost of a model that is not listed", async () => {
    const { costBy } = await start(openai("openai/*"));
    expect(costBy("openai/no-such-model")).toBeUndefined();
  });

  it("a wildcard with a longer prefix has only the prices of its models", async () => {
    const { document, costBy } = await start(openai("openai/gpt-4*"));
    const all = (await start(openai("openai/*"))).document;
    expect(costBy("openai/gpt-4o-mini")).toBe(20 * 150 + 10 * 600);
    const size = (one: unknown) => JSON.stringify(one).length;
    expect(size(document.price_lists)).toBeLessThan(size(all.price_lists) / 2);
    expect(size(all.price_lists)).toBeLessThan(25_000);
  });

  it("a wildcard has no prices in the document without budgets and the cost header", () => {
    const result = loadConfiguration(
      { file: "gateway.yaml", text: openai("openai/*") },
      environment,
    );
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(filterConfig(result.model).price_lists).toBeUndefined();
  });
});
