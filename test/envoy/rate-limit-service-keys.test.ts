// Limits of a client key that two gateways share by Envoy's rate limit service: over all models, and apart from other keys.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { serviceConfiguration } from "../../envoy/rate-limit-service.ts";
import { serviceToYaml } from "../../envoy/yaml.ts";
import { missingForRateLimitService } from "../../scripts/rate-limit-service.ts";
import { startRateLimitPair } from "../gateway/rate-limit-pair.ts";
import type { RateLimitPair } from "../gateway/rate-limit-pair.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask } from "./ask.ts";

const KEYS = { TEAM: "a-key-of-the-team-0123456789", OTHER: "a-key-of-others-0123456789" };
const LISTENERS = `
listeners:
  egress:
    api_keys:
      - {key: $TEAM, name: team, ratelimits: [{requests: 6, unit: day}, {tokens: 100000, unit: day}]}
      - $OTHER
`;
const MODELS = `
llm_providers:
  - {model: openai/gpt-4o, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude-test, access_key: $OPENAI_API_KEY}
`;

/** What `gateway render --ratelimit-config` prints for these limits. */
function rendered(): string {
  const text = LISTENERS + MODELS;
  const environment = { ...KEYS, OPENAI_API_KEY: "sk" };
  const result = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return serviceToYaml(serviceConfiguration(result.model));
}

const missing = missingForRateLimitService(process.env);
if (missing !== undefined) console.error(`· Not tested: shared limits of keys, because ${missing}`);

describe.skipIf(missing !== undefined)("two gateways with limits of a key", () => {
  let pair: RateLimitPair;
  let gateways: WithFakes[];

  beforeAll(async () => {
    pair = await startRateLimitPair(rendered());
    const service = `ratelimit_service: {address: "${pair.address}", timeout: 5s}\n`;
    const start = () => startWithFakes({ config: LISTENERS + service, environment: KEYS });
    gateways = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await Promise.all(gateways.map((one) => one.stop()));
    await pair.stop();
  });

  it("count the requests of the key together, over all models, and those of no other key", async () => {
    const statuses: number[] = [];
    for (let number = 0; number < 8; number += 1) {
      for (const [key, value] of Object.entries(KEYS)) {
        const gateway = gateways[number % 2]?.gateway;
        if (gateway === undefined) throw new Error("there are two gateways");
        const dialect = number % 3 === 0 ? "messages" : "chat";
        const headers = { authorization: `Bearer ${value}` };
        const response = await ask(gateway, dialect, { headers });
        await response.arrayBuffer();
        if (key === "TEAM") statuses.push(response.status);
        else expect(response.status).toBe(200);
      }
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  });
});
