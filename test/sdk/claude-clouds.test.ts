// The official Node SDKs of each client API on Claude at the clouds: strict fakes of Vertex AI and Bedrock (InvokeModel) refuse
// every beta and member that they do not know, and Bedrock's stream is binary.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startBedrockClaude, startVertexClaude } from "../providers/cloud.ts";
import type { FakeProvider } from "../providers/server.ts";
import { thrown } from "./node-errors.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const City = z.object({ name: z.string(), people: z.number() });
const CITY = { name: "Paris é 😀", people: 2_100_000 };
const BETAS = ["context-1m-2025-08-07", "files-api-2025-04-14"];

const fakes: Record<string, FakeProvider> = {};
let gateway: Gateway;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  fakes["vertex"] = await startVertexClaude({ key: "ya29.token" });
  fakes["bedrock"] = await startBedrockClaude({ key: "bedrock-key" });
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { name: vertex, model: "vertex/claude-sonnet-4-6@20260101", access_key: $TOKEN, project: my-project, location: eu, base_url: "${fakes["vertex"].url}" }
  - { name: limited-vertex, model: "vertex/claude-opus-4-6", access_key: $TOKEN, project: my-project, location: eu, base_url: "${fakes["vertex"].url}" }
  - { name: limited-bedrock, model: "bedrock/anthropic.claude-opus-4-6-v1", access_key: $KEY, region: eu-central-1, base_url: "${fakes["bedrock"].url}" }
  - { name: bedrock, model: "bedrock/eu.anthropic.claude-sonnet-4-6-v1:0", access_key: $KEY, region: eu-central-1, base_url: "${fakes["bedrock"].url}" }
ratelimits:
  - { model: limited-vertex, limit: { tokens: 100000, unit: day } }
  - { model: limited-bedrock, limit: { tokens: 100000, unit: day } }
`,
    environment: { TOKEN: "ya29.token", KEY: "bedrock-key" },
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openai = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` });
  anthropic = new Anthropic({ ...options, baseURL: gateway.url });
});
afterAll(async () => {
  for (const fake of Object.values(fakes)) expect(fake.violations()).toEqual([]);
  await gateway.stop();
  await Promise.all(Object.values(fakes).map((fake) => fake.stop()));
});

const CLOUDS = ["vertex", "bedrock"];
const user = (content: string) => ({ role: "user" as const, content });
const image = { type: "base64" as const, media_type: "image/png" as const, data: PIXEL };
const weather = {
  name: "weather",
  description: "Reports the weather.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
};
const calls = 'call weather({"city":"Rome é"}) and call weather({"city":"Oslo"})';
const textOf = ({ content }: Anthropic.Message | Anthropic.Beta.BetaMessage): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

describe.each(CLOUDS)("the Anthropic SDK on %s", (model) => {
  const base = { model, max_tokens: 4000 };

  it("the Anthropic SDK on a cloud reads a complete response and a stream, with an unknown beta", async () => {
    const request = { ...base, messages: [user("hé 😀")], betas: BETAS };
    const whole = await anthropic.beta.messages.create(request);
    expect(textOf(whole)).toBe("You said: hé 😀");
    const streamed = await anthropic.beta.messages.stream(request).finalMessage();
    expect(textOf(streamed)).toBe("You said: hé 😀");
    expect(streamed.stop_reason).toBe("end_turn");
    expect(streamed.usage.output_tokens).toBeGreaterThan(0);
  });

  it("the Anthropic SDK on a cloud completes a loop of parallel tools with thinking that keeps its signature", async () => {
    const thinking = { type: "enabled" as const, budget_tokens: 2000 };
    const messages: Anthropic.MessageParam[] = [user(calls)];
    const request = { ...base, thinking, tools: [weather] };
    const first = await anthropic.messages.stream({ ...request, messages }).finalMessage();
    const uses = first.content.filter((block) => block.type === "tool_use");
    expect(uses.map(({ input }) => input)).toEqual([{ city: "Rome é" }, { city: "Oslo" }]);
    expect(first.content[0]).toMatchObject({ type: "thinking" });
    const results = uses.map(({ id }) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: "sun",
    }));
    messages.push(
      { role: "assistant", content: first.content },
      { role: "user", content: results },
    );
    const second = await anthropic.messages.create({ ...request, messages });
    expect(textOf(second)).toBe("The tools said: sun; sun");
  });

  it("the Anthropic SDK on a cloud sends an image, and learns that a URL is not fetched", async () => {
    const content = [
      { type: "image" as const, source: image },
      { type: "text" as const, text: "?" },
    ];
    const response = await anthropic.messages.create({
      ...base,
      messages: [{ role: "user", content }],
    });
    expect(textOf(response)).toContain("?");
    const source = { type: "url" as const, url: "https://example.com/a.png" };
    const refused = thrown(
      anthropic.messages.create({
        ...base,
        messages: [{ role: "user", content: [{ type: "image", source }] }],
      }),
    );
    expect(await refused).toBeInstanceOf(Anthropic.BadRequestError);
    expect(String(await refused)).toMatch(/of type url is not supported by Claude on .* base64/);
  });

  it.each([
    [400, Anthropic.BadRequestError],
    [404, Anthropic.NotFoundError],
    [429, Anthropic.RateLimitError],
    [500, Anthropic.InternalServerError],
    [503, Anthropic.InternalServerError],
  ])("the Anthropic SDK on a cloud throws the class of a %i", async (status, type) => {
    const error = await thrown(
      anthropic.messages.create({ ...base, messages: [user(`[error ${String(status)}]`)] }),
    );
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, error: { type: "error" } });
    expect(String(error)).toContain(`The provider says ${String(status)}.`);
  });

  it("the Anthropic SDK on a cloud counts the tokens that a stream reports", async () => {
    const request = { ...base, model: `limited-${model}`, messages: [user("hi")] };
    const left = async (): Promise<number> => {
      const { response } = await anthropic.messages.create(request).withResponse();
      return Number(response.headers.get("anthropic-ratelimit-tokens-remaining"));
    };
    const before = await left();
    const { usage } = await anthropic.messages.stream(request).finalMessage();
    const used = usage.input_tokens + usage.output_tokens;
    // What is left before this request's own response is counted.
    const estimate = before - (await left());
    expect(estimate).toBeGreaterThanOrEqual(2 * used);
  });

  it("the Anthropic SDK on a cloud throws in the middle of a stream that the provider ends with an error", async () => {
    fakes[model]?.next({ kind: "errorEvent", afterEvents: 4 });
    const stream = anthropic.messages.stream({ ...base, messages: [user("a b c d e f")] });
    const error = await thrown(stream.finalMessage());
    expect(String(error)).toMatch(/Overloaded|Too many tokens/);
  });

  it("the Anthropic SDK on a cloud throws the class of an error that comes before the stream", async () => {
    if (model !== "bedrock") return;
    fakes[model]?.next({ kind: "errorEvent", afterEvents: 0 });
    const error = await thrown(
      anthropic.messages.stream({ ...base, messages: [user("hi")] }).finalMessage(),
    );
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
  });
});

