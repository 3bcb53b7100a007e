// A policy that masks what models write, in Envoy: 200 streams at once in small pieces, for two kinds of clients and of providers.
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

function streams(): Server {
  return createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const client = /client-(\d+)/.exec(Buffer.concat(chunks).toString())?.[1] ?? "none";
      const isMessages = incoming.url?.startsWith("/v1/messages") === true;
      const body = Buffer.from(
        streamOf(isMessages ? "anthropic_messages" : "openai_chat", partsFor(client)),
      );
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
guards:
  - name: personal-data
    kind: mask
    direction: response
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
