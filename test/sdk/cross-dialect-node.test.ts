// The official Node SDKs, each against the strict fakes of the other dialects, through the gateway.
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { testErrors } from "./node-errors.ts";

const CACHED = 40;
const WRITTEN = 7;
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const City = z.object({ name: z.string(), people: z.number() });
const CITY = { name: "Paris é 😀", people: 2_100_000 };

const OPENAI_ON = [
  {
    dialect: "messages",
    provider: "anthropic",
    model: "careful",
    name: /^claude-test/,
    cached: CACHED,
    inputTokens: CACHED + WRITTEN,
    schema: {
      output_config: { format: { type: "json_schema", schema: { additionalProperties: false } } },
    },
    dropped: ["frequency_penalty", "response_format", "temperature"],
  },
  {
    dialect: "responses",
    provider: "responses",
    model: "deep",
    name: /^gpt-5\.1/,
    cached: 6,
    inputTokens: 6,
    schema: { text: { format: { type: "json_schema", strict: true } } },
    dropped: ["frequency_penalty"],
  },
] as const;
const ANTHROPIC_ON = [
  {
    dialect: "chat completions",
    provider: "openai",
    model: "fast",
    name: /^gpt-4o/,
    cached: 5,
    inputTokens: (sent: { messages?: object }) => quarter(sent.messages),
    schema: { response_format: { type: "json_schema" } },
  },
  {
    dialect: "responses",
    provider: "responses",
    model: "deep",
    name: /^gpt-5\.1/,
    cached: 6,
    inputTokens: (sent: { input?: object[] }) =>
      quarter([undefined, sent.input?.map((item) => ({ ...item, type: "message" }))]),
    schema: { text: { format: { type: "json_schema", strict: true } } },
  },
] as const;

/** The fakes' tokens of a prompt. */
function quarter(prompt: unknown): number {
  return Math.ceil(JSON.stringify(prompt).length / 4);
}

let all: WithFakes;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  all = await startWithFakes({
    timeoutMs: 3_000,
    openai: { cachedTokens: 5 },
    anthropic: { cachedTokens: CACHED, cacheWrittenTokens: WRITTEN },
    responses: { cachedTokens: 6 },
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openai = new OpenAI({ ...options, baseURL: `${all.gateway.url}/v1` });
  anthropic = new Anthropic({ ...options, baseURL: all.gateway.url });
});
afterAll(async () => {
  for (const provider of [all.openai, all.anthropic, all.responses])
    expect(provider.violations()).toEqual([]);
  await all.stop();
});

