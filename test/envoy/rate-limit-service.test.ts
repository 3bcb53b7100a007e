// Limits that two gateways share, counted by Envoy's own rate limit service and a redis.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { serviceConfiguration } from "../../envoy/rate-limit-service.ts";
import { serviceToYaml } from "../../envoy/yaml.ts";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startRateLimitPair } from "../gateway/rate-limit-pair.ts";
import type { RateLimitPair } from "../gateway/rate-limit-pair.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, errorOf, parts } from "./ask.ts";
import type { Ask, DialectName } from "./ask.ts";

const LIMITS = `
ratelimits:
  - {model: openai/gpt-4o, selector: {key: x-tokens}, limit: {tokens: 5000, unit: day}}
  - {model: anthropic/claude-test, selector: {key: x-tokens}, limit: {tokens: 5000, unit: day}}
  - {model: openai/gpt-4o, selector: {key: x-few, value: "yes"}, limit: {tokens: 1, unit: day}}
  - {model: anthropic/claude-test, selector: {key: x-few, value: "yes"}, limit: {tokens: 1, unit: day}}
  - {model: openai/gpt-4o, selector: {key: x-burst, value: "yes"}, limit: {requests: 20, unit: day}}
`;

const MODELS = `
llm_providers:
  - {model: openai/gpt-4o, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude-test, access_key: $OPENAI_API_KEY}
`;

