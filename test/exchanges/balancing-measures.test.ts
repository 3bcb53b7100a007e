// `balance: latency` measures each response alike: of any dialect, translated or not, a stream or complete.
import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../providers/anthropic.ts";
import { openaiDialect } from "../providers/openai.ts";
import { responsesDialect } from "../providers/responses.ts";
import { gatewayOf, inputOf, keyOf } from "./affinity-gateway.ts";
import type { Upstream } from "./affinity-gateway.ts";
import { Clock } from "./queue-simulation.ts";
import { respond } from "./respond.ts";
import { WatchedData } from "./watched-data.ts";

const TEXT = "Tell me the story of the seven gateways, word for word, and leave nothing out.";
const messages = [{ role: "user", content: TEXT }];

const CLIENTS: Record<string, [path: string, body: Record<string, unknown>]> = {
  openai_chat: ["/v1/chat/completions", { messages }],
  openai_responses: ["/v1/responses", { input: TEXT }],
  anthropic_messages: ["/v1/messages", { messages, max_tokens: 100 }],
};
const keyIn = (request: Parameters<Upstream>[0]): string =>
  request.headers.find(([name]) => name === "x-api-key")?.[1] ?? keyOf(request);
const PROVIDERS: Record<string, Upstream> = {
  openai: (request) => respond(openaiDialect({ key: keyIn(request) }), request),
  openai_responses: (request) => respond(responsesDialect({ key: keyIn(request) }), request),
  anthropic: (request) => respond(anthropicDialect({ key: keyIn(request) }), request),
};
const STEP_MS = 100;

/** Runs one request, with the same time before each event of the response. Returns what was measured, and how long it took. */
async function measured(client: string, provider: string, isStream: boolean, isUnobserved = false) {
  const clock = new Clock();
  const sharedData = new WatchedData();
  const gateway = await gatewayOf(
    { targets: 2, keys: 1, more: "    balance: latency\n", isUnobserved },
    provider,
    { now: clock.now, sharedData },
  );
  const [path, body] = CLIENTS[client] ?? ["", {}];
  let sentAt = 0;
  const run = gateway.start({
    ...inputOf({ model: "shared", ...body, ...(isStream ? { stream: true } : {}) }, [], path),
    upstream: (request) => {
      sentAt = clock.time;
      return PROVIDERS[provider]?.(request) ?? { status: 500, headers: [] };
    },
  });
  let ended = run.next();
  for (; ended.done !== true; ended = run.next()) if (sentAt > 0) clock.time += STEP_MS;
  expect(ended.value.faults).toEqual([]);
  expect(ended.value.response.status).toBe(200);
  expect(sharedData.open).toBe(0);
  // The last step is after the end.
  return { ...sharedData.averages(isStream), total: clock.time - sentAt };
}

const PAIRS = Object.keys(CLIENTS).flatMap((client) =>
  Object.keys(PROVIDERS).map((provider) => ({ client, provider })),
);

describe("a response is measured", () => {
  it.each(PAIRS)("a stream of $provider for $client", async ({ client, provider }) => {
    for (const isUnobserved of [false, true]) {
      const { first, perToken, tokens, total } = await measured(
        client,
        provider,
        true,
        isUnobserved,
      );
      expect(first).toBeGreaterThanOrEqual(STEP_MS);
      expect(first).toBeLessThan(total - STEP_MS);
      expect(tokens).toBeGreaterThan(3);
      expect(perToken).toBeGreaterThan(0);
      expect(first + perToken * (tokens - 1)).toBeLessThanOrEqual(total);
      expect(first + perToken * (tokens - 1)).toBeGreaterThan(total - 3 * STEP_MS);
    }
  });

  it.each(PAIRS)("a complete response of $provider for $client", async ({ client, provider }) => {
    for (const isUnobserved of [false, true]) {
      const { first, perToken, tokens } = await measured(client, provider, false, isUnobserved);
      expect(first).toBeGreaterThanOrEqual(STEP_MS);
      expect(perToken).toBe(0);
      expect(tokens).toBeGreaterThan(3);
    }
  });
});
