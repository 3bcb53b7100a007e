// The fake OpenAI refuses what the real one refuses, and its own responses are understood by the official SDK.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOpenaiProvider } from "./openai.ts";
import type { FakeProvider } from "./server.ts";

let provider: FakeProvider;
let client: OpenAI;

beforeAll(async () => {
  provider = await startOpenaiProvider({ key: "sk-test", models: ["gpt-4o", "o3", "gpt-5"] });
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${provider.url}/v1`, maxRetries: 0 });
});
afterAll(() => provider.stop());

const user = { role: "user", content: "hi" };
const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const calling = { role: "assistant", content: null, tool_calls: [call, { ...call, id: "call_2" }] };
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "1" });
const good = { model: "gpt-4o", messages: [user] };
const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];

async function post(body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${provider.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test", ...headers },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { message: string; code: string | null } };
  return { status: response.status, message: error?.message ?? "" };
}

describe("refused", () => {
  it.each(["gpt-5.3-codex", "gpt-5-pro", "o3-pro", "o4-mini-deep-research"])(
    "%s has no chat completions",
    async (model) => {
      const { status, message } = await post({ ...good, model });
      expect(status).toBe(404);
      expect(message).toMatch(/only supported in v1\/responses/);
    },
  );

  it.each([
    [
      "an unknown member",
      { ...good, thinking: {} },
      /Unrecognized request argument supplied: thinking/,
    ],
    [
      "an unknown member of a message",
      { ...good, messages: [{ ...user, cache_control: {} }] },
      /messages\[0\]\.cache_control/,
    ],
    [
      "tools beside reasoning",
      { ...good, model: "gpt-5.6-sol", tools, reasoning_effort: "high" },
      /Function tools with reasoning_effort are not supported for gpt-5\.6-sol/,
    ],
    [
      "tools at the effort that the model has by default",
      { ...good, model: "gpt-5.5", tools },
      /use \/v1\/responses/,
    ],
    ["no messages", { model: "gpt-4o" }, /Missing required parameter: 'messages'/],
    ["empty messages", { ...good, messages: [] }, /messages/],
    [
      "an unknown role",
      { ...good, messages: [{ role: "human", content: "hi" }] },
      /messages\[0\]\.role/,
    ],
    [
      "a tool message without its call",
      { ...good, messages: [user, answer("call_1")] },
      /must be a response to a preceeding message/,
    ],
    [
      "a call that is not answered",
      { ...good, tools, messages: [user, calling, answer("call_1"), user] },
      /did not have response messages: call_2/,
    ],
    [
      "both forms of the token limit",
      { ...good, model: "o3", max_tokens: 1, max_completion_tokens: 1 },
      /at the same time/,
    ],
    [
      "max_tokens on a reasoning model",
      { ...good, model: "gpt-5", max_tokens: 1 },
      /Use 'max_completion_tokens' instead/,
    ],
    [
      "temperature on a reasoning model",
      { ...good, model: "o3", temperature: 0.2 },
      /Only the default \(1\)/,
    ],
    [
      "stream_options without stream",
      { ...good, stream_options: { include_usage: true } },
      /only allowed when 'stream'/,
    ],
    ["tool_choice without tools", { ...good, tool_choice: "auto" }, /only allowed when 'tools'/],
    ["too hot", { ...good, temperature: 2.5 }, /temperature/],
    [
      "arguments that are no string",
      {
        ...good,
        tools,
        messages: [
          user,
          { ...calling, tool_calls: [{ ...call, function: { name: "f", arguments: {} } }] },
          answer("call_1"),
        ],
      },
      /arguments/,
    ],
  ])("%s", async (_, body, message) => {
    const refused = await post(body);
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(message);
  });

  it("the fake of OpenAI refuses a wrong key, a foreign key and a gateway's header", async () => {
    expect((await post(good, { authorization: "Bearer other" })).status).toBe(401);
    expect((await post(good, { "x-api-key": "k" })).status).toBe(401);
    expect((await post(good, { "x-forwarded-for": "10.0.0.1" })).message).toMatch(
      /x-forwarded-for reached/,
    );
    expect(provider.violations()).toHaveLength(1);
  });
});

describe("accepted", () => {
  it("tool calls that are all answered, in any order", async () => {
    const messages = [user, calling, answer("call_2"), answer("call_1"), user];
    expect((await post({ ...good, tools, messages })).status).toBe(200);
  });

  it("a conversation with parallel tool calls, complete and streamed", async () => {
    const ask = {
      model: "gpt-4o",
      messages: [{ role: "user" as const, content: 'call f({"a":1}) and call f({"a":2})' }],
    };
    const asTools = [{ type: "function" as const, function: { name: "f" } }];
    const complete = await client.chat.completions.create({ ...ask, tools: asTools });
    expect(complete.choices[0]?.finish_reason).toBe("tool_calls");
    expect(complete.choices[0]?.message.tool_calls).toHaveLength(2);
    const stream = client.chat.completions.stream({
      ...ask,
      tools: asTools,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(
      final.choices[0]?.message.tool_calls?.map(
        (one) => one.type === "function" && one.function.arguments,
      ),
    ).toEqual(['{"a":1}', '{"a":2}']);
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("the fake of OpenAI follows directions in the prompt", async () => {
    const say = (content: string) =>
      client.chat.completions.create({ model: "gpt-4o", messages: [{ role: "user", content }] });
    await expect(say("[error 429]")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(say("[html 502]")).rejects.toMatchObject({ status: 502 });
    await expect(say("[reset]")).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
    expect((await say("[gzip]")).choices[0]?.message.content).toContain("You said");
  });
});
