// The official Python SDKs and LangChain, each against the strict fake of the other dialect, through the gateway.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { runScenarios, scenariosIn } from "./python.ts";

let all: WithFakes;

const CLIENTS = [
  { name: "openai on Anthropic", file: "cross_openai_client.py", provider: "anthropic" },
  { name: "anthropic on OpenAI", file: "cross_anthropic_client.py", provider: "openai" },
] as const;
const LANGCHAIN = "langchain_client.py";
const results = new Map<string, Map<string, string>>();

beforeAll(async () => {
  all = await startWithFakes({
    timeoutMs: 15_000,
    openai: { cachedTokens: 5 },
    anthropic: { cachedTokens: 40, cacheWrittenTokens: 7 },
  });
  const run = async (file: string): Promise<void> => {
    results.set(file, await runScenarios(file, { GATEWAY_URL: all.gateway.url }));
  };
  await Promise.all([...CLIENTS.map(({ file }) => run(file)), run(LANGCHAIN)]);
});
afterAll(() => all.stop());

describe.each(CLIENTS)("Python $name", ({ file, provider }) => {
  it.each(scenariosIn(file))("%s", (name) => {
    expect(results.get(file)?.get(name)).toBe("");
  });

  it("no request had anything that a provider must not see", () => {
    expect(all[provider].violations()).toEqual([]);
  });

  it("a cancelled stream was cancelled at the provider too", async () => {
    const cancelled = await all[provider].requestWith("cancelled by python");
    expect(await cancelled.wasCut).toBe(true);
  });
});

describe("LangChain", () => {
  it.each(scenariosIn(LANGCHAIN))("%s", (name) => {
    expect(results.get(LANGCHAIN)?.get(name)).toBe("");
  });
});
