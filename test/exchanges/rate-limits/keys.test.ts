// Limits of a client key: all of its requests count, whatever model they are for.
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../control-plane/config/load.ts";
import { serviceConfiguration } from "../../../envoy/rate-limit-service.ts";
import { ENVIRONMENT, start } from "./set-up.ts";
import type { Ask, Worker } from "./set-up.ts";

const KEYS = `  - {model: fast, limit: {requests: 2, unit: day}}
listeners:
  egress:
    api_keys:
      - {key: $TEAM_A, name: research, ratelimits: [{tokens: 50, requests: 3, unit: minute}]}
      - $TEAM_B
`;
const MODELS: Ask[] = [
  { model: "openai/gpt" },
  { model: "anthropic/claude", dialect: "messages" },
  { model: "other" },
];

function asTeam(worker: Worker, team: "TEAM_A" | "TEAM_B", options: Ask = {}) {
  return worker.ask({
    ...options,
    headers: [["authorization", `Bearer ${ENVIRONMENT[team]}`]],
  }).response;
}

describe("limits of a key", () => {
  it("count requests over all models, and of no other key", async () => {
    const worker = await start(KEYS.replace("tokens: 50, ", ""));
    expect(MODELS.map((one) => asTeam(worker, "TEAM_A", one).status)).toEqual([200, 200, 200]);
    const refused = asTeam(worker, "TEAM_A");
    expect(refused.status).toBe(429);
    expect(Buffer.from(refused.body).toString()).toContain(
      "Rate limit reached: 3 requests a minute for key research. Retry in 20 s.",
    );
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "20",
      "x-ratelimit-limit-requests": "3",
    });
    for (const one of MODELS) expect(asTeam(worker, "TEAM_B", one).status).toBe(200);
  });

  it("count tokens over all models", async () => {
    const worker = await start(KEYS.replace("requests: 3, ", ""));
    expect(asTeam(worker, "TEAM_A", { model: "openai/gpt" }).status).toBe(200);
    expect(asTeam(worker, "TEAM_A", { model: "anthropic/claude" }).status).toBe(200);
    const refused = asTeam(worker, "TEAM_A", MODELS[1]);
    expect(refused.status).toBe(429);
    expect(Buffer.from(refused.body).toString()).toContain('"rate_limit_error"');
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "anthropic-ratelimit-tokens-limit": "50",
      "anthropic-ratelimit-tokens-remaining": "0",
    });
  });

  it("limits of a key apply in addition to those of a name", async () => {
    const worker = await start(KEYS);
    const statuses = [1, 2, 3].map(() => asTeam(worker, "TEAM_B", { model: "fast" }).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(asTeam(worker, "TEAM_A", { model: "fast" }).status).toBe(429);
    // The request that the alias rejected is not counted.
    const { headers } = asTeam(worker, "TEAM_A", { model: "other" });
    const remaining = headers.find(([name]) => name === "x-ratelimit-remaining-requests");
    expect(remaining?.[1]).toBe("2");
  });
});

describe("limits of a key that Envoy's rate limit service counts", () => {
  const SERVICE = `${KEYS}ratelimit_service: {address: "127.0.0.1:8081"}\n`;

  it("limits of a key that the service counts are checked and charged for its requests only", async () => {
    const worker = await start(SERVICE);
    const state = (team: "TEAM_A" | "TEAM_B") =>
      worker.ask({
        model: "anthropic/claude",
        headers: [["authorization", `Bearer ${ENVIRONMENT[team]}`]],
      }).filterState;
    expect(Object.fromEntries(state("TEAM_A"))).toMatchObject({
      gateway_limit_check_1: "0000000000000001",
      gateway_limit_check_2: "0000000000000001",
      gateway_limit_charge_1: "0000000000000001",
      gateway_limit_tokens: "30",
    });
    expect([...state("TEAM_B").keys()].filter((name) => name.includes("limit"))).toEqual([]);
  });

  it("limits of a key that the service counts are in the service's configuration", () => {
    const text = `llm_providers: [{model: openai/gpt, access_key: $OPENAI_API_KEY}]
model_aliases: {fast: {target: openai/gpt}}
ratelimits:
${SERVICE}`;
    const result = loadConfiguration({ file: "gateway.yaml", text }, ENVIRONMENT);
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(serviceConfiguration(result.model)).toMatchObject({
      descriptors: [
        { value: "alias/fast///requests/day" },
        { value: "key/research///tokens/minute" },
        { value: "key/research///requests/minute" },
      ],
    });
  });
});
