// The fake Responses provider refuses what the real one refuses, and the official SDK understands what it sends.
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startResponsesProvider } from "./responses.ts";
import type { FakeProvider } from "./server.ts";

let provider: FakeProvider;
let other: FakeProvider;
let client: OpenAI;

beforeAll(async () => {
  provider = await startResponsesProvider({ key: "sk-test", models: ["gpt-4o", "gpt-5.1"] });
  other = await startResponsesProvider({ key: "sk-other" });
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${provider.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await provider.stop();
  await other.stop();
});

const user = { role: "user" as const, content: "hi" };
const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const result = { type: "function_call_output", call_id: "call_1", output: "1" };
const custom = { type: "custom_tool_call", call_id: "call_2", name: "g", input: "x" };
const customResult = { type: "custom_tool_call_output", call_id: "call_2", output: "1" };
const thought = { type: "reasoning", summary: [], encrypted_content: "gAAAAforeign" };
const said = (part: object) => [{ role: "assistant", content: [part] }, user];
const withItems = (...input: object[]) => ({ model: "gpt-4o", input });
const withTool = (tool: object) => ({ ...withItems(user), tools: [tool] });

async function post(body: object, path = "") {
  const response = await fetch(`${provider.url}/v1/responses${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as {
    error?: { message: string; param: string | null; code: string | null } | null;
  };
  return { status: response.status, ...json.error };
}

describe("refused", () => {
  it.each([
    ["an unknown member", { ...withItems(user), stop: "x" }, "unknown_parameter", "stop"],
    [
      "a member of chat completions inside an item",
      withItems({ ...user, cache_control: {} }),
      "unknown_parameter",
      "input[0].cache_control",
    ],
    ["no model", { input: "hi" }, "missing_required_parameter", "model"],
    [
      "an unknown type of item",
      withItems(user, { type: "brand_new" }),
      "invalid_value",
      "input[1]",
    ],
    ["an unknown type of tool", withTool({ type: "retrieval" }), "invalid_value", "tools[0]"],
    [
      "a tool as chat completions has it",
      withTool({ type: "function", function: { name: "f" } }),
      "missing_required_parameter",
      "tools[0].name",
    ],
    [
      "input_text of the assistant",
      withItems(...said({ type: "input_text", text: "x" })),
      "invalid_value",
      "input[0].content[0]",
    ],
    [
      "output_text of the user",
      withItems({ role: "user", content: [{ type: "output_text", text: "x" }] }),
      "invalid_value",
      "input[0].content[0]",
    ],
    [
      "a call id over 64 characters",
      withItems(user, { ...call, call_id: "x".repeat(65) }),
      "string_above_max_length",
      "input[1].call_id",
    ],
    [
      "an empty call id",
      withItems(user, { ...call, call_id: "" }),
      "empty_string",
      "input[1].call_id",
    ],
    [
      "max_output_tokens below 16",
      { ...withItems(user), max_output_tokens: 15 },
      "integer_below_min_value",
      "max_output_tokens",
    ],
    [
      "a long safety_identifier",
      { ...withItems(user), safety_identifier: "x".repeat(65) },
      "string_above_max_length",
      "safety_identifier",
    ],
    [
      "the id of another type",
      withItems(user, { ...call, id: "call_1" }, result),
      "invalid_value",
      "input[1].id",
    ],
    [
      "a foreign carrier",
      withItems(user, thought, { role: "assistant", content: "x" }, user),
      "invalid_encrypted_content",
      null,
    ],
    [
      "a strict schema that is open",
      withTool({ type: "function", name: "f", strict: true, parameters: { type: "object" } }),
      "invalid_function_parameters",
      "tools[0].parameters",
    ],
    [
      "an unknown response",
      { ...withItems(user), previous_response_id: "resp_x" },
      "previous_response_not_found",
      "previous_response_id",
    ],
    [
      "temperature with reasoning",
      { ...withItems(user), model: "gpt-5.1", reasoning: { effort: "low" }, temperature: 0 },
      "unsupported_parameter",
      "temperature",
    ],
    [
      "reasoning of a model that has none",
      { ...withItems(user), reasoning: { effort: "low" } },
      "unsupported_parameter",
      "reasoning.effort",
    ],
  ])("%s", async (_, body, code, param) => {
    expect(await post(body)).toMatchObject({ status: 400, code, param });
  });

  it.each([
    ["a call without its output", [user, call], /No tool output found for function call call_1\./],
    [
      "an output without its call",
      [user, result],
      /No tool call found for function call output with call_id call_1\./,
    ],
    [
      "an output before its call",
      [user, result, call],
      /No tool call found for function call output/,
    ],
    [
      "the output of another kind of call",
      [user, custom, { ...result, call_id: "call_2" }],
      /No tool call found for function call output with call_id call_2/,
    ],
    [
      "one id twice",
      [
        { ...user, id: "msg_1" },
        { ...user, id: "msg_1" },
      ],
      /Duplicate item found with id msg_1/,
    ],
  ])("%s", async (_, input, message) => {
    const refused = await post(withItems(...input));
    expect(refused).toMatchObject({ status: 400, param: "input", code: null });
    expect(refused.message).toMatch(message);
  });

  it.each([
    ["an item_reference", { type: "item_reference", id: "msg_1" }],
    ["an item_reference without a type", { id: "msg_1" }],
    ["reasoning without its carrier", { type: "reasoning", id: "rs_1", summary: [] }],
  ])("%s to what is not stored: 404", async (_, item) => {
    const refused = await post(withItems(user, item, user));
    expect(refused.status).toBe(404);
    expect(refused.message).toMatch(/^Item with id '\w+_1' not found\. Items are not persisted/);
  });

  it("json_object without the word, a tool choice without tools, options without a stream", async () => {
    const text = { format: { type: "json_object" } };
    expect((await post({ ...withItems(user), text })).message).toMatch(/the word 'json'/);
    const required = await post({ ...withItems(user), tool_choice: "required" });
    expect(required.message).toMatch(/'required' must be specified with 'tools'/);
    const options = await post({ ...withItems(user), stream_options: {} });
    expect(options.message).toMatch(/only allowed when 'stream'/);
  });
});

describe("accepted", () => {
  it("a conversation with all that clients send, also where the types may be missing", async () => {
    const input = [
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "late" }] },
      { role: "developer", content: [{ type: "input_text", text: "x" }] },
      { type: "message", ...user },
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }], phase: "commentary" },
      call,
      { role: "assistant", content: "between" },
      custom,
      customResult,
      { ...result, output: [{ type: "input_image", image_url: "https://example.com/a.png" }] },
      { role: "user", content: [{ type: "input_file", file_url: "https://example.com/a.pdf" }] },
      user,
    ];
    const tools = [
      { type: "function", name: "f", parameters: { type: "object" }, strict: false },
      { type: "custom", name: "g", format: { type: "grammar", syntax: "lark", definition: "x" } },
      { type: "namespace", name: "n", description: "", tools: [{ type: "function", name: "f" }] },
      { type: "web_search", external_web_access: true },
    ];
    expect(await post({ ...withItems(...input), tools })).toMatchObject({ status: 200 });
  });

  it("text whole, and every member that the SDK's type requires", async () => {
    const response = await client.responses.create({ model: "gpt-4o", input: "hello é 😀" });
    expect(response.output_text).toBe("You said: hello é 😀");
    expect(response.id).toMatch(/^resp_/);
    expect(response.output[0]?.id).toMatch(/^msg_/);
    expect(response).toMatchObject({ status: "completed", store: true, tool_choice: "auto" });
    const { usage } = response;
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
  });

  it("a stream of reasoning, text, and calls of each kind, in the order that stream() demands", async () => {
    const toolCalls = [
      { name: "f", arguments: { a: 1 } },
      { name: "g", arguments: { input: 'a "patch"\n' } },
      { name: "inner", arguments: {} },
    ];
    provider.next({
      kind: "answer",
      answer: { thinking: ["first", "second", { redacted: "x" }], text: "I look.", toolCalls },
      keepalives: 2,
    });
    const inner = { type: "function" as const, name: "inner", parameters: {}, strict: false };
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const stream = client.responses.stream({
      model: "gpt-5.1",
      input: [user],
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      store: false,
      tools: [
        { type: "function", name: "f", parameters: {}, strict: false },
        { type: "custom", name: "g" },
        { type: "namespace", name: "n", description: "", tools: [inner] },
      ],
    });
    for await (const event of stream) events.push(event);
    const { output } = await stream.finalResponse();
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ text: "first" }, { text: "second" }] },
      { type: "reasoning", summary: [] },
      { type: "message", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", name: "f", arguments: '{"a":1}' },
      { type: "custom_tool_call", name: "g", input: 'a "patch"\n' },
      { type: "function_call", name: "inner", namespace: "n" },
    ]);
    const ids = output.map(({ id }) => id?.replace(/_.*/, ""));
    expect(ids).toEqual(["rs", "rs", "msg", "fc", "ctc", "fc"]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    expect(events.filter(({ type }: { type: string }) => type === "keepalive")).toHaveLength(2);
  });

  it("reasoning over two turns: only its own carrier, in its own place", async () => {
    const more = { reasoning: { effort: "low" as const }, store: false };
    const include = ["reasoning.encrypted_content" as const];
    const first = await client.responses.create({
      ...{ model: "gpt-5.1", input: "hi", include },
      ...more,
    });
    const [reasoning, message] = first.output as [
      OpenAI.Responses.ResponseReasoningItem,
      OpenAI.Responses.ResponseOutputMessage,
    ];
    const status = async (...input: object[]) =>
      (await post({ model: "gpt-5.1", input, ...more })).status;
    expect(await status(user, reasoning, message, user)).toBe(200);
    const { id: _, ...anonymous } = reasoning;
    expect(await status(user, anonymous, message, user)).toBe(400);
    const { id: __, ...bare } = message;
    expect(await status(user, anonymous, bare, user)).toBe(200);
    expect(await status(user, bare, user)).toBe(200);
    expect(await status(user, message, user)).toBe(400);
    expect(await status(user, message, reasoning)).toBe(400);
    expect(await status(user, { ...anonymous, id: "rs_1" }, bare, user)).toBe(400);
    const elsewhere = new OpenAI({ apiKey: "sk-other", baseURL: `${other.url}/v1` });
    const input = [user, reasoning, message, user];
    await expect(
      elsewhere.responses.create({ model: "gpt-5.1", input, ...more }),
    ).rejects.toMatchObject({ status: 400, code: "invalid_encrypted_content" });
  });

  it("the carrier of an unfinished item cannot be used", async () => {
    provider.next({ kind: "answer", answer: { thinking: "x", text: "y" } });
    const events = await client.responses.create({
      ...{ model: "gpt-5.1", input: "hi", stream: true, store: false },
      include: ["reasoning.encrypted_content"],
    });
    for await (const event of events) {
      if (event.type !== "response.output_item.added" || event.item.type !== "reasoning") continue;
      const input = [user, event.item, { role: "assistant", content: "y" }, user];
      expect(await post({ model: "gpt-5.1", input })).toMatchObject({
        code: "invalid_encrypted_content",
      });
    }
  });

  it("the fake of Responses serves structured output", async () => {
    const City = z.object({ name: z.string() });
    provider.next({ kind: "answer", answer: { text: '{"name":"Paris"}' } });
    const response = await client.responses.parse({
      ...{ model: "gpt-4o", input: "the city" },
      text: { format: zodTextFormat(City, "city") },
    });
    expect(response.output_parsed).toEqual({ name: "Paris" });
  });

  it.each([false, true])("refusal and incomplete responses, streamed: %s", async (isStream) => {
    const ask = async () =>
      isStream
        ? client.responses.stream({ model: "gpt-4o", input: "hi" }).finalResponse()
        : client.responses.create({ model: "gpt-4o", input: "hi" });
    provider.next({ kind: "answer", answer: { refusal: "I will not." } });
    expect((await ask()).output).toMatchObject([
      { content: [{ type: "refusal", refusal: "I will not." }] },
    ]);
    provider.next({ kind: "answer", answer: { text: "cut", stop: "length" } });
    expect(await ask()).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
    provider.next({ kind: "answer", answer: { stop: "refusal" } });
    expect((await ask()).incomplete_details).toEqual({ reason: "content_filter" });
  });

  it("errors: by status, in the stream, whole in a 200, and as a broken connection", async () => {
    const say = (input: string) => client.responses.create({ model: "gpt-4o", input });
    await expect(say("[error 429]")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(say("[error 400 context_length_exceeded]")).rejects.toMatchObject({
      code: "context_length_exceeded",
    });
    await expect(say("[reset]")).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
    expect(await say("[error event 3]")).toMatchObject({ status: "failed" });
    const events: string[] = [];
    const response = await fetch(`${provider.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
      body: JSON.stringify({ model: "gpt-4o", stream: true, input: "[error event 6 slow_down]" }),
    });
    for (const line of (await response.text()).split("\n"))
      if (line.startsWith("data: ")) events.push(line.slice(6));
    const last = events.slice(-2).map((text) => JSON.parse(text) as object);
    expect(last).toMatchObject([
      { type: "error", sequence_number: 6, error: { code: "slow_down" } },
      { type: "response.failed", sequence_number: 7, response: { error: { code: "slow_down" } } },
    ]);
  });
});

