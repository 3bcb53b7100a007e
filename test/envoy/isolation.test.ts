// Many clients at once, each with a nonce and a key of its own, through forced retries: nobody gets what is another's.
import { createServer } from "node:http";
import type { Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { listen } from "../providers/listen.ts";
import type { Listening } from "../providers/listen.ts";

const CLIENTS = 64;
const ROUNDS = 4;

interface Seen {
  nonce: string;
  authorization: string | undefined;
  apiKey: string | undefined;
}

const seen: Seen[] = [];
/** Nonces that have been turned away once. */
const refused = new Set<string>();
let failing: Listening;
let steady: Listening;
let gateway: Gateway;

/** Answers with the nonce of its request, in either format; `isFailing`: by 503 the first time, or a cut connection. */
function provider(isFailing: boolean): Server {
  return createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const nonce = /nonce-[\w-]+/.exec(body)?.[0] ?? "none";
      const { authorization } = incoming.headers;
      const apiKey = incoming.headers["x-api-key"];
      seen.push({ nonce, authorization, apiKey: typeof apiKey === "string" ? apiKey : undefined });
      if (isFailing && !refused.has(nonce)) {
        refused.add(nonce);
        if (nonce.endsWith("1")) response.socket?.destroy();
        else response.writeHead(503, { "content-type": "application/json" }).end("{}");
        return;
      }
      const isMessages = incoming.url?.startsWith("/v1/messages") === true;
      const isStream = body.includes('"stream":true');
      if (isStream) {
        response.setHeader("content-type", "text/event-stream");
        for (const piece of isMessages ? messagesStream(nonce) : chatStream(nonce))
          response.write(piece);
        response.end();
        return;
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(isMessages ? message(nonce) : completion(nonce)));
    });
  });
}

const completion = (nonce: string) => ({
  id: nonce,
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: nonce }, finish_reason: "stop" }],
});
const message = (nonce: string) => ({
  id: nonce,
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: nonce }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});
const chatStream = (nonce: string): string[] => [
  `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n`,
  ...nonce
    .split("")
    .map((one) => `data: {"id":"1","choices":[{"index":0,"delta":{"content":"${one}"}}]}\n\n`),
  `data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
];
const messagesStream = (nonce: string): string[] =>
  [
    { type: "message_start", message: { ...message(nonce), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...nonce.split("").map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

const keyOf = (client: number): string => `client-${client}-${"k".repeat(24)}`;
const ownOf = (client: number): string => `sk-own-${client}-${"o".repeat(24)}`;
const variable = (client: number): string => `CLIENT_${client}`;
const all = Array.from({ length: CLIENTS }, (_, client) => client);

beforeAll(async () => {
  failing = await listen(provider(true));
  steady = await listen(provider(false));
  gateway = await startGateway({
    config: `
# No provider is left out, so that every request is turned away once.
upstream: {outlier_detection: {consecutive_failures: 0}}
listeners: {egress: {api_keys: [${all.map((client) => `$${variable(client)}`).join(", ")}]}}
llm_providers:
  - model: openai/passing
    passthrough_auth: true
    base_url: http://127.0.0.1:${failing.port}/v1
    fallbacks: [anthropic/keyed]
  - model: anthropic/passing
    passthrough_auth: true
    base_url: http://127.0.0.1:${failing.port}
    fallbacks: [openai/keyed]
  - model: openai/keyed
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${steady.port}/v1
  - model: anthropic/keyed
    access_key: $PROVIDER_KEY
    base_url: http://127.0.0.1:${steady.port}
`,
    environment: {
      PROVIDER_KEY: "sk-providers-own",
      ...Object.fromEntries(all.map((client) => [variable(client), keyOf(client)])),
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([failing.stop(), steady.stop()]);
});

/** One request of one client, and the text of its answer. */
async function ask(client: number, round: number): Promise<{ nonce: string; text: string }> {
  const nonce = `nonce-${client}-${round}-${client % 3}`;
  const isMessages = (client + round) % 2 === 0;
  const stream = client % 4 < 2;
  const own: Record<string, string> = isMessages
    ? { "x-api-key": ownOf(client), "anthropic-version": "2023-06-01" }
    : { authorization: `Bearer ${ownOf(client)}` };
  const response = await fetch(
    `${gateway.url}${isMessages ? "/v1/messages" : "/v1/chat/completions"}`,
    {
      method: "POST",
      headers: { "content-type": "application/json", "x-gateway-api-key": keyOf(client), ...own },
      body: JSON.stringify({
        model: client % 2 === 0 ? "openai/passing" : "anthropic/passing",
        max_tokens: 50,
        messages: [{ role: "user", content: nonce }],
        stream,
      }),
    },
  );
  const body = await response.text();
  expect(response.status, body).toBe(200);
  return { nonce, text: stream ? streamed(body) : body };
}

/** The text of a stream's deltas, of either format. */
function streamed(body: string): string {
  return [...body.matchAll(/^data: (\{.*\})$/gm)]
    .map(([, json = "{}"]) => {
      const event = JSON.parse(json) as {
        choices?: { delta: { content?: string } }[];
        delta?: { text?: string };
      };
      return event.choices?.[0]?.delta.content ?? event.delta?.text ?? "";
    })
    .join("");
}

it(`${CLIENTS} concurrent clients each get their own response, and each provider the right key`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(all.map((client) => ask(client, round)));
    for (const { nonce, text } of answers) {
      expect(text).toContain(nonce);
      // No other nonce: each begins with its client.
      expect([...text.matchAll(/nonce-\d+-\d+-\d+/g)].every(([found]) => found === nonce)).toBe(
        true,
      );
    }
  }
  // Every request was turned away once, and went to a provider of the other format.
  expect(refused.size).toBe(CLIENTS * ROUNDS);
  expect(seen.length).toBe(2 * CLIENTS * ROUNDS);
  for (const { nonce, authorization, apiKey } of seen) {
    const client = Number(/^nonce-(\d+)-/.exec(nonce)?.[1]);
    const key = authorization?.replace("Bearer ", "") ?? apiKey;
    expect([ownOf(client), "sk-providers-own"]).toContain(key);
    expect(authorization === undefined || apiKey === undefined).toBe(true);
  }
  const own = seen.filter((one) => (one.authorization ?? one.apiKey ?? "").includes("sk-own"));
  expect(own.length).toBe(CLIENTS * ROUNDS);
});

it("a client with another's nonce but no key of the gateway's gets nothing", async () => {
  const before = seen.length;
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${ownOf(1)}` },
    body: JSON.stringify({
      model: "openai/keyed",
      messages: [{ role: "user", content: "nonce-1-0-1" }],
    }),
  });
  expect(response.status).toBe(401);
  expect(seen.length).toBe(before);
});
