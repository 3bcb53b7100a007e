// The official Node SDK's Responses client through the gateway, on a strict fake of each dialect.
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import type { Answer } from "../providers/behaviour.ts";
import { testErrors } from "./node-errors.ts";

const PROVIDERS = [
  { dialect: "chat completions", provider: "openai", model: "fast", cached: 5 },
  { dialect: "messages", provider: "anthropic", model: "careful", cached: 40 },
  { dialect: "responses", provider: "responses", model: "deep", cached: 6 },
] as const;
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const City = z.object({ name: z.string(), people: z.number() });
const CITY = { name: "Paris é 😀", people: 2_100_000 };
const PATCH = '*** Begin Patch\n+a "quoted" \\ back é 😀\n*** End Patch';

let all: WithFakes;
let client: OpenAI;

beforeAll(async () => {
  all = await startWithFakes({
    timeoutMs: 3_000,
    openai: { cachedTokens: 5 },
    anthropic: { cachedTokens: 40, cacheWrittenTokens: 7 },
    responses: { cachedTokens: 6 },
  });
  client = new OpenAI({ apiKey: "any-key", maxRetries: 0, baseURL: `${all.gateway.url}/v1` });
});
afterAll(async () => {
  for (const { provider } of PROVIDERS) expect(all[provider].violations()).toEqual([]);
  await all.stop();
});

describe.each(PROVIDERS)("the Responses client on $dialect", ({ provider, model, cached }) => {
  const ask = (input: string, more: object = {}) =>
    client.responses.create({ model, input, ...more, stream: false });
  const stream = (input: string) => client.responses.create({ model, input, stream: true });
  /** The same answer whole, and by the SDK's stream helper, which checks the order of events. */
  const both = async (answer: Answer, more: object = {}): Promise<OpenAI.Responses.Response[]> => {
    all[provider].next({ kind: "answer", answer }, { kind: "answer", answer });
    const whole = await ask("hi", more);
    const streamed = await client.responses.stream({ model, input: "hi", ...more }).finalResponse();
    return [whole, streamed];
  };
  const lastBody = (): unknown => all[provider].requests.at(-1)?.json;

  it("text, and usage with its details", async () => {
    const response = await ask("hello é 😀");
    expect(response.output_text).toBe("You said: hello é 😀");
    expect(response).toMatchObject({ object: "response", status: "completed", error: null });
    expect(response.id).toMatch(/^resp_/);
    expect(response.output[0]?.id).toMatch(/^msg_/);
    const { usage } = response;
    expect(usage?.input_tokens_details.cached_tokens).toBe(cached);
    expect(usage?.output_tokens_details.reasoning_tokens).toBe(0);
    expect(usage?.input_tokens).toBeGreaterThan(cached);
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
  });

  it("instructions, several turns, parts, images by URL and in base64", async () => {
    const response = await client.responses.create({
      model,
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "Very." },
        { role: "user", content: "first" },
        { role: "assistant", content: "yes" },
        {
          role: "user",
          content: [
            { type: "input_text", text: "look " },
            { type: "input_image", detail: "auto", image_url: "https://example.com/a.png" },
            { type: "input_image", detail: "auto", image_url: PIXEL },
            { type: "input_text", text: "here" },
          ],
        },
      ],
    });
    expect(response.output_text).toBe("You said: look here (and sent 2 images)");
    expect(JSON.stringify(lastBody())).toMatch(/Be brief\..*Very\./);
  });

  it("a stream: events in order and numbered, and the same response at the end", async () => {
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const helper = client.responses.stream({ model, input: "hello é 😀" });
    for await (const event of helper) events.push(event);
    const { output_text: text } = await helper.finalResponse();
    expect(text).toBe("You said: hello é 😀");
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
    const types = events
      .map(({ type }: { type: string }) => type)
      // What may come at any time.
      .filter((type) => type !== "keepalive" && type !== "response.in_progress")
      .filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      "response.created",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("text and parallel calls, whole and streamed", async () => {
    const call = (place: string) => ({ name: "weather", arguments: { place } });
    const tools = [
      { type: "function", name: "weather", parameters: { type: "object" }, strict: false },
    ];
    const answer = { text: "I look.", toolCalls: [call("Paris é"), call("Rome")] };
    for (const { output } of await both(answer, { tools })) {
      expect(output).toMatchObject([
        { type: "message", content: [{ type: "output_text", text: "I look." }] },
        { type: "function_call", name: "weather", arguments: '{"place":"Paris é"}' },
        { type: "function_call", name: "weather", arguments: '{"place":"Rome"}' },
      ]);
      expect(output.map(({ id }) => id?.replace(/_.*/, ""))).toEqual(["msg", "fc", "fc"]);
    }
  });

  it("a custom tool's call has its plain text, and its output is sent back", async () => {
    const tools = [{ type: "custom" as const, name: "apply_patch", description: "Patches." }];
    const answer = { toolCalls: [{ name: "apply_patch", arguments: { input: PATCH } }] };
    for (const { output } of await both(answer, { tools })) {
      expect(output).toMatchObject([
        { type: "custom_tool_call", name: "apply_patch", input: PATCH },
      ]);
      const [item] = output as [OpenAI.Responses.ResponseCustomToolCall];
      const result = {
        type: "custom_tool_call_output" as const,
        call_id: item.call_id,
        output: "Done!",
      };
      const input = [{ role: "user" as const, content: "hi" }, item, result];
      const next = await client.responses.create({ model, input, tools });
      expect(next.output_text).toBe("The tools said: Done!");
    }
  });

  it("parse: structured output by a schema", async () => {
    all[provider].next({ kind: "answer", answer: { text: JSON.stringify(CITY) } });
    const text = { format: zodTextFormat(City, "city") };
    const response = await client.responses.parse({ model, input: "the city", text });
    expect(response.output_parsed).toEqual(CITY);
    expect(JSON.stringify(lastBody())).toContain('"additionalProperties":false');
  });

  it("a Responses client reads an incomplete response: max_output_tokens and content_filter", async () => {
    for (const response of await both({ text: "cut", stop: "length" }))
      expect(response).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ status: "incomplete" }],
      });
    for (const response of await both({ stop: "refusal" }))
      expect(response.incomplete_details).toEqual({ reason: "content_filter" });
  });

  testErrors({
    ...{ name: "the Responses client", sdk: OpenAI, ask, stream, fake: () => all[provider] },
    shown: { status: 503, error: { message: "The provider says 503." } },
  });

  it("cancelling in mid-stream ends the provider's work", async () => {
    const before = all[provider].requests.length;
    for await (const { type } of await stream("[pieces 1000 pace 20]"))
      if (type === "response.output_text.delta") break;
    expect(await (await all[provider].request(before)).wasCut).toBe(true);
  });

  it("a request of the Responses client that needs a store is refused, with its member", async () => {
    // A provider that has a store answers the same.
    const more = { previous_response_id: "resp_1" };
    await expect(ask("hi", more)).rejects.toMatchObject({
      ...{ status: 400, param: "previous_response_id", code: "previous_response_not_found" },
    });
  });

  it("x-gateway-dropped names what was left out in a translation", async () => {
    const asked = client.responses.create({ model, input: "hi", max_tool_calls: 3 });
    const { response } = await asked.withResponse();
    const isNative = provider === "responses";
    expect(response.headers.get("x-gateway-dropped")).toBe(isNative ? null : "max_tool_calls");
  });
});
