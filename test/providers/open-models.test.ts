// The fakes of providers of open models refuse what the real ones refuse.
import { describe, expect, it } from "vitest";
import { judge } from "./open-models.ts";
import type { OpenModelProvider } from "./open-models.ts";

const user = { role: "user", content: "Weather?" };
const calls = (id = "D681PevKs") => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
});
const result = (id = "D681PevKs") => ({ role: "tool", tool_call_id: id, content: "sunny" });
const tools = [{ type: "function", function: { name: "f" } }];
const loop = (assistant: object, more: object = {}) => ({
  model: "m",
  tools,
  messages: [user, { ...calls(), ...assistant }, result()],
  ...more,
});

describe("rejected", () => {
  it.each<[OpenModelProvider, string, object, RegExp]>([
    ["mistral", "an unknown member", loop({}, { seed: 1 }), /seed/],
    ["mistral", "stream_options", loop({}, { stream_options: {} }), /stream_options/],
    ["mistral", "reasoning_content", loop({ reasoning_content: "x" }), /messages/],
    [
      "mistral",
      "a long id",
      { model: "m", messages: [user, calls("call_1"), result("call_1")] },
      /length of 9/,
    ],
    [
      "mistral",
      "a user after a tool",
      { model: "m", messages: [user, calls(), result(), user] },
      /Unexpected role 'user'/,
    ],
    [
      "groq",
      "a call without its result",
      { model: "m", messages: [user, calls(), user] },
      /tool messages/,
    ],
    [
      "deepseek",
      "a long name of a tool",
      {
        model: "m",
        messages: [user],
        tools: [{ type: "function", function: { name: "f".repeat(65) } }],
      },
      /maximum length of 64/,
    ],
    [
      "deepseek",
      "an image",
      {
        model: "m",
        messages: [{ role: "user", content: [{ type: "image_url", image_url: "https://a.test" }] }],
      },
      /messages/,
    ],
    ["groq", "reasoning_content", loop({ reasoning_content: "x" }), /messages/],
    ["groq", "an empty reasoning", loop({ reasoning: "" }), /messages/],
    ["groq", "reasoning at llama", loop({ reasoning: "x" }, { model: "llama-3" }), /reasoning/],
    ["groq", "prompt_cache_key", loop({}, { prompt_cache_key: "k" }), /prompt_cache_key/],
    ["cerebras", "reasoning_content", loop({ reasoning_content: "x" }), /messages/],
    ["cerebras", "enable_thinking", loop({}, { enable_thinking: false }), /enable_thinking/],
    ["deepseek", "a turn without reasoning", loop({}), /must be passed back/],
    ["deepseek", "a turn with the empty text", loop({ reasoning_content: "" }), /passed back/],
    ["deepseek", "effort none", loop({}, { reasoning_effort: "none" }), /reasoning_effort/],
    [
      "vllm",
      "template variables with Mistral",
      loop({}, { model: "mistralai/Devstral", chat_template_kwargs: {} }),
      /Mistral tokenizers/,
    ],
  ])("%s: %s", (provider, _what, request, message) => {
    const verdict = judge(provider, request);
    expect(verdict.status).toBe(
      provider === "mistral" && !/id|role/.test(verdict.message) ? 422 : 400,
    );
    expect(verdict.message).toMatch(message);
  });
});

describe("accepted", () => {
  it.each<[OpenModelProvider, string, object]>([
    ["mistral", "random_seed", loop({}, { random_seed: 1, metadata: {}, top_k: 4 })],
    [
      "mistral",
      "thinking parts",
      loop({
        content: [{ type: "thinking", thinking: [{ type: "text", text: "x" }], signature: "s" }],
      }),
    ],
    [
      "mistral",
      "an image",
      {
        model: "m",
        messages: [{ role: "user", content: [{ type: "image_url", image_url: "https://a.test" }] }],
      },
    ],
    ["groq", "reasoning of gpt-oss", loop({ reasoning: "x" }, { model: "openai/gpt-oss-120b" })],
    ["cerebras", "reasoning", loop({ reasoning: "x" })],
    ["deepseek", "reasoning_content", loop({ reasoning_content: "x" })],
    ["deepseek", "no reasoning with thinking off", loop({}, { thinking: { type: "disabled" } })],
    ["vllm", "anything it does not know", loop({ x: 1 }, { y: 2 })],
  ])("%s: %s", (provider, _what, request) => {
    expect(judge(provider, request)).toMatchObject({ status: 200 });
  });
});