describe.each(OPENAI_ON)("the OpenAI SDK on $dialect", ({ provider, model, ...row }) => {
  const user = (content: string) => ({ role: "user" as const, content });
  const request = (content: string) => ({ model, messages: [user(content)] });
  const ask = (content: string) => openai.chat.completions.create(request(content));
  const stream = (content: string, more: object = {}) =>
    openai.chat.completions.create({ ...request(content), ...more, stream: true });

  it("text, with cached tokens inside prompt_tokens", async () => {
    const response = await ask("hello é 😀");
    expect(response.choices[0]).toMatchObject({
      message: { role: "assistant", content: "You said: hello é 😀" },
      finish_reason: "stop",
    });
    expect(response.object).toBe("chat.completion");
    expect(response.model).toMatch(row.name);
    const { usage } = response;
    expect(usage?.prompt_tokens_details).toMatchObject({ cached_tokens: row.cached });
    expect(usage?.prompt_tokens).toBeGreaterThan(row.inputTokens);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it("a system prompt, several turns, parts, images by URL and in base64", async () => {
    const response = await openai.chat.completions.create({
      model,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: "Very." },
        user("first"),
        { role: "assistant", content: "yes" },
        {
          role: "user",
          content: [
            { type: "text", text: "look " },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: "text", text: "here" },
          ],
        },
      ],
    });
    expect(response.choices[0]?.message.content).toBe("You said: look here (and sent 2 images)");
  });

  it("a stream: role first, one finish, usage only if asked", async () => {
    let text = "";
    const finishes: unknown[] = [];
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await stream("hello é 😀")) {
      chunks.push(chunk);
      text += chunk.choices[0]?.delta.content ?? "";
      if (chunk.choices[0]?.finish_reason != null) finishes.push(chunk.choices[0].finish_reason);
    }
    expect(text).toBe("You said: hello é 😀");
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(finishes).toEqual(["stop"]);
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    const usages: unknown[] = [];
    for await (const { usage } of await stream("hi", { stream_options: { include_usage: true } }))
      if (usage != null) usages.push(usage);
    expect(usages).toMatchObject([{ prompt_tokens_details: { cached_tokens: row.cached } }]);
  });

  it("parse: structured output by a schema", async () => {
    all[provider].next({ kind: "answer", answer: { text: JSON.stringify(CITY) } });
    const response = await openai.chat.completions.parse({
      ...request("the city"),
      response_format: zodResponseFormat(City, "city"),
    });
    expect(response.choices[0]?.message.parsed).toEqual(CITY);
    expect(all[provider].requests.at(-1)?.json).toMatchObject(row.schema);
  });

  it("x-gateway-dropped lists what the provider has no form of, such as JSON mode", async () => {
    all[provider].next({ kind: "answer", answer: { text: '{"a":1}' } });
    const asked = openai.chat.completions.create({
      ...request("as json"),
      response_format: { type: "json_object" },
      frequency_penalty: 0.5,
      temperature: 1.5,
    });
    const { data, response } = await asked.withResponse();
    expect(data.choices[0]?.message.content).toBe('{"a":1}');
    const dropped = response.headers.get("x-gateway-dropped")?.split(",");
    expect(dropped?.toSorted()).toEqual(row.dropped);
  });

  it("the OpenAI SDK reports length and content_filter", async () => {
    all[provider].next({ kind: "answer", answer: { text: "cut", stop: "length" } });
    expect((await ask("long")).choices[0]?.finish_reason).toBe("length");
    all[provider].next({ kind: "answer", answer: { text: "no", stop: "refusal" } });
    expect((await ask("bad")).choices[0]?.finish_reason).toBe("content_filter");
  });

  testErrors({
    ...{ name: "the OpenAI SDK", sdk: OpenAI, ask, stream, fake: () => all[provider] },
    also: [529, "InternalServerError"],
    shown: { status: 529, error: { message: "The provider says 529." } },
  });

  it("cancelling in mid-stream ends the provider's work", async () => {
    const before = all[provider].requests.length;
    for await (const _ of await stream("[pieces 1000 pace 20]")) break;
    expect(await (await all[provider].request(before)).wasCut).toBe(true);
  });

  it("a request of the OpenAI SDK is refused if a drop would change the response, with its name", async () => {
    const asked = openai.chat.completions.create({ ...request("hi"), n: 2 });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "n" });
  });
});

