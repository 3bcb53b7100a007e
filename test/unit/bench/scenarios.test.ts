// The scenarios of the benchmark: all of AIGatewayBench's are there.
import { expect, it } from "vitest";
import { SCENARIOS } from "../../../bench/scenarios.ts";

it("the scenarios are those of AIGatewayBench, and a turn of a Messages client", () => {
  expect(SCENARIOS.map(({ one }) => one.name)).toEqual([
    "streaming-turn",
    "messages-turn",
    "tool-loop",
    "prompt-1k",
    "prompt-10k",
    "prompt-100k",
    "concurrent-agents",
    "key-flood",
    "failover",
    "head-of-line",
  ]);
});

it("a prompt's characters are four for each token", () => {
  const sizes = SCENARIOS.filter(({ one }) => one.name.startsWith("prompt-")).map(
    ({ one }) => JSON.stringify(one.request.body).length,
  );
  for (const [at, tokens] of [1000, 10_000, 100_000].entries()) {
    expect(sizes[at]).toBeGreaterThan(4 * tokens);
    expect(sizes[at]).toBeLessThan(1.02 * 4 * tokens + 1000);
  }
});
