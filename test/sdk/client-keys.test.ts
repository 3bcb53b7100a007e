// What the official Node SDKs make of a listener with keys: another key, another model, and more requests than a key has.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const FEW = "fedcba9876543210fedcba9876543210";
const CONFIG = `
listeners:
  egress:
    api_keys:
      - $TEAM_KEY
      - key: $FEW_KEY
        name: few
        models: [fast, careful]
        ratelimits: [{requests: 2, unit: day}]
`;
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({
    config: CONFIG,
    environment: { TEAM_KEY: KEY, FEW_KEY: FEW },
  });
});
afterAll(() => all.stop());

const messages = [{ role: "user" as const, content: "hi" }];
const openai = (apiKey: string) =>
  new OpenAI({ baseURL: `${all.gateway.url}/v1`, apiKey, maxRetries: 0 });
const anthropic = (credential: { apiKey: string } | { authToken: string }) =>
  new Anthropic({ baseURL: all.gateway.url, apiKey: null, ...credential, maxRetries: 0 });

it("openai: its key is the gateway's", async () => {
  const client = openai(KEY);
  const response = await client.chat.completions.create({ model: "fast", messages });
  expect(response.choices[0]?.message.content).toBe("You said: hi");
  expect((await client.models.list()).data.length).toBeGreaterThan(0);
});

it("openai: another key is an AuthenticationError", async () => {
  const client = openai("another");
  for (const call of [
    () => client.chat.completions.create({ model: "fast", messages }),
    () => client.chat.completions.create({ model: "fast", messages, stream: true }),
    () => client.models.list(),
  ]) {
    const error: unknown = await Promise.resolve(call()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ type: "invalid_request_error", code: "invalid_api_key" });
  }
});

it.each([{ apiKey: KEY }, { authToken: KEY }])(
  "anthropic: its key is the gateway's",
  async (by) => {
    const client = anthropic(by);
    const response = await client.messages.create({ model: "careful", max_tokens: 100, messages });
    expect(response.content).toMatchObject([{ type: "text", text: "You said: hi" }]);
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
  },
);

it.each([{ apiKey: "another" }, { authToken: "another" }])(
  "anthropic: another key is an AuthenticationError",
  async (by) => {
    const client = anthropic(by);
    const request = { model: "careful", max_tokens: 100, messages };
    for (const call of [
      () => client.messages.create(request),
      () => client.messages.create({ ...request, stream: true }),
      () => client.models.list(),
    ]) {
      const error: unknown = await Promise.resolve(call()).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
      expect(error).toMatchObject({ type: "authentication_error" });
    }
  },
);

it("another model than the key's is a PermissionDeniedError, before any of its requests is counted", async () => {
  const create = { model: "deep", max_tokens: 100, messages };
  const of = (reason: unknown): unknown => reason;
  const chat: unknown = await openai(FEW).chat.completions.create(create).catch(of);
  expect(chat).toBeInstanceOf(OpenAI.PermissionDeniedError);
  expect(chat).toMatchObject({ code: "model_not_allowed", param: "model" });
  const message: unknown = await anthropic({ apiKey: FEW }).messages.create(create).catch(of);
  expect(message).toBeInstanceOf(Anthropic.PermissionDeniedError);
  expect(message).toMatchObject({ type: "permission_error" });
  const { data } = await openai(FEW).models.list();
  expect(data.map(({ id }) => id)).toEqual(["fast", "careful"]);
});

it("a used-up limit of the key is a RateLimitError of both, whatever model they request", async () => {
  const chat = () => openai(FEW).chat.completions.create({ model: "fast", messages });
  const message = () =>
    anthropic({ apiKey: FEW }).messages.create({ model: "careful", max_tokens: 100, messages });
  await chat();
  await message();
  for (const [ask, kind] of [
    [chat, OpenAI.RateLimitError],
    [message, Anthropic.RateLimitError],
  ] as const) {
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect((error as Error).message).toContain("2 requests a day for key few");
  }
});
