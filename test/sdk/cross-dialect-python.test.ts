// The official Python SDKs and LangChain, each against the strict fake of the other dialect, through the gateway.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { runScenarios, scenariosIn } from "./python.ts";

let all: WithFakes;

interface Client {
  name: string;
  file: string;
  provider: "anthropic" | "openai" | "responses";
  /** For the files that run on any provider. */
  model?: string;
}
/** openai, openai-agents and LangChain. */
const RESPONSES = { file: "responses_client.py" } as const;
const CLIENTS: Client[] = [
  { name: "openai on Anthropic", file: "cross_openai_client.py", provider: "anthropic" },
  { name: "anthropic on OpenAI", file: "cross_anthropic_client.py", provider: "openai" },
  { ...RESPONSES, name: "Responses on Anthropic", provider: "anthropic", model: "careful" },
  { ...RESPONSES, name: "Responses on chat completions", provider: "openai", model: "fast" },
  { ...RESPONSES, name: "Responses on Responses", provider: "responses", model: "deep" },
];
const LANGCHAIN = "langchain_client.py";
/** By the name of the client. */
const results = new Map<string, Map<string, string>>();

beforeAll(async () => {
  all = await startWithFakes({
    timeoutMs: 15_000,
    openai: { cachedTokens: 5 },
    anthropic: { cachedTokens: 40, cacheWrittenTokens: 7 },
    responses: { cachedTokens: 6 },
  });
  const run = async (name: string, file: string, model = ""): Promise<void> => {
    results.set(name, await runScenarios(file, { GATEWAY_URL: all.gateway.url, MODEL: model }));
  };
  const clients = CLIENTS.map(({ name, file, model }) => run(name, file, model));
  await Promise.all([...clients, run(LANGCHAIN, LANGCHAIN)]);
});
afterAll(() => all.stop());

describe.each(CLIENTS)("Python $name", ({ name: client, file, provider, model }) => {
  it.each(scenariosIn(file))("%s", (name) => {
    expect(results.get(client)?.get(name)).toBe("");
  });

  it("no request had anything that a provider must not see", () => {
    expect(all[provider].violations()).toEqual([]);
  });

  it("a cancelled stream was cancelled at the provider too", async () => {
    const cancelled = await all[provider].requestWith(
      model === undefined ? "cancelled by python" : `cancelled by python on ${model}`,
    );
    expect(await cancelled.wasCut).toBe(true);
  });
});

describe("LangChain", () => {
  it.each(scenariosIn(LANGCHAIN))("%s", (name) => {
    expect(results.get(LANGCHAIN)?.get(name)).toBe("");
  });
});
