// The official Python SDKs and LangChain, each against the strict fakes of the dialects, through the gateway.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { runScenarios, scenariosIn } from "./python.ts";

let all: WithFakes;

type Provider = "openai" | "anthropic" | "responses";
const PROVIDER_OF: Record<string, Provider> = {
  fast: "openai",
  careful: "anthropic",
  deep: "responses",
};
/** The last one: openai, openai-agents and LangChain with the Responses API. */
const FILES = [
  { file: "cross_openai_client.py", models: ["careful", "deep"] },
  { file: "cross_anthropic_client.py", models: ["fast", "deep"] },
  { file: "responses_client.py", models: ["fast", "careful", "deep"] },
];
const CLIENTS = FILES.flatMap(({ file, models }) =>
  models.map((model) => ({ file, model, provider: PROVIDER_OF[model] ?? "openai" })),
);
const LANGCHAIN = "langchain_client.py";
/** By file. */
const results = new Map<string, Map<string, string>>();

beforeAll(async () => {
  all = await startWithFakes({
    timeoutMs: 15_000,
    openai: { cachedTokens: 5 },
    anthropic: { cachedTokens: 40, cacheWrittenTokens: 7 },
    responses: { cachedTokens: 6 },
  });
  const run = async (file: string, models: string[]): Promise<void> => {
    results.set(file, await runScenarios(file, { GATEWAY_URL: all.gateway.url }, models));
  };
  await Promise.all([...FILES.map(({ file, models }) => run(file, models)), run(LANGCHAIN, [])]);
});
afterAll(() => all.stop());

describe.each(CLIENTS)("Python $file on $provider", ({ file, provider, model }) => {
  it.each(scenariosIn(file))("%s", (name) => {
    expect(results.get(file)?.get(`${model} ${name}`)).toBe("");
  });

  it("no request had anything that a provider must not see", () => {
    expect(all[provider].violations()).toEqual([]);
  });

  it("a cancelled stream was cancelled at the provider too", async () => {
    const cancelled = await all[provider].requestWith(`cancelled by python on ${model}`);
    expect(await cancelled.wasCut).toBe(true);
  });
});

describe("LangChain", () => {
  it.each(scenariosIn(LANGCHAIN))("%s", (name) => {
    expect(results.get(LANGCHAIN)?.get(name)).toBe("");
  });
});
