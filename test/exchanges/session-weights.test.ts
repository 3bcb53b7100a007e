// What is constant in the requests of an application is no session: weights and keys in turn hold.
import { describe, expect, it } from "vitest";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { gatewayOf, ok, question, RESPONSES, send } from "./affinity-gateway.ts";
import { turnOf } from "./session-turns.ts";

const UNEQUAL = { targets: 2, keys: 2, weights: [90, 10] };
/** A question after a constant example, as applications send it. */
const examples = (content: string) => ({
  model: "shared",
  messages: [
    { role: "user", content: "What is 1 + 1?" },
    { role: "assistant", content: "2" },
    { role: "user", content },
  ],
});

const REQUESTS = 2000;

/** Counts the first places of many requests. */
function placesOf(gateway: FilterHost, bodyOf: (index: number) => Record<string, unknown>) {
  const counts = new Map<string, number>();
  for (let index = 0; index < REQUESTS; index++) {
    const [place = ""] = send(gateway, bodyOf(index), [], ok).places;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}

/** Nine of ten requests are at the first target, and each key of a target has half of its requests. */
function expectWeights(counts: Map<string, number>): void {
  for (const key of [0, 1]) {
    for (const [target, share] of [0.45, 0.05].entries()) {
      const found = (counts.get(`p${target}.test value-of-KEY_${key}`) ?? 0) / REQUESTS;
      expect(Math.abs(found - share)).toBeLessThan(share / 2 + 0.01);
    }
  }
}

describe("applications and agents at targets with different weights", () => {
  it.each([
    ["examples in each request", {}],
    ["a constant cache key", { prompt_cache_key: "app" }],
    ["a constant session in the body", { session_id: "app" }],
  ])("sessions are not kept for an application with %s", async (_, more) => {
    const counts = placesOf(await gatewayOf(UNEQUAL), (index) => ({
      ...examples(`Question ${index}`),
      ...more,
    }));
    expectWeights(counts);
  });

  it("sessions of one cache key are spread by weight if their conversations differ", async () => {
    const gateway = await gatewayOf(UNEQUAL);
    const bodyOf = (index: number) => ({
      ...question(`Question ${index}`),
      prompt_cache_key: "app",
      tools: turnOf(0, 0, false).body.tools,
    });
    expectWeights(placesOf(gateway, bodyOf));
    for (let session = 0; session < 20; session++) {
      const turns = [0, 1, 2].map((turn) => {
        const body = { ...turnOf(session, turn, false).body, prompt_cache_key: "app" };
        const { places, record } = send(gateway, body, [], ok);
        expect(record).toMatchObject({ session: "app", affinity: 1 });
        return places[0];
      });
      expect(new Set(turns).size).toBe(1);
    }
  });

  it("sessions of a cache key are kept for a conversation that the client names too", async () => {
    const gateway = await gatewayOf({ targets: 8, keys: 1 }, "openai_responses");
    const placeOf = (conversation: string, input: string) => {
      const body = { model: "shared", input, conversation, prompt_cache_key: "app" };
      return send(gateway, body, [], ok, RESPONSES).places[0];
    };
    const conversations = ["a", "b", "c", "d", "e"].map((name) => `conv_${name}`);
    expect(new Set(conversations.map((name) => placeOf(name, "Hi"))).size).toBeGreaterThan(1);
    for (const name of conversations) expect(placeOf(name, "Hi")).toBe(placeOf(name, "Go on"));
  });
});
