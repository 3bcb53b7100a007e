// The parts of a prompt in the usage record (contract/prompt-parts.ts), as the release filter writes them.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import {
  comparePrompts,
  readPromptParts,
} from "../../control-plane/prompt-cache/compare-prompts.ts";
import type { PromptMembers, UsageRecord } from "../../control-plane/usage/usage-line.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import { loadCase } from "./case.ts";
import { egressRequest } from "./egress-request.ts";

const compiled = compileFilter(join(import.meta.dirname, "../../build/filter.wasm"));

type Json = Record<string, unknown>;

async function load(more = "observability: {}"): Promise<FilterHost> {
  const configuration = `version: v0.1.0
${more}
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY, base_url: "http://openai.test/v1"}
`;
  const { filterConfig, environment } = loadCase({ name: "prompt-parts", configuration });
  return FilterHost.load(await compiled, { filterConfig, environment });
}

const host = load();

async function recordOf(path: string, body: Json, on = host): Promise<UsageRecord> {
  const { faults, filterState } = (await on).exchange({
    ...egressRequest(path, [["x-session-id", "ses_1"]], { model: "openai/gpt-4o", ...body }),
    upstream: () => ({ status: 500, headers: [], chunks: [] }),
  });
  expect(faults).toEqual([]);
  return JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord;
}

async function partsOf(path: string, body: Json): Promise<PromptMembers> {
  return (await recordOf(path, body)).prompt ?? {};
}

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";
const mark = { cache_control: { type: "ephemeral" } };
const text = (value: string, more: Json = {}): Json => ({ type: "text", text: value, ...more });
const user = (content: unknown): Json => ({ role: "user", content });
const messages = (list: unknown, more: Json = {}): Json => ({
  max_tokens: 9,
  messages: list,
  ...more,
});
const tool = (name: string, more: Json = {}): Json => ({
  name,
  description: `Runs ${name}.`,
  input_schema: { type: "object", properties: {} },
  ...more,
});

describe("parts that stay the same", () => {
  const result = (content: unknown, more: Json = {}): Json =>
    user([{ type: "tool_result", tool_use_id: "t", content, ...more }]);
  it.each<[string, Json, Json]>([
    [
      "a wandering mark and a text that becomes a string",
      messages([user([text("Hi", mark)])]),
      messages([user("Hi")]),
    ],
    [
      "another time of a mark",
      messages([user([text("Hi", { cache_control: { type: "ephemeral", ttl: "1h" } })])]),
      messages([user([text("Hi", mark)])]),
    ],
    [
      "a mark on a tool's result",
      messages([user("Hi"), result("A", mark)]),
      messages([user("Hi"), result("A")]),
    ],
    [
      "a tool's result as a block",
      messages([user("Hi"), result([text("A", mark)])]),
      messages([user("Hi"), result("A")]),
    ],
    [
      "a mark on a tool",
      messages([user("Hi")], { tools: [tool("a", mark)] }),
      messages([user("Hi")], { tools: [tool("a")] }),
    ],
    [
      "a system prompt that becomes a block with a mark",
      messages([user("Hi")], { system: "Be brief." }),
      messages([user("Hi")], { system: [text("Be brief.", mark)] }),
    ],
    [
      "the attribution block of Claude Code",
      messages([user("Hi")], { system: [text("x-anthropic-billing-header: cch=1;"), text("B")] }),
      messages([user("Hi")], { system: [text("x-anthropic-billing-header: cch=2;"), text("B")] }),
    ],
  ])("the parts are the same with %s", async (_, one, other) => {
    const parts = await partsOf(MESSAGES, one);
    expect(parts.messages).toMatch(/^[\w-]{4,}$/);
    expect(await partsOf(MESSAGES, other)).toEqual(parts);
  });

  it("the parts are the same with OpenAI's breakpoints", async () => {
    const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } };
    const chat = (content: unknown): Json => ({ messages: [user(content)] });
    expect(await partsOf(CHAT, chat([text("Hi", breakpoint)]))).toEqual(
      await partsOf(CHAT, chat("Hi")),
    );
  });
});

