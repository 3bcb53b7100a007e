// The official Node `openai` SDK against a running gateway and the strict fake.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

let all: WithFakes;
let client: OpenAI;

beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: 3_000 });
  client = new OpenAI({ baseURL: `${all.gateway.url}/v1`, apiKey: "any-key", maxRetries: 0 });
});
afterAll(async () => {
  expect(all.openai.violations()).toEqual([]);
  await all.stop();
});

const user = (content: string) => ({ role: "user" as const, content });
const ask = (content: string, model = "fast") =>
  client.chat.completions.create({ model, messages: [user(content)] });
const stream = (content: string, more: object = {}) =>
  client.chat.completions.create({
    model: "fast",
    messages: [user(content)],
    stream: true,
    ...more,
  });
const tools = [
  {
    type: "function" as const,
    function: { name: "weather", parameters: { type: "object", properties: {} } },
  },
];

describe("answers", () => {
  it("OpenAI's SDK reads text", async () => {
    const response = await ask("hello é 😀");
    expect(response.choices[0]?.message.content).toBe("You said: hello é 😀");
    expect(response.usage?.total_tokens).toBeGreaterThan(0);
    expect(response._request_id).toMatch(/^req_/);
  });

  it("a good answer has the id of the gateway's access logs beside the provider's", async () => {
    const { response } = await client.chat.completions
      .create({ model: "fast", messages: [{ role: "user", content: "hi" }] })
      .withResponse();
    const id = response.headers.get("x-gateway-request-id");
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await all.gateway.waitForLog("llm", ({ requestId }) => requestId === id);
  });

  it.each(["none", "openai/gpt-4o", "gpt-4o", "fast"])(
    "OpenAI's SDK reads the response of model %s",
    async (model) => {
      expect((await ask("hi", model)).model).toMatch(/^gpt-4o/);
    },
  );

  it("a response on the ingress listener is read", async () => {
    const ingress = client.withOptions({
      baseURL: `http://127.0.0.1:${all.gateway.ports.ingress}/v1`,
    });
    const response = await ingress.chat.completions.create({
      model: "none",
      messages: [user("hi")],
    });
    expect(response.choices[0]?.message.content).toBe("You said: hi");
  });

  it("OpenAI's SDK reads a stream", async () => {
    let text = "";
    for await (const chunk of await stream("hello é 😀")) {
      expect(chunk.choices).toHaveLength(1);
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("You said: hello é 😀");
  });

  it("a stream with usage, when it is asked for", async () => {
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of await stream("hi", { stream_options: { include_usage: true } }))
      usage = chunk.usage ?? usage;
    expect(usage?.total_tokens).toBeGreaterThan(0);
  });

  it("OpenAI's runner calls tools in parallel", async () => {
    const asked: string[] = [];
    const weather = (given: string): string => {
      asked.push(given);
      return "sunny";
    };
    const runner = client.chat.completions.runTools({
      model: "fast",
      stream: true,
      messages: [user('call weather({"place":"Paris"}) call weather({"place":"Rome"})')],
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "The weather of a place",
            parameters: { type: "object", properties: { place: { type: "string" } } },
            function: weather,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("The tools said: sunny; sunny");
    expect(asked).toEqual(['{"place":"Paris"}', '{"place":"Rome"}']);
  });

  it("tools that are there and not used", async () => {
    const response = await client.chat.completions.create({
      model: "fast",
      messages: [user("hi")],
      tools,
    });
    expect(response.choices[0]?.finish_reason).toBe("stop");
  });

  it("OpenAI's SDK reads raw response headers", async () => {
    const raw = await client.chat.completions
      .create({ model: "fast", messages: [user("hi")] })
      .asResponse();
    expect(raw.headers.get("x-ratelimit-remaining-requests")).toBe("9999");
    const own = [...raw.headers.keys()].filter((name) => /^x-(?:envoy|gateway)-/.test(name));
    expect(own).toEqual(["x-gateway-request-id"]);
  });

  it("OpenAI's SDK lists models", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain("openai/gpt-4o");
    expect(ids).toContain("careful");
  });
});

describe("errors by class", () => {
  it("an unknown model raises the SDK's class", async () => {
    const error = await ask("hi", "nobody").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
    expect(error).toHaveProperty("requestID", expect.stringMatching(/^[0-9a-f-]{36}$/));
  });

  it.each([
    ["[error 400]", OpenAI.BadRequestError],
    ["[error 401]", OpenAI.AuthenticationError],
    ["[error 403]", OpenAI.PermissionDeniedError],
    ["[error 404]", OpenAI.NotFoundError],
    ["[error 409]", OpenAI.ConflictError],
    ["[error 422]", OpenAI.UnprocessableEntityError],
    ["[error 429]", OpenAI.RateLimitError],
    ["[error 500]", OpenAI.InternalServerError],
    ["[html 502]", OpenAI.InternalServerError],
    ["[empty 500]", OpenAI.InternalServerError],
    ["[hang]", OpenAI.InternalServerError],
  ])("%s", async (content, kind) => {
    await expect(ask(content)).rejects.toBeInstanceOf(kind);
    await expect(stream(content)).rejects.toBeInstanceOf(kind);
  });

  it("a provider that breaks the connection", async () => {
    await expect(ask("[reset]")).rejects.toMatchObject({ status: 503 });
  });

  it("retry-after is honoured by the SDK's retries", async () => {
    const before = all.openai.requests.length;
    const patient = client.withOptions({ maxRetries: 2 });
    const asked = patient.chat.completions.create({
      model: "fast",
      messages: [user("[error 429]")],
    });
    await expect(asked).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(all.openai.requests.length - before).toBe(3);
  });

  it("a stream that breaks is an error", async () => {
    const broken = await stream("[reset 2]");
    await expect(async () => {
      for await (const _ of broken);
    }).rejects.toThrow();
  });
});

describe("cancelling", () => {
  it("a request cancelled in mid-stream ends the provider's work", async () => {
    const before = all.openai.requests.length;
    for await (const _ of await stream("[pieces 1000 pace 20]")) break;
    expect(await (await all.openai.request(before)).wasCut).toBe(true);
  });

  it("a request cancelled before the response ends the provider's work", async () => {
    const before = all.openai.requests.length;
    const leaving = new AbortController();
    const asked = client.chat.completions.create(
      { model: "fast", messages: [user("[hang]")] },
      { signal: leaving.signal },
    );
    const request = await all.openai.request(before);
    leaving.abort();
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(await request.wasCut).toBe(true);
  });
});