describe.each(ANTHROPIC_ON)("the Anthropic SDK on $dialect", ({ provider, model, ...row }) => {
  const request = (content: string) => ({
    model,
    max_tokens: 2000,
    messages: [{ role: "user" as const, content }],
  });
  const ask = (content: string) => anthropic.messages.create(request(content));
  const stream = (content: string) =>
    anthropic.messages.create({ ...request(content), stream: true });

  it("text, with cached tokens outside of input_tokens", async () => {
    const response = await ask("hello é 😀");
    expect(response).toMatchObject({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "You said: hello é 😀" }],
      stop_reason: "end_turn",
      usage: { cache_read_input_tokens: row.cached },
    });
    expect(response.id).toMatch(/^msg_/);
    expect(response.model).toMatch(row.name);
    const sent = all[provider].requests.at(-1)?.json as object;
    expect(response.usage.input_tokens).toBe(row.inputTokens(sent) - row.cached);
  });

  it("system blocks, several turns, blocks, images by URL and in base64", async () => {
    const response = await anthropic.messages.create({
      model,
      max_tokens: 100,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "first" },
        { role: "assistant", content: [{ type: "text", text: "yes" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "look " },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
            { type: "text", text: "here" },
          ],
        },
      ],
    });
    expect(response.content).toMatchObject([{ text: "You said: look here (and sent 2 images)" }]);
  });

  it("a stream, by the SDK's helper, with the exact order of events", async () => {
    const helper = anthropic.messages.stream(request("hello é 😀"));
    const types: string[] = [];
    helper.on("streamEvent", ({ type }) => {
      if (type !== types.at(-1)) types.push(type);
    });
    const final = await helper.finalMessage();
    expect(final.content).toMatchObject([{ type: "text", text: "You said: hello é 😀" }]);
    expect(final.usage).toMatchObject({ cache_read_input_tokens: row.cached });
    expect(types).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  it("text and parallel tools are several blocks, in a stream and whole", async () => {
    const call = (place: string) => ({ name: "weather", arguments: { place } });
    const answer = { text: "I look.", toolCalls: [call("Paris"), call("Rome")] };
    const tools = [{ name: "weather", input_schema: { type: "object" as const } }];
    const wanted = [
      { type: "text", text: "I look." },
      { type: "tool_use", name: "weather", input: { place: "Paris" } },
      { type: "tool_use", name: "weather", input: { place: "Rome" } },
    ];
    all[provider].next({ kind: "answer", answer }, { kind: "answer", answer });
    const whole = await anthropic.messages.create({ ...request("hi"), tools });
    const streamed = await anthropic.messages.stream({ ...request("hi"), tools }).finalMessage();
    for (const { content, stop_reason: reason } of [whole, streamed]) {
      expect(content).toMatchObject(wanted);
      expect(reason).toBe("tool_use");
    }
  });

  it("parse: structured output by a schema", async () => {
    all[provider].next({ kind: "answer", answer: { text: JSON.stringify(CITY) } });
    const response = await anthropic.messages.parse({
      ...request("the city"),
      output_config: { format: zodOutputFormat(City) },
    });
    expect(response.parsed_output).toEqual(CITY);
    expect(all[provider].requests.at(-1)?.json).toMatchObject(row.schema);
  });

  it("x-gateway-dropped names what was left out", async () => {
    const asked = anthropic.messages.create({
      ...request("hi"),
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    });
    const { response } = await asked.withResponse();
    expect(response.headers.get("x-gateway-dropped")).toContain("cache_control");
  });

  it("the Anthropic SDK reports max_tokens and refusal", async () => {
    all[provider].next({ kind: "answer", answer: { text: "cut", stop: "length" } });
    expect((await ask("long")).stop_reason).toBe("max_tokens");
    all[provider].next({ kind: "answer", answer: { text: "no", stop: "refusal" } });
    expect((await ask("bad")).stop_reason).toBe("refusal");
  });

  testErrors({
    ...{ name: "the Anthropic SDK", sdk: Anthropic, ask, stream, fake: () => all[provider] },
    also: [422, "UnprocessableEntityError"],
    shown: {
      status: 429,
      error: { error: { type: "rate_limit_error", message: "The provider says 429." } },
    },
  });

  it("cancelling in mid-stream ends the provider's work", async () => {
    const before = all[provider].requests.length;
    for await (const _ of await stream("[pieces 1000 pace 20]")) break;
    expect(await (await all[provider].request(before)).wasCut).toBe(true);
  });
});

describe("strict_translation", () => {
  it("strict_translation rejects what would be dropped, by name, and no other request", async () => {
    const strict = await startWithFakes({ config: "overrides:\n  strict_translation: true\n" });
    const client = new OpenAI({
      apiKey: "any-key",
      maxRetries: 0,
      baseURL: `${strict.gateway.url}/v1`,
    });
    const request = { model: "careful", messages: [{ role: "user" as const, content: "hi" }] };
    const asked = client.chat.completions.create({ ...request, frequency_penalty: 0.5 });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "frequency_penalty" });
    expect(strict.anthropic.requests).toEqual([]);
    const { choices } = await client.chat.completions.create(request);
    expect(choices[0]?.message.content).toBe("You said: hi");
    await strict.stop();
  });
});
