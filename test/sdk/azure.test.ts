// The official Node SDKs of each client API on Azure OpenAI, which is a strict fake: by deployment and at the v1 path, complete
// and as a stream, with Azure's filter results, errors and fail-over.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startAzureProvider } from "../providers/azure.ts";
import { startOpenaiProvider } from "../providers/openai.ts";
import type { FakeProvider } from "../providers/server.ts";
import { thrown } from "./node-errors.ts";

const KEYS = { AZURE_OPENAI_API_KEY: "azure-key-1", OPENAI_API_KEY: "sk-openai-1" };

let azure: FakeProvider;
let openai: FakeProvider;
let gateway: Gateway;
let openaiClient: OpenAI;
let anthropicClient: Anthropic;

beforeAll(async () => {
  azure = await startAzureProvider({
    key: KEYS.AZURE_OPENAI_API_KEY,
    deployments: { v1: "gpt-4o", "our/gpt:1": "gpt-4o", old: "gpt-4o" },
  });
  openai = await startOpenaiProvider({ key: KEYS.OPENAI_API_KEY });
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { model: azure_openai/v1, access_key: $AZURE_OPENAI_API_KEY, base_url: "${azure.url}" }
  - { model: azure_openai/gone, access_key: $AZURE_OPENAI_API_KEY, base_url: "${azure.url}" }
  - { model: "azure_openai/our/gpt:1", access_key: $AZURE_OPENAI_API_KEY, base_url: "${azure.url}", api_version: 2024-10-21, fallbacks: [openai/gpt-4o-mini] }
  - { model: azure_openai/old, access_key: $AZURE_OPENAI_API_KEY, base_url: "${azure.url}", api_version: 2024-06-01 }
  - { model: openai/gpt-4o-mini, access_key: $OPENAI_API_KEY, base_url: "${openai.url}/v1" }
`,
    environment: KEYS,
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openaiClient = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` });
  anthropicClient = new Anthropic({ ...options, baseURL: gateway.url });
});
afterAll(async () => {
  expect([...azure.violations(), ...openai.violations()]).toEqual([]);
  await gateway.stop();
  await Promise.all([azure.stop(), openai.stop()]);
});

/** What a client got: the text, the reason why it ended, the model. */
interface Got {
  text: string;
  end: string | null | undefined;
  model: string | undefined;
}

interface Client {
  name: string;
  whole: (model: string, content: string) => Promise<Got>;
  stream: (model: string, content: string) => Promise<Got>;
  /** Why it ended: as usual, and by the filter. */
  ends: [string, string];
}

const user = (content: string) => ({ role: "user" as const, content });

const CLIENTS: Client[] = [
  {
    name: "chat completions",
    ends: ["stop", "content_filter"],
    async whole(model, content) {
      const response = await openaiClient.chat.completions.create({
        model,
        messages: [user(content)],
      });
      const [choice] = response.choices;
      return {
        text: choice?.message.content ?? "",
        end: choice?.finish_reason,
        model: response.model,
      };
    },
    async stream(model, content) {
      const messages = [user(content)];
      const got: Got = { text: "", end: undefined, model: undefined };
      const stream = await openaiClient.chat.completions.create({ model, messages, stream: true });
      for await (const chunk of stream) {
        const [choice] = chunk.choices;
        // A choice of Azure's filter has no delta, whatever the types say.
        got.text += (choice?.delta as { content?: string } | undefined)?.content ?? "";
        got.end = choice?.finish_reason ?? got.end;
        if (chunk.model !== "") got.model = chunk.model;
      }
      return got;
    },
  },
  {
    name: "messages",
    ends: ["end_turn", "refusal"],
    async whole(model, content) {
      const request = { model, max_tokens: 100, messages: [user(content)] };
      return readMessage(await anthropicClient.messages.create(request));
    },
    async stream(model, content) {
      const request = { model, max_tokens: 100, messages: [user(content)] };
      return readMessage(await anthropicClient.messages.stream(request).finalMessage());
    },
  },
  {
    name: "responses",
    ends: ["completed", "content_filter"],
    async whole(model, input) {
      return readResponse(await openaiClient.responses.create({ model, input }));
    },
    async stream(model, input) {
      return readResponse(await openaiClient.responses.stream({ model, input }).finalResponse());
    },
  },
];

function readMessage({ content, stop_reason: end, model }: Anthropic.Message): Got {
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    end,
    model,
  };
}

function readResponse(response: OpenAI.Responses.Response): Got {
  const end = response.incomplete_details?.reason ?? response.status;
  return { text: response.output_text, end, model: response.model };
}

const BY_DEPLOYMENT = "our/gpt:1";

describe.each(CLIENTS)("$name", ({ whole, stream, ends, name }) => {
  // The v1 path has the Responses API: the fake has only chat completions.
  const models = name === "responses" ? [BY_DEPLOYMENT, "old"] : ["v1", BY_DEPLOYMENT, "old"];
  it.each(models)("an SDK on Azure reads a complete response and a stream of %s", async (model) => {
    const expected = { text: "You said: hé 😀", end: ends[0] };
    expect(await whole(model, "hé 😀")).toMatchObject(expected);
    expect(await stream(model, "hé 😀")).toMatchObject(expected);
  });

  it("an SDK on Azure names the model that Azure names, although its first chunks name none", async () => {
    expect((await stream(BY_DEPLOYMENT, "hi")).model).toMatch(/^gpt-4o-20/);
  });

  it("an SDK on Azure reports a response that the filter stopped", async () => {
    expect((await whole(BY_DEPLOYMENT, "[filtered]")).end).toBe(ends[1]);
    const streamed = await stream(BY_DEPLOYMENT, "[filtered]");
    expect(streamed).toMatchObject({ text: "Take", end: ends[1] });
  });

  it("an SDK on Azure gets a blocked prompt as 400 with Azure's words, and no other model is requested", async () => {
    const before = openai.requests.length;
    for (const ask of [whole, stream]) {
      const error = await thrown(ask(BY_DEPLOYMENT, "[blocked]"));
      expect(error).toMatchObject({ status: 400 });
      expect(String(error)).toContain("content management policy");
    }
    expect(openai.requests.length).toBe(before);
  });

  it("an SDK on Azure gets 404 for a deployment that does not exist", async () => {
    const error = await thrown(whole("gone", "hi"));
    if (name !== "responses") expect(String(error)).toContain("deployment");
    expect(error).toMatchObject({ status: 404 });
  });

  it("an SDK on Azure gets another model's response when the stream fails after Azure's first chunks", async () => {
    azure.next({ kind: "errorEvent", afterEvents: 3 });
    expect(await stream(BY_DEPLOYMENT, "again")).toMatchObject({
      text: "You said: again",
      model: expect.stringMatching(/^gpt-4o-mini/) as string,
    });
  });

  it("an SDK on Azure gets another model's response when Azure limits the rate", async () => {
    azure.next({ kind: "error", status: 429 });
    expect((await whole(BY_DEPLOYMENT, "more")).model).toMatch(/^gpt-4o-mini/);
  });
});

it("an SDK on Azure gets Azure's pause in milliseconds with a 429", async () => {
  azure.next({ kind: "error", status: 429 });
  const error = await thrown(
    anthropicClient.messages.create({ model: "v1", max_tokens: 9, messages: [user("hi")] }),
  );
  expect(error).toMatchObject({ status: 429, error: { error: { type: "rate_limit_error" } } });
  expect((error as { headers: Headers }).headers.get("retry-after-ms")).toBe("750");
});
