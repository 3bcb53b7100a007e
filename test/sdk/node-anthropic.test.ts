// The official Node `@anthropic-ai/sdk` against a running gateway and the strict fake.
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

let all: WithFakes;
let client: Anthropic;

beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: 3_000 });
  client = new Anthropic({ baseURL: all.gateway.url, apiKey: "any-key", maxRetries: 0 });
});
afterAll(async () => {
  expect(all.anthropic.violations()).toEqual([]);
  await all.stop();
});

const user = (content: string) => ({ role: "user" as const, content });
const request = (content: string, model = "careful") => ({
  model,
  max_tokens: 2000,
  messages: [user(content)],
});
const ask = (content: string, model?: string) => client.messages.create(request(content, model));
const stream = (content: string) => client.messages.create({ ...request(content), stream: true });

describe("answers", () => {
  it("Anthropic's SDK reads text", async () => {
    const response = await ask("hello é 😀");
    expect(response.content).toMatchObject([{ type: "text", text: "You said: hello é 😀" }]);
    expect(response.stop_reason).toBe("end_turn");
    expect(response._request_id).toMatch(/^req_/);
  });

  it("a good answer has the id of the gateway's access logs beside the provider's", async () => {
    const { response } = await client.messages.create(request("hi")).withResponse();
    const id = response.headers.get("x-gateway-request-id");
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await all.gateway.waitForLog("llm", ({ requestId }) => requestId === id);
  });

  it.each(["anthropic/claude-test", "claude-test", "careful"])(
    "Anthropic's SDK reads the response of model %s",
    async (model) => {
      expect((await ask("hi", model)).model).toMatch(/^claude-test/);
    },
  );

  it("the hint header overrides the model", async () => {
    const hint = { headers: { "x-gateway-llm-provider-hint": "claude-test" } };
    expect((await client.messages.create(request("hi", "nobody"), hint)).model).toMatch(
      /^claude-test/,
    );
  });

  it("Anthropic's SDK reads a stream by its helper", async () => {
    const helper = client.messages.stream(request("hello é 😀"));
    const texts: string[] = [];
    helper.on("text", (text) => texts.push(text));
    const final = await helper.finalMessage();
    expect(texts.length).toBeGreaterThan(1);
    expect(final.content).toMatchObject([{ type: "text", text: texts.join("") }]);
    expect(final.usage.output_tokens).toBeGreaterThan(1);
  });

  it("thinking and tools in parallel, over two turns", async () => {
    const more = {
      thinking: { type: "enabled" as const, budget_tokens: 1024 },
      tools: [{ name: "weather", input_schema: { type: "object" as const } }],
    };
    const first = user('call weather({"place":"Paris"}) call weather({"place":"Rome"})');
    const base = { ...request(""), ...more };
    const turn = await client.messages.stream({ ...base, messages: [first] }).finalMessage();
    expect(turn.content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    const results = turn.content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "sunny" }]
        : [],
    );
    const end = await client.messages.create({
      ...base,
      messages: [
        first,
        { role: "assistant", content: turn.content },
        { role: "user", content: results },
      ],
    });
    expect(end.content.at(-1)).toMatchObject({ text: "The tools said: sunny; sunny" });
  });

  it("Anthropic's beta namespace works with its query and header", async () => {
    const response = await client.beta.messages.create({
      ...request("hi"),
      betas: ["context-1m-2025-08-07"],
    });
    expect(response.content).toMatchObject([{ text: "You said: hi" }]);
    expect(all.anthropic.requests.at(-1)?.headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
  });

  it("Anthropic's SDK reads raw response headers", async () => {
    const raw = await client.messages.create(request("hi")).asResponse();
    expect(raw.headers.get("anthropic-ratelimit-requests-remaining")).toBe("49");
    expect(raw.headers.get("request-id")).toMatch(/^req_/);
  });

  it("Anthropic's SDK lists models", async () => {
    const page = await client.models.list({ limit: 1000 });
    expect(page.data.map(({ id }) => id)).toContain("anthropic/claude-test");
    expect(page.has_more).toBe(false);
  });
});

describe("errors by class", () => {
  it("an unknown model raises the SDK's class", async () => {
    const error = await ask("hi", "nobody").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error).toMatchObject({ status: 404, type: "not_found_error" });
    expect((error as Error).message).toContain("anthropic/claude-test");
  });

  it.each([
    ["[error 400]", Anthropic.BadRequestError],
    ["[error 401]", Anthropic.AuthenticationError],
    ["[error 403]", Anthropic.PermissionDeniedError],
    ["[error 404]", Anthropic.NotFoundError],
    ["[error 429]", Anthropic.RateLimitError],
    ["[error 500]", Anthropic.InternalServerError],
    ["[error 529]", Anthropic.InternalServerError],
    ["[html 502]", Anthropic.InternalServerError],
    ["[empty 500]", Anthropic.InternalServerError],
    ["[hang]", Anthropic.InternalServerError],
  ])("%s", async (content, kind) => {
    await expect(ask(content)).rejects.toBeInstanceOf(kind);
    await expect(stream(content)).rejects.toBeInstanceOf(kind);
  });

  it("an error event inside a stream raises the SDK's class", async () => {
    const failing = await stream("[error event 3]");
    await expect(async () => {
      for await (const _ of failing);
    }).rejects.toMatchObject({ type: "overloaded_error" });
  });

  it("a stream that breaks is an error", async () => {
    const broken = await stream("[reset 3]");
    await expect(async () => {
      for await (const _ of broken);
    }).rejects.toThrow();
  });
});

describe("cancelling", () => {
  it("a request cancelled in mid-stream ends the provider's work", async () => {
    const before = all.anthropic.requests.length;
    for await (const _ of await stream("[pieces 1000 pace 20]")) break;
    expect(await (await all.anthropic.request(before)).wasCut).toBe(true);
  });
});
