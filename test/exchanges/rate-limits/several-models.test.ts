// Limits of a name that stands for several models.
import { describe, expect, it } from "vitest";
import type { GatewayModel } from "../../../model/model.ts";
import type { ExchangeInput } from "../../../control-plane/wasm-host/wasm-exchange.ts";
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { RETRY } from "../../envoy/models.ts";
import { providerResponse } from "./provider-responses.ts";
import { BOTH, remaining, start } from "./set-up.ts";

describe("a model with two APIs", () => {
  it("a used-up limit returns 429 if only the other API supports the request", async () => {
    const models = `
llm_providers:
  - {model: openai/gpt-5.6-sol, access_key: $OPENAI_API_KEY, limits: {responses_api: true}}
`;
    const limit = "  - {model: openai/gpt-5.6-sol, limit: {requests: 1, unit: day}}\n";
    const worker = await start(limit, { models });
    const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
    // The Responses API, where the model reasons beside tools, has no `n`.
    const body = JSON.stringify({
      model: "openai/gpt-5.6-sol",
      messages: [{ role: "user", content: "Hi" }],
      tools: [tool],
      n: 2,
    });
    const request = {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"]] as [string, string][],
      body: Buffer.from(body),
    };
    const statuses = [1, 2].map(() => worker.ask({ input: { request } }).response.status);
    expect(statuses).toEqual([200, 429]);
  });
});

describe("a name that stands for several models", () => {
  const adapt = (model: GatewayModel): void => {
    model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
    model.rateLimits?.push({
      subject: { alias: "best" },
      counts: "tokens",
      amount: 1000,
      unit: "minute",
    });
  };
  const down: UpstreamResponse = {
    status: 503,
    headers: [["content-type", "application/json"]],
    chunks: [Buffer.from("{}")],
    ending: "complete",
  };

  it("a name for several models charges the model that served, and the name", async () => {
    const worker = await start(BOTH.replaceAll("1000", "500"), { adapt });
    const upstream: ExchangeInput["upstream"] = ({ attempt }) =>
      attempt === 0 ? down : providerResponse("messages", false);
    expect(worker.ask({ model: "best", input: { upstream } }).response.status).toBe(200);
    expect(remaining(worker.ask({ model: "openai/gpt" }))).toBe(500);
    expect(remaining(worker.ask({ model: "anthropic/claude" }))).toBe(470);
    const again = worker.ask({
      model: "best",
      input: { upstream: () => providerResponse("chat", false) },
    });
    expect(again.response.status).toBe(200);
  });

  const LITTLE = "  - {model: openai/gpt, limit: {tokens: 30, unit: minute}}\n";

  it("a name for several models uses the next model if the first has no budget left", async () => {
    const worker = await start(LITTLE, { adapt });
    worker.ask();
    const upstream = () => providerResponse("messages", false);
    const { response, sent } = worker.ask({ model: "best", input: { upstream } });
    expect(response.status).toBe(200);
    expect(sent.map(({ path }) => path)).toEqual(["/v1/messages"]);
  });

  it("a name for several models is refused when no model has a budget left", async () => {
    const other = LITTLE.replace("openai/gpt", "anthropic/claude");
    const worker = await start(LITTLE + other, { adapt });
    worker.ask();
    worker.ask({
      model: "anthropic/claude",
      input: { upstream: () => providerResponse("messages", false) },
    });
    const { response: refused, sent } = worker.ask({ model: "best", dialect: "messages" });
    expect(refused.status).toBe(429);
    expect(sent).toEqual([]);
    expect(Object.fromEntries(refused.headers)["retry-after"]).toBe("2");
  });
});