describe("parts that differ", () => {
  it.each<[string, Json, Json]>([
    ["the end of a text", messages([user("Hello")]), messages([user("Hella")])],
    ["the role", messages([user("Hi")]), messages([{ role: "assistant", content: "Hi" }])],
    ["two blocks", messages([user([text("a"), text("b")])]), messages([user("ab")])],
    [
      "the middle of a long text",
      messages([user(`${"x".repeat(60_000)}a${"x".repeat(60_000)}`)]),
      messages([user(`${"x".repeat(60_000)}b${"x".repeat(60_000)}`)]),
    ],
    [
      "an image",
      messages([user([{ type: "image", source: { type: "url", url: "http://a.test/1.png" } }])]),
      messages([user([{ type: "image", source: { type: "url", url: "http://a.test/2.png" } }])]),
    ],
  ])("the messages differ by %s", async (_, one, other) => {
    const parts = await partsOf(MESSAGES, one);
    expect((await partsOf(MESSAGES, other)).messages).not.toBe(parts.messages);
  });

  it("each setting is by itself", async () => {
    const plain = readPromptParts(await partsOf(MESSAGES, messages([user("Hi")])));
    for (const [name, value] of [
      ["tool_choice", { type: "auto" }],
      ["thinking", { type: "adaptive" }],
      ["output_config", { effort: "low" }],
      ["service_tier", "standard_only"],
    ] as const) {
      const other = readPromptParts(
        await partsOf(MESSAGES, messages([user("Hi")], { [name]: value })),
      );
      expect(comparePrompts(plain, other, "anthropic_messages").first).toEqual({
        path: name,
        how: "added",
        part: "settings",
      });
    }
  });
});

describe("what a record has of a prompt", () => {
  it("a record has the messages of the system that come first", async () => {
    const list = [{ role: "system", content: "B" }, { role: "developer", content: "C" }, user("H")];
    expect(await partsOf(CHAT, { messages: list })).toMatchObject({ lead: 2, count: 3 });
  });

  it("a record has no messages if the provider has those before", async () => {
    const parts = await partsOf(RESPONSES, { input: "Hi", previous_response_id: "resp_1" });
    expect(parts).toEqual({});
    expect(await partsOf(RESPONSES, { input: "Hi" })).toMatchObject({ count: 1 });
  });

  it("a record is bounded, however many parts a prompt has", async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => user(`${index}`));
    const tools = Array.from({ length: 1000 }, (_, index) => tool(`t${index}`));
    const system = Array.from({ length: 1000 }, (_, index) => text(`${index}`));
    const parts = await partsOf(MESSAGES, messages(list, { tools, system }));
    expect(parts.count).toBe(20_000);
    expect(parts.tools).toHaveLength(129 * 9);
    expect(parts.system).toHaveLength(9 * 4);
    expect(parts.messages?.length).toBeLessThanOrEqual(128 * 4);
    expect(JSON.stringify(parts).length).toBeLessThan(2000);
  });

  it("a record has parts of whatever is in the place of a list", async () => {
    for (const odd of [null, 1, "a", true, {}, [], [null], [[["a"]]], { a: [1] }]) {
      const body = { tools: odd, system: odd, instructions: odd, tool_choice: odd, messages: odd };
      for (const path of [CHAT, MESSAGES, RESPONSES]) await recordOf(path, { ...body, input: odd });
    }
    const deep = (depth: number): unknown => (depth === 0 ? "x" : [deep(depth - 1)]);
    await recordOf(MESSAGES, messages([user(deep(200)), { content: deep(200) }]));
  });

  it("a record has no parts with observe: off", async () => {
    const off = load("observability: {}\nsessions: {observe: off}");
    const record = await recordOf(CHAT, { messages: [user("Hi")] }, off);
    expect(record.session).toBe("ses_1");
    expect(record.prompt).toBeUndefined();
    expect((await recordOf(CHAT, { messages: [user("Hi")] })).prompt).toBeDefined();
  });
});