describe.each(CLOUDS)("the OpenAI SDK on %s", (model) => {
  it("chat completions: reads a complete response and a stream", async () => {
    const whole = await openai.chat.completions.create({ model, messages: [user("hé 😀")] });
    expect(whole.choices[0]).toMatchObject({
      message: { content: "You said: hé 😀" },
      finish_reason: "stop",
    });
    const stream = openai.chat.completions.stream({
      model,
      messages: [user("hé 😀")],
      stream_options: { include_usage: true },
    });
    expect(await stream.finalContent()).toBe("You said: hé 😀");
    expect((await stream.totalUsage()).completion_tokens).toBeGreaterThan(0);
  });

  it("chat completions: parallel calls, their results, and an image", async () => {
    const { input_schema: parameters, ...tool } = weather;
    const tools = [{ type: "function" as const, function: { ...tool, parameters } }];
    const url = `data:image/png;base64,${PIXEL}`;
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url } },
          { type: "text", text: calls },
        ],
      },
    ];
    const { message } = (
      await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
    ).choices[0] ?? { message: undefined };
    if (message === undefined) throw new Error("no choice");
    const results = (message.tool_calls ?? []).map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: "sun",
    }));
    expect(results).toHaveLength(2);
    messages.push(message, ...results);
    const second = await openai.chat.completions.create({ model, messages, tools });
    expect(second.choices[0]?.message.content).toBe("The tools said: sun; sun");
  });

  it("chat completions: structured output, by an instruction where the cloud has none", async () => {
    fakes[model]?.next({ kind: "answer", answer: { text: JSON.stringify(CITY) } });
    const completion = await openai.chat.completions.parse({
      model,
      messages: [user("the city")],
      response_format: zodResponseFormat(City, "city"),
    });
    expect(completion.choices[0]?.message.parsed).toEqual(CITY);
  });

  it("responses: reads a complete response and a stream", async () => {
    const whole = await openai.responses.create({ model, input: "hé 😀" });
    expect(whole.output_text).toBe("You said: hé 😀");
    const streamed = await openai.responses.stream({ model, input: "hé 😀" }).finalResponse();
    expect(streamed.output_text).toBe("You said: hé 😀");
    expect(streamed.status).toBe("completed");
  });

  it.each([
    [400, OpenAI.BadRequestError],
    [429, OpenAI.RateLimitError],
    [503, OpenAI.InternalServerError],
  ])("the OpenAI SDK on a cloud throws the class of a %i", async (status, type) => {
    const messages = [user(`[error ${String(status)}]`)];
    const error = await thrown(openai.chat.completions.create({ model, messages }));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status });
  });

  it("the OpenAI SDK on a cloud fails when the provider's stream ends with an error", async () => {
    fakes[model]?.next({ kind: "errorEvent", afterEvents: 4 });
    const stream = openai.chat.completions.stream({ model, messages: [user("a b c d e f")] });
    expect(String(await thrown(stream.finalContent()))).toMatch(/Overloaded|Too many tokens/);
  });
});
