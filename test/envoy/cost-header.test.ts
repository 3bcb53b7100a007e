// `x-gateway-cost` through Envoy: the cost of the usage record, for all pairs of dialects, and of the model that answered.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GatewayModel } from "../../model/model.ts";
import { decimal } from "../../control-plane/observability/metric-families.ts";
import { costOf, pricesOf } from "../../control-plane/usage/record-cost.ts";
import { usageLineOf } from "../gateway/usage-lines.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, PATHS } from "./ask.ts";
import type { Ask, DialectName } from "./ask.ts";
import { CLOSED_PORT } from "../providers/scripts/failures-by-model.ts";

const HEADER = "x-gateway-cost";
const NANO = 1_000_000_000;

let all: WithFakes;
let model: GatewayModel;
let count = 0;

beforeAll(async () => {
  all = await startWithFakes({
    aliases: "  two: { target: openai/gpt-4o-gone, fallbacks: [anthropic/claude-test] }\n",
    openai: { cachedTokens: 3 },
    adapt(read) {
      model = read;
      model.observability = { metrics: { address: "127.0.0.1", port: 9464 }, costHeader: true };
      model.pricing = {
        "openai/gpt-4o": { input: 2.5, output: 10, cacheRead: 1.25 },
        "openai/gpt-4o-gone": { input: 1000, output: 1000 },
        "anthropic/claude-test": { input: 3.0001, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      };
      for (const { name, address } of model.targets)
        if (name === "openai/gpt-4o-gone" && address.kind === "host") address.port = CLOSED_PORT;
    },
  });
});
afterAll(() => all.stop());

/** Sends a request; returns the header, and the cost of its usage record as the header should show it. */
async function costs(
  client: DialectName,
  more: Ask,
): Promise<{ header: string | null; cost: string | undefined }> {
  const id = `cost-${String(++count)}`;
  const response = await ask(all.gateway, client, { ...more, headers: { "x-request-id": id } });
  expect(response.status).toBe(200);
  await response.text();
  const { record } = await usageLineOf(all.gateway, id);
  const price = pricesOf(model).get(record?.target ?? "");
  const isPriced = record !== undefined && price !== undefined;
  return {
    header: response.headers.get(HEADER),
    cost: isPriced ? decimal(costOf(record, price), NANO) : undefined,
  };
}

const CLIENTS = Object.keys(PATHS) as DialectName[];

describe.each(CLIENTS)("a %s client", (client) => {
  it.each(["fast", "careful", "two"])(
    "a client gets the cost of a complete response of %s",
    async (name) => {
      const { header, cost } = await costs(client, { model: name, text: "x".repeat(77) });
      expect(Number(header)).toBeGreaterThan(0);
      // Not the price of the first target, which is far higher.
      expect(Number(header)).toBeLessThan(0.01);
      expect(header).toBe(cost);
    },
  );

  it("a client gets no cost with a stream, or without a known price", async () => {
    expect((await costs(client, { model: "fast", stream: true })).header).toBeNull();
    expect(await costs(client, { model: "deep" })).toEqual({ header: null, cost: undefined });
  });
});

it("an error has no cost", async () => {
  const response = await ask(all.gateway, "chat", { model: "fast", text: "[error 400]" });
  expect(response.status).toBe(400);
  expect(response.headers.get(HEADER)).toBeNull();
});