/** What `gateway render --ratelimit-config` prints for these limits. */
function rendered(): string {
  const text = MODELS + LIMITS;
  const result = loadConfiguration({ file: "gateway.yaml", text }, { OPENAI_API_KEY: "sk" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return serviceToYaml(serviceConfiguration(result.model));
}

const REMAINING = {
  chat: "x-ratelimit-remaining-tokens",
  messages: "anthropic-ratelimit-tokens-remaining",
  responses: "x-ratelimit-remaining-tokens",
} as const;

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: shared rate limits, because ${missing}`);

let pair: RateLimitPair;
let one: WithFakes;
let two: WithFakes;
let budgets = 0;

describe.skipIf(missing !== undefined)("two gateways", () => {
  beforeAll(async () => {
    pair = await startRateLimitPair(rendered());
    // A machine under load: only the tests of a service that is down are about time.
    const service = `ratelimit_service: {address: "${pair.address}", timeout: 5s}\n`;
    const start = (): Promise<WithFakes> => startWithFakes({ config: LIMITS + service });
    [one, two] = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await pair.stop();
  });

  /** Tokens that are left of a budget; asking costs a few more. */
  async function left(gateway: Gateway, dialect: DialectName, more: Ask): Promise<number> {
    const response = await ask(gateway, dialect, more);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    return Number(response.headers.get(REMAINING[dialect]));
  }

  const kinds = (["chat", "messages"] as const).flatMap((client) =>
    (["fast", "careful"] as const).flatMap((model) =>
      [false, true].map((stream) => ({ client, model, stream })),
    ),
  );
  it.each(kinds)(
    "two gateways share a budget: $client client, $model, stream $stream",
    async ({ client, model, stream }) => {
      const budget = { model, headers: { "x-tokens": String(++budgets) } };
      expect(await left(one.gateway, client, budget)).toBe(5000);
      const text = "x".repeat(800);
      await (await ask(one.gateway, client, { ...budget, stream, text })).text();
      // Envoy charges when the answer is over, without waiting for the service.
      await expect
        .poll(() => left(two.gateway, client, budget), { timeout: 60_000, interval: 100 })
        .toBeLessThan(5000 - 400);
    },
  );

  it.each(["chat", "messages"] as const)(
    "a %s stream that the client leaves is charged",
    async (client) => {
      const model = client === "chat" ? "fast" : "careful";
      const budget = { model, headers: { "x-tokens": String(++budgets) } };
      const abort = new AbortController();
      const text = `${"x".repeat(1600)} [pieces 1000 pace 20]`;
      const more = { ...budget, stream: true, text, signal: abort.signal };
      let seen = "";
      for await (const part of parts(await ask(one.gateway, client, more))) {
        seen += part;
        if (seen.includes("5 ")) break;
      }
      abort.abort();
      await expect
        .poll(() => left(two.gateway, client, budget), { timeout: 60_000, interval: 100 })
        .toBeLessThan(5000 - 400);
    },
  );

  it.each(["chat", "messages"] as const)(
    "a %s client over the limit gets 429 in its dialect from both gateways",
    async (client) => {
      const model = client === "chat" ? "fast" : "careful";
      const few = { model, headers: { "x-few": "yes" } };
      await (await ask(one.gateway, client, few)).arrayBuffer();
      for (const { gateway } of [two, one]) {
        const status = async (): Promise<number> => (await ask(gateway, client, few)).status;
        await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe(429);
        const refused = await ask(gateway, client, few);
        const { headers } = refused;
        expect(headers.get(REMAINING[client])).toBe("0");
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        expect(headers.get(REMAINING[client].replace("remaining", "limit"))).toBe("1");
        expect(headers.get(REMAINING[client].replace("remaining", "reset"))).not.toBeNull();
        expect(headers.get("x-ratelimit-limit")).toBeNull();
        expect(headers.get("x-envoy-ratelimited")).toBeNull();
        const { type, code } = await errorOf(refused, client);
        expect(type).toBe("rate_limit_error");
        expect(code).toBe(client === "chat" ? "rate_limit_exceeded" : undefined);
      }
    },
  );

  it("limits are recorded in the client's log line", async () => {
    const over = await one.gateway.waitForLog("ingress", ({ flags }) => flags === "RL");
    expect(over[0]?.code).toBe(429);
  });

  it("two gateways follow the service when its configuration changes while it runs", async () => {
    const few = { headers: { "x-few": "yes" } };
    expect((await ask(one.gateway, "chat", few)).status).toBe(429);
    pair.configure(rendered().replace("requests_per_unit: 1\n", "requests_per_unit: 100000\n"));
    const status = async (): Promise<number> => (await ask(two.gateway, "chat", few)).status;
    await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe(200);
  });

  it("two gateways let through no request too many, however they race", async () => {
    const all = Array.from({ length: 60 }, async (_, index) => {
      const { gateway } = index % 2 === 0 ? one : two;
      const headers = { "x-burst": "yes", connection: "close" };
      const response = await ask(gateway, "chat", { headers });
      await response.arrayBuffer();
      return response.status;
    });
    const statuses = await Promise.all(all);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  it("two gateways send the service no value of a header", async () => {
    const secret = "Bearer very-secret-value";
    await left(one.gateway, "chat", { headers: { "x-tokens": secret } });
    expect(pair.log()).toContain("budget=");
    expect(pair.log()).not.toContain("very-secret-value");
  });
});

describe("a service that does not answer", () => {
  it.each([
    ["allow", "chat", 200],
    ["allow", "messages", 200],
    ["deny", "chat", 503],
    ["deny", "messages", 503],
  ] as const)("%s: a %s client gets %i", async (onFailure, client, status) => {
    const service = `ratelimit_service: {address: "127.0.0.1:1", on_failure: ${onFailure}}\n`;
    const fakes = await startWithFakes({ config: LIMITS + service });
    try {
      // Without a limit it is not asked.
      const unlimited = await ask(fakes.gateway, client, { model: "openai/gpt-4o-gone" });
      expect(unlimited.status).toBe(404);
      const response = await ask(fakes.gateway, client);
      expect(response.status).toBe(status);
      if (status === 503) {
        const error = await errorOf(response, client);
        expect(error.message).toContain("ratelimit_service.on_failure");
        expect(error.type).toBe("overloaded_error");
        await fakes.gateway.waitForLog("ingress", ({ flags }) => flags === "RLSE");
      }
      const stats = await fakes.gateway.admin("/stats?filter=ratelimit.error");
      expect(stats.match(/\d+$/gm)).toEqual(["1"]);
    } finally {
      await fakes.stop();
    }
  });
});
