// Prices that depend on more than the number of tokens, in a real Envoy: a budget is charged, and rejects, by the service tier of
// the response, its audio tokens and its searches.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { budgetFingerprint } from "../../model/budgets.ts";
import type { GatewayModel } from "../../model/model.ts";
import { costOf, pricesOf } from "../../control-plane/usage/record-cost.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { usageLines } from "../gateway/usage-lines.ts";
import { sendJson, startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { pushBudgets } from "./push-budgets.ts";

const GPT = "openai/gpt-5.6-sol";
const AUDIO = "openai/gpt-audio";
const OPUS = "anthropic/claude-opus-5";

let gateway: Gateway;
let provider: ScriptedProvider;
let model: GatewayModel;
let response: object = {};

beforeAll(async () => {
  provider = await startProvider((to) => {
    sendJson(to, response);
  });
  const url = `http://127.0.0.1:${String(provider.port)}`;
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { model: ${GPT}, access_key: $KEY, base_url: "${url}/v1" }
  - { model: ${AUDIO}, access_key: $KEY, base_url: "${url}/v1" }
  - { model: ${OPUS}, access_key: $KEY, base_url: "${url}" }
  - { model: openai/not-listed, access_key: $KEY, base_url: "${url}/v1" }
budgets:
  - { amount: 50 USD, per: month, unpriced: reject }
`,
    environment: { KEY: "a-key-of-a-provider" },
    adapt(read) {
      model = read;
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

/** Sets what the budget may charge in all, if it is given. Returns what it has charged. */
async function push(limit?: number): Promise<number> {
  const id = (model.budgets ?? []).map(budgetFingerprint)[0] ?? "";
  const budgets = limit === undefined ? [] : [{ id, limit, resets: 0 }];
  const { text } = await pushBudgets(gateway, JSON.stringify({ budgets }));
  const { budgets: all } = JSON.parse(text) as { budgets: { charged: number }[] };
  return all[0]?.charged ?? 0;
}

async function send(name: string, returned: object): Promise<number> {
  response = returned;
  const path = name === OPUS ? "/v1/messages" : "/v1/chat/completions";
  const messages = [{ role: "user", content: "Hi" }];
  const got = await fetch(`http://127.0.0.1:${String(gateway.ports.egress)}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: name, max_tokens: 100, messages }),
  });
  await got.text();
  return got.status;
}

const choices = [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }];
const chat = (usage: object, more: object = {}) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage },
  ...more,
});
const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

let before = 0;
beforeEach(async () => {
  before = await push(1e15);
});

it.each<[string, string, object, number]>([
  ["the standard tier", GPT, chat(TOKENS, { service_tier: "default" }), 6_000_000],
  ["the priority tier", GPT, chat(TOKENS, { service_tier: "priority" }), 12_000_000],
  ["the flex tier", GPT, chat(TOKENS, { service_tier: "flex" }), 3_000_000],
  [
    "audio",
    AUDIO,
    chat({ ...TOKENS, prompt_tokens_details: { audio_tokens: 1000 } }),
    32_000_000 + 1_000_000,
  ],
  [
    "searches, writes to a cache for an hour, and fast mode",
    OPUS,
    {
      ...{ id: "m", type: "message", role: "assistant", model: "c", stop_sequence: null },
      ...{ content: [{ type: "text", text: "a" }], stop_reason: "end_turn" },
      usage: {
        ...{ input_tokens: 1000, output_tokens: 100, cache_creation_input_tokens: 1000 },
        cache_creation: { ephemeral_1h_input_tokens: 1000 },
        ...{ server_tool_use: { web_search_requests: 2 }, speed: "fast" },
      },
    },
    10_000_000 + 5_000_000 + 20_000_000 + 20_000_000,
  ],
])("%s is charged, as the usage record has it", async (_, name, returned, cost) => {
  const lines = usageLines(gateway).length;
  expect(await send(name, returned)).toBe(200);
  await expect.poll(() => usageLines(gateway).length).toBe(lines + 1);
  expect((await push()) - before).toBe(cost);
  const record = usageLines(gateway).at(-1)?.record;
  const price = pricesOf(model).get(name);
  expect(record?.cost).toBe(cost);
  expect(record === undefined || price === undefined ? 0 : costOf(record, price)).toBe(cost);
});

it("a budget rejects as soon as the priority tier has used it up", async () => {
  // Two requests of the standard tier.
  await push(before + 12_000_000);
  expect(await send(GPT, chat(TOKENS, { service_tier: "priority" }))).toBe(200);
  await expect.poll(() => push()).toBe(before + 12_000_000);
  expect(await send(GPT, chat(TOKENS))).toBe(429);
});

it("a budget with unpriced: reject returns 403 for a model without a price, and no provider is asked", async () => {
  const asked = provider.requests.length;
  expect(await send("openai/not-listed", chat(TOKENS))).toBe(403);
  expect(provider.requests.length).toBe(asked);
  expect(await push()).toBe(before);
});
