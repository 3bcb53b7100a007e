// Policies on what models write, in Envoy: 200 masked streams at once in small pieces, for two kinds of clients and of providers;
// blocked responses; values that come again in place of a request's placeholders.
import { createServer } from "node:http";
import type { Server } from "node:http";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { listen } from "../providers/listen.ts";
import type { Listening } from "../providers/listen.ts";
import { receive, streamOf } from "../unit/filter/client-streams.ts";
import type { Part } from "../unit/filter/client-streams.ts";

const STREAMS = 200;

let provider: Listening;
let gateway: Gateway;

/** Each client's texts have its number and an address. */
function partsFor(client: string): Part[] {
  const text = `Client ${client}: write to user-${client}@example.com, or to 4111 1111 1111 1111. é😀`;
  return (text.match(/[^]/gu) ?? []).map((letter) => ({ kind: "text", text: letter }));
}

const KEY = "AKIAIOSFODNN7EXAMPLE";

/** What the provider writes: each client's texts, a key if it is asked for one, and the placeholders that it gets. */
function textsFor(request: string): Part[] {
  const placeholder = /<EMAIL_\w+>/.exec(request)?.[0];
  if (placeholder !== undefined)
    return Array.from(`I write to ${placeholder}.`).map((text) => ({ kind: "text", text }));
  if (request.includes("a key"))
    return Array.from(`It is ${KEY}, and more.`).map((text) => ({ kind: "text", text }));
  return partsFor(/client-(\d+)/.exec(request)?.[1] ?? "none");
}

function streams(): Server {
  return createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = Buffer.concat(chunks).toString();
      const client = /client-(\d+)/.exec(request)?.[1] ?? "5";
      const parts = textsFor(request);
      if (!request.includes('"stream":true')) {
        const content = parts.map(({ text }) => text).join("");
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(completionOf(content)));
        return;
      }
      const isMessages = incoming.url?.startsWith("/v1/messages") === true;
      const body = Buffer.from(streamOf(isMessages ? "anthropic_messages" : "openai_chat", parts));
      response.setHeader("content-type", "text/event-stream");
      void send(body, Number(client) % 97);
    });
    const send = async (body: Buffer, more: number): Promise<void> => {
      for (let at = 0; at < body.length; at += 11 + more) {
        response.write(body.subarray(at, at + 11 + more));
        await setImmediate();
      }
      response.end();
    };
  });
}

const completionOf = (content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
});

beforeAll(async () => {
  provider = await listen(streams());
  gateway = await startGateway({
    config: `
llm_providers:
  - model: openai/one
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${provider.port}/v1
  - model: anthropic/two
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${provider.port}
  - model: openai/three
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${provider.port}/v1
    fallbacks: [anthropic/two]
  - model: openai/blocked
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${provider.port}/v1
  - model: openai/restored
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${provider.port}/v1
guards:
  - name: personal-data
    kind: mask
    direction: response
    models: [openai/one, anthropic/two, openai/three]
  - name: no-keys
    kind: mask
    direction: response
    action: block
    find: [secret]
    models: [openai/blocked]
  - name: asked
    kind: mask
    models: [openai/restored]
`,
    environment: { PROVIDER_KEY: "sk-providers-own" },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

it(`${STREAMS} concurrent streams are each masked as if they were alone`, async () => {
  const answers = await Promise.all(
    Array.from({ length: STREAMS }, async (_, client) => {
      const isMessages = client % 2 === 0;
      const response = await fetch(
        `${gateway.url}${isMessages ? "/v1/messages" : "/v1/chat/completions"}`,
        {
          method: "POST",
          headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
          body: JSON.stringify({
            model: ["openai/one", "anthropic/two", "openai/three"][client % 3],
            max_tokens: 50,
            messages: [{ role: "user", content: `client-${client}` }],
            stream: true,
          }),
        },
      );
      const body = await response.text();
      expect(response.status, body).toBe(200);
      const { texts } = receive(isMessages ? "anthropic_messages" : "openai_chat", body);
      return texts.map(({ text }) => text);
    }),
  );
  expect(answers).toEqual(
    answers.map((_, client) => [`Client ${client}: write to <EMAIL>, or to <CARD>. é😀`]),
  );
});

async function ask(model: string, content: string, stream: boolean): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content }], stream }),
  });
  const body = await response.text();
  expect(response.status, body).toBe(200);
  return body;
}

it.each([true, false])("a response that a policy blocks ends, stream: %s", async (stream) => {
  const body = await ask("openai/blocked", "Show a key", stream);
  expect(body).not.toContain("AKIA");
  expect(body).not.toContain("more");
  expect(body).toContain("The policy no-keys of the gateway has blocked this response");
  expect(body).toContain('"finish_reason":"content_filter"');
});

it.each([true, false])("a placeholder becomes the value again, stream: %s", async (stream) => {
  const body = await ask("openai/restored", "Mail jane@example.org", stream);
  expect(body).not.toContain("<EMAIL");
  const text = stream
    ? receive("openai_chat", body)
        .texts.map(({ text: one }) => one)
        .join("")
    : (JSON.parse(body) as ReturnType<typeof completionOf>).choices[0]?.message.content;
  expect(text).toBe("I write to jane@example.org.");
});
