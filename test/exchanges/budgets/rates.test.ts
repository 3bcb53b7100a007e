// What else than the number of tokens decides the price of a request: how it was processed, a long input, audio. The filter charges
// exactly what the control plane computes from the usage record.
import { beforeAll, describe, expect, it } from "vitest";
import { costOf, pricesOf } from "../../../control-plane/usage/record-cost.ts";
import type { UsageRecord } from "../../../control-plane/usage/usage-line.ts";
import { filterConfig } from "../../../model/filter-document/write-document.ts";
import { event } from "../rate-limits/provider-responses.ts";
import { CONFIGURATION, recordOf, start } from "./set-up.ts";
import type { Path, Worker } from "./set-up.ts";

const GPT = "openai/gpt-5.6-sol";
const OPUS = "anthropic/claude-opus-5";
const FLASH = "gemini/gemini-2.5-flash";
const NOVA = "bedrock/amazon.nova-pro-v1:0";
const AUDIO = "openai/gpt-audio";
/** Of a provider whose responses do not name the tier. */
const AZURE = "azure_openai/gpt-5.4";

const TEXT = `
llm_providers:
  - {model: "${GPT}", access_key: $OPENAI_API_KEY}
  - {model: "${AUDIO}", access_key: $OPENAI_API_KEY}
  - {model: "openai/*", access_key: $OPENAI_API_KEY}
  - {model: "${OPUS}", access_key: $ANTHROPIC_API_KEY}
  - {model: "${FLASH}", access_key: $OPENAI_API_KEY}
  - {model: "${NOVA}", access_key: $OPENAI_API_KEY, region: us-east-1, provider_interface: converse}
  - {model: "${AZURE}", access_key: $OPENAI_API_KEY, resource: ours}
budgets:
  - {amount: 100 USD, per: month}
`;

let worker: Worker;
let spent = 0;
beforeAll(async () => {
  worker = await start({ text: TEXT });
  worker.allow();
});

interface Asked {
  model: string;
  path?: Path;
  /** Members of the request. */
  request?: object;
  response: object | string;
}

/** Returns the record of a request, after the filter's and the control plane's cost were found to be the same. */
function ask({ model, path = "/v1/chat/completions", request = {}, response }: Asked): UsageRecord {
  const isStream = typeof response === "string";
  const said = [{ role: "user", content: "Hi" }];
  const messages = path === "/v1/responses" ? { input: said } : { messages: said };
  const limit = path === "/v1/messages" ? { max_tokens: 10 } : {};
  const stream = isStream ? { stream: true } : {};
  const result = worker.host.exchange({
    listener: "egress",
    request: {
      ...{ method: "POST", path, headers: [["content-type", "application/json"]] },
      body: Buffer.from(JSON.stringify({ model, ...messages, ...limit, ...stream, ...request })),
    },
    upstream: () => ({
      ...{ status: 200, ending: "complete" },
      headers: [["content-type", isStream ? "text/event-stream" : "application/json"]],
      chunks: [Buffer.from(isStream ? response : JSON.stringify(response))],
    }),
  });
  expect(result.faults).toEqual([]);
  expect(result.response.status).toBe(200);
  const record = recordOf(result);
  const price = pricesOf(worker.model).get(record.target ?? "");
  if (price !== undefined) expect(costOf(record, price)).toBe(record.cost);
  spent += record.cost ?? 0;
  expect(worker.charged()["all"]).toBe(spent);
  return record;
}

const choices = [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }];
const chat = (usage: object, more: object = {}) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage },
  ...more,
});
const chatStream = (usage: object, more: object) =>
  [
    {
      choices: [{ index: 0, delta: { role: "assistant", content: "a" }, finish_reason: "stop" }],
      ...{ usage: null, ...more },
    },
    { choices: [], usage, ...more },
  ]
    .map((one) =>
      event(
        JSON.stringify({
          id: "c",
          object: "chat.completion.chunk",
          created: 1,
          model: "m",
          ...one,
        }),
      ),
    )
    .join("") + event("[DONE]");
const message = (usage: object) => ({
  ...{ id: "m", type: "message", role: "assistant", model: "c", stop_sequence: null },
  ...{ content: [{ type: "text", text: "a" }], stop_reason: "end_turn", usage },
});
const output = [
  {
    ...{ id: "m", type: "message", role: "assistant", status: "completed" },
    content: [{ type: "output_text", text: "a", annotations: [] }],
  },
];
const response = (usage: object, service_tier: string) => ({
  ...{ id: "r", object: "response", created_at: 1, model: "m", status: "completed" },
  ...{ output, service_tier, usage },
});
const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const RESPONSES_TOKENS = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 };
/** 1,000 input and 100 output tokens at $4 and $20 per million, in nano-dollars. */
const STANDARD = 6_000_000;

