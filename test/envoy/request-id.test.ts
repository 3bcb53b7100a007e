// The header `x-gateway-request-id`: once on every response, whoever made it, with the id of the access logs.
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HEADER_REQUEST_ID } from "../../contract/words.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { exchange, type RawResponse } from "../gateway/raw-client.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";

const COMPLETION = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const CHUNK = `data: ${JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }],
})}\n\n`;
const JSON_HEADERS = {
  "content-type": "application/json",
  // A provider cannot choose it, nor add a second one.
  [HEADER_REQUEST_ID]: ["forged", "forged twice"],
};

/** What the provider does, by the text of the prompt. */
const BEHAVIOURS: Record<string, (response: ServerResponse) => unknown> = {
  answer: (response) => response.writeHead(200, JSON_HEADERS).end(COMPLETION),
  stream: (response) =>
    response
      .writeHead(200, { ...JSON_HEADERS, "content-type": "text/event-stream" })
      .end(`${CHUNK}data: [DONE]\n\n`),
  error: (response) =>
    response.writeHead(429, JSON_HEADERS).end('{"error":{"message":"slow down"}}'),
  "empty error": (response) => response.writeHead(401, JSON_HEADERS).end(),
  "empty answer": (response) => response.writeHead(200, JSON_HEADERS).end(),
  "damaged compression": (response) =>
    response
      .writeHead(200, { ...JSON_HEADERS, "content-encoding": "gzip" })
      .end(gzipSync(COMPLETION).fill(0, 0, 12)),
  "not JSON": (response) => response.writeHead(200, JSON_HEADERS).end("<html>"),
  reset: (response) => response.destroy(),
  silence: () => undefined,
};

let provider: ScriptedProvider;
let gateway: Gateway;
let count = 0;

beforeAll(async () => {
  provider = await startProvider((response, { body }) => {
    const name = Object.keys(BEHAVIOURS).find((text) => body.includes(`"${text}"`)) ?? "answer";
    BEHAVIOURS[name]?.(response);
  });
  const at = `base_url: http://127.0.0.1:${String(provider.port)}`;
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY, ${at}, default: true}
  - {model: openai/spare, access_key: $KEY, ${at}}
  - {model: openai/refused, access_key: $KEY, base_url: "http://127.0.0.1:1"}
model_aliases:
  safe: {target: openai/gpt-4o, fallbacks: [openai/spare]}
limits: {request_body: 8KiB}
`,
    environment: { KEY: "key" },
    adapt(model) {
      model.egress.timeoutMs = 500;
    },
  });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

/** Sends a request with a request id of its own. */
async function send(
  method: string,
  path: string,
  body = "",
  headers: [string, string][] = [],
): Promise<RawResponse & { id: string }> {
  const id = `request-id-test-${String(++count)}`;
  const all: [string, string][] = [
    ["host", "gateway.test"],
    ["x-request-id", id],
    ["x-gateway-request-id", "made-up"],
    ...headers,
  ];
  if (body !== "") all.push(["content-length", String(Buffer.byteLength(body))]);
  const chunks = body === "" ? [] : [Buffer.from(body)];
  const port = gateway.ports.egress;
  return { ...(await exchange({ port, method, path, headers: all, chunks })), id };
}

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";

function prompt(text: string, model = "none", more: object = {}): string {
  return JSON.stringify({
    model,
    max_tokens: 5,
    messages: [{ role: "user", content: text }],
    ...more,
  });
}

function idsOf({ headers }: RawResponse): string[] {
  return headers.filter(([name]) => name === HEADER_REQUEST_ID).map(([, value]) => value);
}

describe.each([CHAT, MESSAGES])("a client of %s", (path) => {
  describe.each(["openai/gpt-4o", "safe"])("asks for %s", (model) => {
    it.each([
      ["answer", 200],
      ["error", 429],
      ["empty error", 401],
      ["empty answer", undefined],
      ["damaged compression", undefined],
      ["not JSON", undefined],
      ["reset", 503],
      ["silence", 504],
    ])("a request and the provider's %s have the id once", async (text, status) => {
      const response = await send("POST", path, prompt(text, model));
      if (status !== undefined) expect(response.status).toBe(status);
      expect(idsOf(response)).toEqual([response.id]);
    });

    it("the head of a stream has the id once", async () => {
      const response = await send("POST", path, prompt("stream", model, { stream: true }));
      expect(response.body.toString()).toContain("Hi");
      expect(idsOf(response)).toEqual([response.id]);
    });
  });

  it.each([
    ["an unknown model", "POST", prompt("x", "nobody/knows"), 404],
    ["no connection", "POST", prompt("x", "openai/refused"), 503],
    ["no JSON", "POST", "{", 400],
    ["no body", "POST", "", 400],
    ["a body that is too large", "POST", prompt("x".repeat(20_000)), 413],
    ["another method", "DELETE", "", 405],
    ["what may be asked", "OPTIONS", "", 204],
    ["a path that takes no GET", "GET", "", 405],
  ])("the gateway's own response has the id: %s", async (_, method, body, status) => {
    const response = await send(method, path, body);
    expect(response.status).toBe(status);
    expect(idsOf(response)).toEqual([response.id]);
  });

  it("a response that Envoy gives before the filter has the id", async () => {
    const upgrade: [string, string][] = [
      ["connection", "upgrade"],
      ["upgrade", "websocket"],
    ];
    const response = await send("GET", path, "", upgrade);
    expect(response.status).toBe(426);
    expect(idsOf(response)).toEqual([response.id]);
  });
});

it.each(["/healthz", "/readyz", "/v1/models", "/", "/nowhere"])(
  "GET %s has the id",
  async (path) => {
    const response = await send("GET", path);
    expect(idsOf(response)).toEqual([response.id]);
  },
);

it("an id that is not fit for a header is replaced, here and in the log", async () => {
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { "x-request-id": "a b" } });
  const id = response.headers.get(HEADER_REQUEST_ID);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  await gateway.waitForLog("ingress", ({ requestId }) => requestId === id);
});

it("a request without an id finds its lines in the logs by the response", async () => {
  const response = await fetch(`${gateway.url}${CHAT}`, { method: "POST", body: prompt("answer") });
  const id = response.headers.get(HEADER_REQUEST_ID);
  await gateway.waitForLog("ingress", ({ requestId, code }) => requestId === id && code === 200);
  await gateway.waitForLog("llm", ({ requestId, code }) => requestId === id && code === 200);
});
