// `balance: cost`: the cheapest target for the request is tried first.
import { describe, expect, it } from "vitest";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { gatewayOf, ok, question, send } from "./affinity-gateway.ts";
import type { Setting, Upstream } from "./affinity-gateway.ts";
import { Clock } from "./queue-simulation.ts";

const clock = new Clock();

const gatewayAt = (prices: string[], more: Pick<Setting, "weights" | "isUnobserved"> = {}) =>
  gatewayOf(
    {
      targets: 3,
      keys: 1,
      ...more,
      more: `    balance: cost\npricing:\n${prices.map((price, index) => (price === "" ? "" : `  p${index}/gpt: {${price}}\n`)).join("")}`,
    },
    "openai",
    { now: clock.now },
  );

/** Counts the first targets of 60 requests. */
function firsts(gateway: FilterHost, content = "Hi", upstream: Upstream = ok): number[] {
  const counts = [0, 0, 0];
  for (let index = 0; index < 60; index++) {
    const [place = ""] = send(gateway, question(content), [], upstream).places;
    const target = Number(/\d/.exec(place)?.[0]);
    counts[target] = (counts[target] ?? 0) + 1;
  }
  return counts;
}

/** A response with this usage. */
const using =
  (usage: Record<string, unknown>): Upstream =>
  () => ({
    status: 200,
    headers: [["content-type", "application/json"]],
    chunks: [
      Buffer.from(
        JSON.stringify({
          id: "1",
          object: "chat.completion",
          model: "gpt",
          choices: [
            { index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" },
          ],
          usage,
        }),
      ),
    ],
  });

describe("the first target with balance: cost", () => {
  it("the first target is the one with the lowest price, whatever the weights", async () => {
    const prices = ["input: 3, output: 3", "input: 1, output: 1", "input: 2, output: 2"];
    expect(firsts(await gatewayAt(prices, { weights: [9, 1, 1] }))).toEqual([0, 60, 0]);
  });

  it("the first target is drawn by weight among those with the same price", async () => {
    const prices = ["input: 1, output: 1", "input: 1, output: 1", "input: 2, output: 2"];
    const [heavy = 0, light = 0, dear] = firsts(await gatewayAt(prices, { weights: [3, 1, 1] }));
    expect(dear).toBe(0);
    expect(heavy).toBeGreaterThan(light + 10);
    expect(light).toBeGreaterThan(3);
  });

  it("the first target depends on the length of the prompt where input and output have other prices", async () => {
    const gateway = await gatewayAt(["input: 1, output: 9", "input: 3, output: 3", ""]);
    const usual = using({ prompt_tokens: 10_000, completion_tokens: 500, total_tokens: 10_500 });
    expect(firsts(gateway, "x".repeat(40_000), usual)).toEqual([60, 0, 0]);
    expect(firsts(gateway, "Hi", usual)).toEqual([0, 60, 0]);
  });

  it("the first target depends on how much the target's responses have written", async () => {
    const gateway = await gatewayAt(["input: 1, output: 9", "input: 3, output: 3", ""]);
    const short = using({ prompt_tokens: 1000, completion_tokens: 2, total_tokens: 1002 });
    const prompt = "x".repeat(4000);
    // 500 tokens are expected before a response was measured.
    const counts = firsts(gateway, prompt, short);
    expect(counts[1]).toBe(1);
    expect(counts[0]).toBe(59);
  });

  it("the first target depends on what the target has read from its cache", async () => {
    const gateway = await gatewayAt([
      "input: 3, output: 1, cache_read: 0.3",
      "input: 2, output: 1, cache_read: 2",
      "",
    ]);
    const prompt = "x".repeat(8000);
    expect(firsts(gateway, prompt)).toEqual([0, 60, 0]);
    const cached = using({
      prompt_tokens: 2000,
      completion_tokens: 5,
      total_tokens: 2005,
      prompt_tokens_details: { cached_tokens: 1900 },
    });
    // The cheapest fails once: now it is known what the other one reads from its cache.
    send(gateway, question(prompt), [], (request) =>
      request.authority === "p1.test"
        ? { status: 503, headers: [], chunks: [Buffer.from("{}")] }
        : cached(request),
    );
    clock.time += 6000;
    expect(firsts(gateway, prompt, cached)).toEqual([60, 0, 0]);
  });

  it("the first target has a known price, unless those with one have failed", async () => {
    const gateway = await gatewayAt(["", "input: 90, output: 90", ""]);
    expect(firsts(gateway)).toEqual([0, 60, 0]);
    send(gateway, question("Hi"), [], (request) =>
      request.authority === "p1.test"
        ? { status: 503, headers: [], chunks: [Buffer.from("{}")] }
        : ok(request),
    );
    expect(firsts(gateway)[1]).toBe(0);
  });

  it("the first target is chosen for clients of another dialect, and without usage records", async () => {
    const prices = ["input: 3, output: 3", "input: 1, output: 1", ""];
    const gateway = await gatewayAt(prices, { isUnobserved: true });
    const body = { model: "shared", max_tokens: 9, messages: question("Hi").messages };
    for (let index = 0; index < 20; index++)
      expect(send(gateway, body, [], ok, "/v1/messages").places[0]).toMatch(/^p1\.test/);
  });
});
