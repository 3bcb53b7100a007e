// The official Python SDKs against a running gateway and the strict fakes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { runScenarios, scenariosIn } from "./python.ts";

let all: WithFakes;

const SDKS = [
  { sdk: "openai", file: "openai_client.py", provider: "openai" },
  { sdk: "anthropic", file: "anthropic_client.py", provider: "anthropic" },
] as const;
/** By file; both processes run at the same time. */
const results = new Map<string, Map<string, string>>();

const LIMITS = `
ratelimits:
  - {model: openai/gpt-4o, selector: {key: x-limited, value: "yes"}, limit: {requests: 1, unit: second}}
  - {model: anthropic/claude-test, selector: {key: x-limited, value: "yes"}, limit: {requests: 1, unit: second}}
`;

beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: 3_000, config: LIMITS });
  const run = async ({ file }: (typeof SDKS)[number]): Promise<void> => {
    results.set(file, await runScenarios(file, { GATEWAY_URL: all.gateway.url }));
  };
  await Promise.all(SDKS.map(run));
});
afterAll(() => all.stop());

describe.each(SDKS)("Python $sdk", ({ file, provider }) => {
  it.each(scenariosIn(file))("%s", (name) => {
    expect(results.get(file)?.get(name)).toBe("");
  });

  it("no request had anything that a provider must not see", () => {
    expect(all[provider].violations()).toEqual([]);
  });

  it("a cancelled stream was cancelled at the provider too", async () => {
    const cancelled = all[provider].requests.find(({ body }) =>
      body.includes("cancelled by python"),
    );
    expect(await cancelled?.wasCut).toBe(true);
  });
});