describe("the service tier of a response of OpenAI", () => {
  it.each([
    ["default", STANDARD],
    ["auto", STANDARD],
    ["scale", STANDARD],
    ["priority", 2 * STANDARD],
    ["fast", 2 * STANDARD],
    ["flex", STANDARD / 2],
    ["batch", STANDARD / 2],
  ])("%s", (service_tier, cost) => {
    const word = cost === STANDARD ? undefined : service_tier;
    const expected = expect.objectContaining({
      ...{ cost, input: 1000, output: 100 },
      ...(word === undefined ? {} : { service_tier: word }),
    }) as unknown;
    expect(ask({ model: GPT, response: chat(TOKENS, { service_tier }) })).toEqual(expected);
    const stream = chatStream(TOKENS, { service_tier });
    expect(ask({ model: GPT, response: stream })).toEqual(expected);
    const path = "/v1/responses";
    const whole = response(RESPONSES_TOKENS, service_tier);
    expect(ask({ model: GPT, path, response: whole })).toEqual(expected);
    const events =
      event(
        JSON.stringify({
          type: "response.created",
          response: { ...whole, service_tier: "auto", status: "in_progress", usage: null },
        }),
      ) + event(JSON.stringify({ type: "response.completed", response: whole }));
    expect(ask({ model: GPT, path, response: events })).toEqual(expected);
    expect(ask({ model: GPT, path: "/v1/messages", response: events })).toEqual(expected);
  });

  it("counts before that of the request, whatever the order of the members", () => {
    const request = { service_tier: "priority" };
    const byTier = (model: string, service_tier?: string) => {
      const sorted = service_tier === undefined ? {} : { service_tier };
      const { usage, ...rest } = chat(TOKENS);
      return ask({ model, request, response: { ...rest, ...sorted, usage } }).cost;
    };
    // $5 and $30 per million instead of $2.50 and $15.
    expect(byTier(AZURE)).toBe(8_000_000);
    expect(byTier(AZURE, "priority")).toBe(8_000_000);
    expect(byTier(AZURE, "default")).toBe(4_000_000);
  });

  it("OpenAI's prices have tiers of long inputs", () => {
    const usage = { ...TOKENS, prompt_tokens: 300_000, total_tokens: 300_100 };
    const cost = (service_tier: string) =>
      ask({ model: GPT, response: chat(usage, { service_tier }) }).cost;
    expect(cost("default")).toBe(300_000 * 8000 + 100 * 30_000);
    expect(cost("priority")).toBe(300_000 * 16_000 + 100 * 60_000);
  });

  it("decides the price of a model of a wildcard", () => {
    const model = "openai/gpt-5.6-terra";
    const one = ask({ model, response: chat(TOKENS, { service_tier: "default" }) });
    const other = ask({ model, response: chat(TOKENS, { service_tier: "priority" }) });
    expect(one.target).toBe("openai/*");
    expect(other.cost).toBe(2 * (one.cost ?? 0));
  });
});

