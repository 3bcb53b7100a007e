// Rate limits through the real Envoy: its workers share a budget, and responses of every kind are charged.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, errorOf, parts } from "./ask.ts";
import type { Ask, DialectName } from "./ask.ts";

const MINUTE = "unit: minute";
/** Of such a budget no token comes back while a test runs. */
const DAY = "unit: day";
const LIMITS = `
ratelimits:
  - {model: openai/gpt-4o, selector: {key: x-tokens}, limit: {tokens: 5000, ${DAY}}}
  - {model: anthropic/claude-test, selector: {key: x-tokens}, limit: {tokens: 5000, ${DAY}}}
  - {model: openai/gpt-4o, selector: {key: x-few, value: "yes"}, limit: {tokens: 1, ${MINUTE}}}
  - {model: anthropic/claude-test, selector: {key: x-few, value: "yes"}, limit: {tokens: 1, ${MINUTE}}}
  - {model: openai/gpt-4o, selector: {key: x-burst, value: "yes"}, limit: {requests: 20, ${DAY}}}
`;

let fakes: WithFakes;
let budgets = 0;

beforeAll(async () => {
  fakes = await startWithFakes({ config: LIMITS });
});

afterAll(async () => {
  await fakes.stop();
});

const REMAINING = {
  chat: "x-ratelimit-remaining-tokens",
  messages: "anthropic-ratelimit-tokens-remaining",
  responses: "x-ratelimit-remaining-tokens",
} as const;

/** Tokens that are left of a budget; asking costs a few more. */
async function left(dialect: DialectName, more: Ask): Promise<number> {
  const response = await ask(fakes.gateway, dialect, more);
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return Number(response.headers.get(REMAINING[dialect]));
}

describe("each kind of response is charged by its usage", () => {
  const kinds = (["chat", "messages"] as const).flatMap((client) =>
    (["fast", "careful"] as const).flatMap((model) =>
      [false, true].map((stream) => ({ client, model, stream })),
    ),
  );
  it.each(kinds)("$client client, $model, stream $stream", async ({ client, model, stream }) => {
    const budget = { model, headers: { "x-tokens": String(++budgets) } };
    expect(await left(client, budget)).toBe(5000);
    const between = await left(client, budget);
    const response = await ask(fakes.gateway, client, { ...budget, stream, text: "x".repeat(800) });
    await response.text();
    // The fakes count four characters as a token, and echo the request: at least 400 for the long one.
    const used = between - (await left(client, budget));
    expect(used).toBeGreaterThan(400 + (5000 - between));
    expect(used).toBeLessThan(700);
  });

  it.each(kinds)(
    "a compressed response is charged: $client client, $model, stream $stream",
    async ({ client, model, stream }) => {
      const budget = { model, headers: { "x-tokens": String(++budgets) } };
      const between = await left(client, budget);
      const text = `${"x".repeat(800)} [gzip]`;
      await (await ask(fakes.gateway, client, { ...budget, stream, text })).text();
      const used = between - (await left(client, budget));
      expect(used).toBeGreaterThan(400);
      expect(used).toBeLessThan(700);
    },
  );

  it.each(["chat", "messages"] as const)("a %s stream that the client leaves", async (client) => {
    const model = client === "chat" ? "fast" : "careful";
    const budget = { model, headers: { "x-tokens": String(++budgets) } };
    const between = await left(client, budget);
    const abort = new AbortController();
    const text = `${"x".repeat(800)} [pieces 1000 pace 20]`;
    const response = await ask(fakes.gateway, client, {
      ...budget,
      stream: true,
      text,
      signal: abort.signal,
    });
    let seen = "";
    for await (const part of parts(response)) {
      seen += part;
      if (seen.includes("5 ")) break;
    }
    abort.abort();
    // Charged when Envoy has seen that the client is gone.
    await expect
      .poll(async () => between - (await left(client, budget)), { timeout: 60_000 })
      .toBeGreaterThan(200);
  });
});

it.each(["chat", "messages"] as const)(
  "a %s client over the limit gets 429 in its dialect",
  async (client) => {
    const model = client === "chat" ? "fast" : "careful";
    const few = { model, headers: { "x-few": "yes" } };
    await left(client, few);
    const refused = await ask(fakes.gateway, client, few);
    expect(refused.status).toBe(429);
    expect(refused.headers.get(REMAINING[client])).toBe("0");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(50);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    const error = await errorOf(refused, client);
    expect(error.type).toBe("rate_limit_error");
    expect(error.message).toMatch(
      /^Rate limit reached: 1 tokens a minute for \S+ and x-few 'yes'\. Retry in \d+ s\.$/,
    );
    // Another client is not kept out.
    const other = await ask(fakes.gateway, client, { model });
    expect(other.status).toBe(200);
    await other.arrayBuffer();
  },
);

it("the workers share a budget to the last request, however they race", async () => {
  const before = fakes.openai.requests.length;
  // A connection each, so that Envoy spreads them over its workers.
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const headers = { "x-burst": "yes", connection: "close" };
      const response = await ask(fakes.gateway, "chat", { headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  expect(fakes.openai.requests.length - before).toBe(20);
});
