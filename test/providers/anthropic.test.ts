// The fake Anthropic refuses what the real one refuses, and its own responses are understood by the official SDK.
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAnthropicProvider } from "./anthropic.ts";
import type { FakeProvider } from "./server.ts";

let provider: FakeProvider;
let client: Anthropic;

beforeAll(async () => {
  provider = await startAnthropicProvider({ key: "sk-ant-test" });
  client = new Anthropic({ apiKey: "sk-ant-test", baseURL: provider.url, maxRetries: 0 });
});
afterAll(() => provider.stop());

const user = { role: "user", content: "hi" };
const good = { model: "claude-test", max_tokens: 2000, messages: [user] };
const tools = [{ name: "f", input_schema: { type: "object" } }];
const use = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const using = { role: "assistant", content: [use, { ...use, id: "toolu_2" }] };
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "1" });
const text = { type: "text", text: "and?" };
const thinking = { type: "enabled", budget_tokens: 1024 };
const searched = (page: object) => ({
  ...good,
  tools: [{ type: "web_search_20250305", name: "web_search" }],
  messages: [
    user,
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [{ type: "web_search_result", url: "https://a", title: "t", ...page }],
        },
      ],
    },
    user,
  ],
});

async function post(body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${provider.url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "sk-ant-test",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? "" };
}

describe("refused", () => {
  it.each([
    ["an unknown member", { ...good, n: 1 }, /^n: Extra inputs are not permitted/],
    ["no max_tokens", { model: "m", messages: [user] }, /^max_tokens: Field required/],
    [
      "a system role",
      { ...good, messages: [{ role: "system", content: "x" }, user] },
      /Unexpected role "system"/,
    ],
    [
      "an assistant first",
      { ...good, messages: [{ role: "assistant", content: "x" }] },
      /first message must use the "user" role/,
    ],
    ["two users in a row", { ...good, messages: [user, user] }, /roles must alternate/],
    [
      "empty text",
      { ...good, messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
      /must be non-empty/,
    ],
    ["a page that was changed", searched({ encrypted_content: "bm8=.no" }), /Invalid `encrypted_/],
    ["a page without its content", searched({}), /^messages\.1\.content: Invalid input/],
    ["too hot", { ...good, temperature: 1.5 }, /^temperature/],
    [
      "an enforced schema with a maximum",
      {
        ...good,
        output_config: {
          format: {
            type: "json_schema",
            schema: { type: "integer", maximum: 9 },
          },
        },
      },
      /property 'maximum' is not supported/,
    ],
    [
      "a tool whose schema is a union",
      { ...good, tools: [{ name: "f", input_schema: { type: "object", anyOf: [] } }] },
      /at the top level/,
    ],
    [
      "a tool_use that is not answered",
      { ...good, tools, messages: [user, using, { role: "user", content: [result("toolu_1")] }] },
      /without `tool_result` blocks immediately after: toolu_2/,
    ],
    [
      "a result behind text",
      {
        ...good,
        tools,
        messages: [
          user,
          using,
          { role: "user", content: [result("toolu_1"), text, result("toolu_2")] },
        ],
      },
      /toolu_2/,
    ],
    [
      "a result that nobody asked for",
      { ...good, tools, messages: [{ role: "user", content: [result("toolu_9")] }] },
      /unexpected `tool_use_id`/,
    ],
    [
      "a thinking budget above max_tokens",
      { ...good, max_tokens: 1000, thinking },
      /greater than `thinking.budget_tokens`/,
    ],
    [
      "forged thinking",
      {
        ...good,
        messages: [
          user,
          {
            role: "assistant",
            content: [{ type: "thinking", thinking: "x", signature: "eA==" }, text],
          },
          user,
        ],
      },
      /Invalid `signature`/,
    ],
    ["a tool_choice without tools", { ...good, tool_choice: { type: "auto" } }, /tool_choice/],
    [
      "an unknown member of a block",
      { ...good, messages: [{ role: "user", content: [{ ...text, id: 1 }] }] },
      /Extra inputs are not permitted/,
    ],
  ])("%s", async (_, body, message) => {
    const refused = await post(body);
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(message);
  });

  it.each([
    ["a thinking block less", (blocks: unknown[]) => blocks.slice(1)],
    ["thinking in another order", ([a, b, ...rest]: unknown[]) => [b, a, ...rest]],
    ["thinking behind its call", ([a, ...rest]: unknown[]) => [...rest, a]],
  ])("%s than in the answer that was given", async (_, change) => {
    const thoughts = ["one", { redacted: "two" }, "three"];
    const toolCalls = [{ name: "f", arguments: { a: 1 } }];
    provider.next({ kind: "answer", answer: { thinking: thoughts, toolCalls } });
    const response = await fetch(`${provider.url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": "sk-ant-test",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify({ ...good, thinking, tools }),
    });
    const { content } = (await response.json()) as { content: { id?: string }[] };
    const next = (blocks: unknown[]) => ({
      ...good,
      thinking,
      tools,
      messages: [
        user,
        { role: "assistant", content: blocks },
        { role: "user", content: [result(content.at(-1)?.id ?? "")] },
      ],
    });
    expect((await post(next(content))).status).toBe(200);
    expect(await post(next(change(content)))).toMatchObject({
      status: 400,
      message: expect.stringContaining("cannot be modified") as string,
    });
  });

  it("the fake of Anthropic refuses a missing version, a wrong key and a bearer", async () => {
    const response = await fetch(`${provider.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "sk-ant-test" },
      body: JSON.stringify(good),
    });
    expect(response.status).toBe(400);
    expect((await post(good, { "x-api-key": "other" })).status).toBe(401);
    expect((await post(good, { authorization: "Bearer x" })).status).toBe(401);
  });
});

describe("accepted", () => {
  it("a turn with thinking and parallel tools, whose thinking comes back signed", async () => {
    const ask = { role: "user" as const, content: 'call f({"a":1}) and call f({"a":2})' };
    const request = {
      model: "claude-test",
      max_tokens: 2000,
      thinking: { type: "enabled" as const, budget_tokens: 1024 },
      tools: [{ name: "f", input_schema: { type: "object" as const } }],
    };
    const turn = await client.messages.stream({ ...request, messages: [ask] }).finalMessage();
    expect(turn.content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    const results = turn.content.flatMap((block) =>
      block.type === "tool_use"
        ? [
            {
              type: "tool_result" as const,
              tool_use_id: block.id,
              content: JSON.stringify(block.input),
            },
          ]
        : [],
    );
    const messages = [
      ask,
      { role: "assistant" as const, content: turn.content },
      { role: "user" as const, content: results },
    ];
    const end = await client.messages.create({ ...request, messages });
    expect(end.content.at(-1)).toMatchObject({
      type: "text",
      text: 'The tools said: {"a":1}; {"a":2}',
    });
    const withoutThinking = { role: "assistant" as const, content: turn.content.slice(1) };
    await expect(
      client.messages.create({
        ...request,
        messages: [ask, withoutThinking, { role: "user", content: results }],
      }),
    ).rejects.toThrow(/Expected `thinking`/);
  });

  it("the fake of Anthropic follows directions in the prompt", async () => {
    const say = (content: string) =>
      client.messages.create({ model: "m", max_tokens: 10, messages: [{ role: "user", content }] });
    await expect(say("[error 529]")).rejects.toMatchObject({
      status: 529,
      type: "overloaded_error",
    });
    await expect(say("[reset]")).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  });
});