it("fast mode of Claude costs twice as much, and batches half", () => {
  const usage = { input_tokens: 1000, output_tokens: 100, cache_creation_input_tokens: 1000 };
  const cost = (more: object) => {
    const whole = message({ ...usage, ...more });
    const { cost } = ask({ model: OPUS, path: "/v1/messages", response: whole });
    expect(ask({ model: OPUS, response: whole }).cost).toBe(cost);
    const events = [
      {
        type: "message_start",
        message: {
          ...whole,
          content: [],
          stop_reason: null,
          usage: { ...whole.usage, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
      { type: "content_block_stop", index: 0 },
      {
        ...{ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null } },
        usage: { output_tokens: 100 },
      },
      { type: "message_stop" },
    ];
    const stream = events.map((one) => event(JSON.stringify(one))).join("");
    expect(ask({ model: OPUS, path: "/v1/messages", response: stream }).cost).toBe(cost);
    return cost;
  };
  // $5, $25 and $6.25 per million.
  expect(cost({ service_tier: "standard", speed: "standard" })).toBe(13_750_000);
  expect(cost({ service_tier: "standard", speed: "fast" })).toBe(27_500_000);
  expect(cost({ service_tier: "batch", speed: null })).toBe(6_875_000);
  // The priority tier of Anthropic has no price in the list: it is paid in advance.
  expect(cost({ service_tier: "priority" })).toBe(13_750_000);
  const hour = { cache_creation: { ephemeral_1h_input_tokens: 1000 } };
  expect(cost(hour)).toBe(17_500_000);
});

it("audio tokens of chat completions have rates of their own", () => {
  const usage = {
    ...TOKENS,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 50 },
  };
  // $2.50 and $10 per million; audio $32 and $64.
  const cost = 400 * 2500 + 600 * 32_000 + 50 * 10_000 + 50 * 64_000;
  const expected = { cost, audio_input: 600, audio_output: 50 };
  expect(ask({ model: AUDIO, response: chat(usage) })).toMatchObject(expected);
  expect(ask({ model: AUDIO, response: chatStream(usage, {}) })).toMatchObject(expected);
});

describe("Gemini", () => {
  const gemini = (more: object) => ({
    candidates: [{ content: { role: "model", parts: [{ text: "a" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100, ...more },
  });

  it.each([
    ["serviceTier", "priority", 990_000, "priority"],
    ["serviceTier", "flex", 275_000, "flex"],
    ["serviceTier", "standard", 550_000, ""],
    ["trafficType", "ON_DEMAND_PRIORITY", 990_000, "priority"],
    ["trafficType", "ON_DEMAND", 550_000, ""],
  ])("Gemini's %s %s decides the rates", (member, value, cost, service_tier) => {
    const asked = { model: FLASH, response: gemini({ [member]: value }) };
    const record = ask(asked);
    expect([record.cost, record.service_tier ?? ""]).toEqual([cost, service_tier]);
  });

  it("Gemini's audio has rates of its own, from a cache too", () => {
    const details = (modality: string, tokenCount: number) => ({ modality, tokenCount });
    const usage = {
      cachedContentTokenCount: 500,
      promptTokensDetails: [details("TEXT", 200), details("AUDIO", 800)],
      cacheTokensDetails: [details("AUDIO", 500)],
    };
    // $0.30, $2.50 and $0.03 per million; audio $1, and $0.10 from a cache.
    expect(ask({ model: FLASH, response: gemini(usage) })).toMatchObject({
      ...{ audio_input: 300, audio_cache_read: 500 },
      cost: 200 * 300 + 300 * 1000 + 500 * 100 + 100 * 2500,
    });
  });
});

it("the service tier of Converse decides the rates", () => {
  const nova = (type: string) => ({
    output: { message: { role: "assistant", content: [{ text: "a" }] } },
    ...{ stopReason: "end_turn", usage: { inputTokens: 1000, outputTokens: 100 } },
    serviceTier: { type },
  });
  const cost = (type: string) => ask({ model: NOVA, response: nova(type) }).cost;
  expect([cost("default"), cost("priority"), cost("flex")]).toEqual([
    1_120_000, 1_960_000, 560_000,
  ]);
});

describe("web searches", () => {
  const searched = message({
    ...{ input_tokens: 1000, output_tokens: 100 },
    server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 },
  });

  it("web searches are charged at their listed price", () => {
    for (const path of ["/v1/messages", "/v1/chat/completions"] as const) {
      // $10 per thousand.
      const expected = { cost: 7_500_000 + 30_000_000, searches: 3 };
      expect(ask({ model: OPUS, path, response: searched })).toMatchObject(expected);
    }
    const path = "/v1/responses";
    const tool_usage = { web_search: { num_requests: 2 } };
    const whole = { ...response(RESPONSES_TOKENS, "default"), tool_usage };
    expect(ask({ model: GPT, path, response: whole }).cost).toBe(STANDARD + 20_000_000);
  });

  it("web searches are charged at a configured price, for a model without a listed one too", async () => {
    const pricing = (rates: string) => `pricing: { "${OPUS}": { ${rates} } }\n`;
    const costWith = async (rates: string) => {
      worker = await start({ text: TEXT + pricing(rates) });
      worker.allow();
      spent = 0;
      return ask({ model: OPUS, path: "/v1/messages", response: searched }).cost;
    };
    expect(await costWith("input: 1, output: 1, web_search: 20")).toBe(1_100_000 + 60_000_000);
    expect(await costWith("factor: 2, web_search: 0")).toBe(15_000_000);
    expect(await costWith("input: 1, output: 1")).toBe(1_100_000 + 30_000_000);
  });
});

it("a model without such prices has no members for them", async () => {
  const { model } = await start({ text: CONFIGURATION });
  for (const target of filterConfig(model).targets) {
    expect(target.has_rates).toBeUndefined();
    expect(target.price?.every((list) => list.length === 6)).toBe(true);
  }
});
