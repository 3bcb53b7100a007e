// The fake of Azure OpenAI refuses what Azure refuses, and the official SDK reads its responses.
import { AzureOpenAI, OpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAzureProvider } from "./azure.ts";
import type { FakeProvider } from "./server.ts";

let provider: FakeProvider;

beforeAll(async () => {
  provider = await startAzureProvider({
    key: "azure-key",
    token: "entra-token",
    deployments: { "our gpt": "gpt-4o", gpt: "gpt-4o" },
  });
});
afterAll(() => provider.stop());

const request = (content: string) => ({
  model: "gpt",
  messages: [{ role: "user" as const, content }],
});

const clients = () => ({
  "by deployment": new AzureOpenAI({
    apiKey: "azure-key",
    endpoint: provider.url,
    apiVersion: "2024-10-21",
    maxRetries: 0,
  }),
  "at v1": new OpenAI({
    apiKey: "unused",
    baseURL: `${provider.url}/openai/v1`,
    defaultHeaders: { authorization: null, "api-key": "azure-key" },
    maxRetries: 0,
  }),
  "with a token": new OpenAI({
    apiKey: "entra-token",
    baseURL: `${provider.url}/openai/v1`,
    maxRetries: 0,
  }),
});

describe.each(["by deployment", "at v1", "with a token"] as const)("%s", (name) => {
  it("an Azure deployment answers complete and as a stream", async () => {
    const client = clients()[name];
    const whole = await client.chat.completions.create(request("hi"));
    expect(whole.choices[0]?.message.content).toBe("You said: hi");
    const stream = await client.chat.completions.create({ ...request("hi"), stream: true });
    let text = "";
    const chunks = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      // A choice of the filter has no delta, whatever the types say.
      text += (chunk.choices[0]?.delta as { content?: string } | undefined)?.content ?? "";
    }
    expect(text).toBe("You said: hi");
    expect(chunks[0]).toMatchObject({ id: "", model: "", choices: [] });
    expect(chunks[1]?.choices[0]).not.toHaveProperty("delta");
    expect(chunks.at(-1)?.choices[0]).not.toHaveProperty("delta");
  });
});

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${provider.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "api-key": "azure-key", ...headers },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

const V1 = "/openai/v1/chat/completions";
const DEPLOYMENT = "/openai/deployments/gpt/chat/completions";

it.each([
  ["a wrong key", V1, request("hi"), { "api-key": "other" }, [401, "401"]],
  ["a key beside a token", V1, request("hi"), { authorization: "Bearer x" }, [401, "401"]],
  ["an unknown deployment", V1, { ...request("hi"), model: "x" }, {}, [404, "DeploymentNotFound"]],
  ["no version", DEPLOYMENT, request("hi"), {}, [404, "404"]],
  ["a date at v1", `${V1}?api-version=2024-10-21`, request("hi"), {}, [400, "BadRequest"]],
  [
    "stream_options of an old version",
    `${DEPLOYMENT}?api-version=2024-06-01`,
    { ...request("hi"), stream: true, stream_options: { include_usage: true } },
    {},
    [400, "BadRequest"],
  ],
  ["a blocked prompt", V1, request("[blocked]"), {}, [400, "content_filter"]],
])("the fake of Azure refuses %s", async (_, path, body, headers, expected) => {
  expect(await post(path, body, headers as Record<string, string>)).toEqual(expected);
});
