// The official Node SDKs follow redirects. Through the gateway none reaches them: the prompt stays with the provider that was asked.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { responseParts } from "../providers/wire.ts";
import { startTwoDialects } from "../gateway/two-dialects.ts";
import type { Gateway } from "../gateway/gateway.ts";

/** Where the provider sends its clients: it would answer. */
let elsewhere: ScriptedProvider;
let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  elsewhere = await startProvider((response, { path }) => {
    const dialect = path.endsWith("/messages") ? "messages" : "chat";
    const { type, parts } = responseParts(dialect, "complete");
    response.writeHead(200, { "content-type": type }).end(parts.join(""));
  });
  provider = await startProvider((response, { path }) => {
    response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}${path}` }).end();
  });
  gateway = await startTwoDialects(provider.port);
});
afterAll(() => Promise.all([gateway.stop(), provider.stop(), elsewhere.stop()]));
beforeEach(() => {
  elsewhere.requests.length = 0;
});

const messages = [{ role: "user" as const, content: "a secret" }];
const options = { apiKey: "any-key", maxRetries: 0 };
const throughOpenai = (baseURL: string, model: string) =>
  new OpenAI({ ...options, baseURL }).chat.completions.create({ model, messages });
const throughAnthropic = (baseURL: string, model: string) =>
  new Anthropic({ ...options, baseURL }).messages.create({ model, max_tokens: 9, messages });

it("an SDK that asks the provider itself follows it", async () => {
  await throughOpenai(`http://127.0.0.1:${provider.port}/v1`, "gpt-4o");
  await throughAnthropic(`http://127.0.0.1:${provider.port}`, "claude");
  expect(elsewhere.requests.map(({ path }) => path)).toEqual([
    "/v1/chat/completions",
    "/v1/messages",
  ]);
});

describe.each(["openai/gpt-4o", "anthropic/claude"])("through the gateway to %s", (model) => {
  const refused = {
    status: 502,
    message: expect.stringContaining(`The provider of '${model}' redirects (307)`) as string,
  };

  it("openai-node raises an error, and no other server gets the prompt", async () => {
    await expect(throughOpenai(`${gateway.url}/v1`, model)).rejects.toMatchObject(refused);
    expect(elsewhere.requests).toEqual([]);
  });

  it("anthropic-sdk-typescript follows no redirect of the gateway", async () => {
    await expect(throughAnthropic(gateway.url, model)).rejects.toMatchObject(refused);
    expect(elsewhere.requests).toEqual([]);
  });
});