describe("stored responses", () => {
  it("stored responses are continued, read, listed and deleted", async () => {
    const first = await client.responses.create({ model: "gpt-4o", input: "first" });
    const second = await client.responses.create({
      ...{ model: "gpt-4o", input: [{ id: first.output[0]?.id ?? "", type: "item_reference" }] },
    });
    expect(second.output_text).toBe("You said: ");
    const third = await client.responses.create({
      ...{ model: "gpt-4o", input: "third", previous_response_id: first.id },
    });
    expect(third.output_text).toBe("You said: third");
    expect(await client.responses.retrieve(third.id)).toEqual(third);
    const items = await client.responses.inputItems.list(third.id);
    expect(items.data).toMatchObject([{ role: "user", content: "third" }]);
    await client.responses.delete(third.id);
    await expect(client.responses.retrieve(third.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.responses.cancel(first.id)).rejects.toMatchObject({ status: 400 });
    const unstored = await client.responses.create({
      ...{ model: "gpt-4o", input: "hi", store: false },
    });
    await expect(client.responses.retrieve(unstored.id)).rejects.toMatchObject({ status: 404 });
  });

  it("background responses are queued, then completed or cancelled, and streamed from any event", async () => {
    const ask = { model: "gpt-4o", input: "hi", background: true };
    const queued = await client.responses.create(ask);
    expect(queued).toMatchObject({ status: "queued", output: [] });
    expect((await client.responses.retrieve(queued.id)).status).toBe("completed");
    const events = await client.responses.retrieve(queued.id, { stream: true, starting_after: 4 });
    for await (const { sequence_number: number } of events) {
      expect(number).toBe(5);
      break;
    }
    expect((await client.responses.cancel(queued.id)).status).toBe("cancelled");
  });

  it("stored responses serve input_tokens and compact", async () => {
    const { input_tokens: tokens } = await client.responses.inputTokens.count({
      ...{ model: "gpt-4o", input: "hi" },
    });
    expect(tokens).toBeGreaterThan(0);
    expect(
      await post({ model: "gpt-4o", input: "hi", store: false }, "/input_tokens"),
    ).toMatchObject({ status: 400, code: "unknown_parameter" });
    const { output } = await client.responses.compact({ model: "gpt-4o", input: "hi" });
    const [compaction] = output;
    expect(compaction).toMatchObject({ type: "compaction" });
    expect(await post(withItems(compaction ?? {}, user))).toMatchObject({ status: 200 });
  });
});
