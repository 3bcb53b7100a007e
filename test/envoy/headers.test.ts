// What reaches a provider and what reaches a client: nothing of ours, nothing of one hop, no credential of the other side.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider, ReceivedRequest } from "../providers/scripted-provider.ts";
import { ANTHROPIC_KEY, OPENAI_KEY, startTwoDialects } from "../gateway/two-dialects.ts";
import { sendRaw } from "../gateway/raw-client.ts";

const RESPONSE_HEADERS = {
  "content-type": "application/json",
  "retry-after": "3",
  "request-id": "req_1",
  "x-request-id": "provider-1",
  "x-gateway-request-id": "forged",
  "x-ratelimit-remaining-requests": "9",
  server: "provider",
  "x-envoy-upstream-service-time": "3",
  "strict-transport-security": "max-age=1",
  "alt-svc": 'h3=":443"',
  "keep-alive": "timeout=9",
  "proxy-authenticate": "Basic",
  "www-authenticate": "Bearer",
  location: "http://elsewhere.test/",
  refresh: "0; url=http://elsewhere.test/",
  "access-control-allow-origin": "*",
  "x-gateway-cluster": "elsewhere",
  "x-gateway-dropped": "lies",
  "x-gateway-retry": "1",
  trailer: "x",
  upgrade: "h2c",
};

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response) => {
    response.writeHead(200, RESPONSE_HEADERS).end("{}");
  });
  gateway = await startTwoDialects(provider.port);
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

const CLIENT_HEADERS = [
  ["Authorization", "Bearer client"],
  ["x-api-key", "client"],
  ["api-key", "client"],
  ["Cookie", "a=client"],
  ["Proxy-Authorization", "Basic client"],
  ["X-Forwarded-For", "198.51.100.7"],
  ["X-Forwarded-Proto", "https"],
  ["X-Forwarded-Made-Up", "1"],
  ["Forwarded", "for=198.51.100.7"],
  ["X-Real-Ip", "198.51.100.7"],
  ["x-gateway-cluster", "elsewhere"],
  ["x-gateway-stream-cluster", "elsewhere"],
  ["x-gateway-made-up", "1"],
  ["x-envoy-upstream-rq-timeout-ms", "1"],
  ["x-envoy-made-up", "1"],
  ["Connection", "keep-alive, x-nominated, te"],
  ["x-nominated", "1"],
  ["Keep-Alive", "timeout=1"],
  ["Proxy-Connection", "keep-alive"],
  ["TE", "trailers"],
  ["Expect", "100-continue"],
  ["Accept-Encoding", "gzip, br"],
  ["anthropic-beta", "a-beta"],
  ["OpenAI-Organization", "org"],
  ["traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
  ["tracestate", "vendor=a"],
  ["baggage", "user=4711"],
  ["x-request-id", "client-id-1"],
  ["User-Agent", "test"],
];

async function sent(path: string, model: string): Promise<ReceivedRequest | undefined> {
  const body = JSON.stringify({ model, messages: [] });
  const lines = CLIENT_HEADERS.map(([name, value]) => `${name ?? ""}: ${value ?? ""}\r\n`).join("");
  const head = `POST ${path} HTTP/1.1\r\nhost: gateway.test\r\ncontent-length: ${body.length}\r\n${lines}\r\n`;
  provider.requests.length = 0;
  await sendRaw(gateway.ports.egress, head + body);
  return provider.requests[0];
}

const passing = {
  host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
  "content-length": expect.stringMatching(/^\d+$/) as string,
  "accept-encoding": "identity",
  // The client sends none.
  "content-type": "application/json",
  "anthropic-beta": "a-beta",
  "x-request-id": "client-id-1",
  "user-agent": "test",
};

describe("a provider gets", () => {
  it("a provider with a bearer key gets the key and the headers that a client may set", async () => {
    const request = await sent("/v1/chat/completions", "gpt-4o");
    expect(request?.headers).toEqual({ ...passing, authorization: `Bearer ${OPENAI_KEY}` });
  });

  it("a provider with an x-api-key gets the key and the headers that a client may set", async () => {
    const request = await sent("/v1/messages", "claude");
    expect(request?.headers).toEqual({
      ...passing,
      "x-api-key": ANTHROPIC_KEY,
      "anthropic-version": "2023-06-01",
    });
  });
});

it("a client gets the provider's headers, without those of its connection and host, and none that command it", async () => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-request-id": "client-id-2", "x-gateway-request-id": "made-up" },
    body: '{"model":"none","messages":[]}',
  });
  const { date, ...headers } = Object.fromEntries(response.headers);
  expect(date).toBeDefined();
  expect(headers).toEqual({
    "content-type": "application/json",
    "retry-after": "3",
    "request-id": "req_1",
    "x-request-id": "provider-1",
    "x-gateway-request-id": "client-id-2",
    "x-ratelimit-remaining-requests": "9",
    server: "provider",
    "transfer-encoding": "chunked",
  });
});

it("an HTTP/1.0 proxy in front is served, with or without a host", async () => {
  const body = '{"model":"none","messages":[]}';
  const head = `POST /v1/chat/completions HTTP/1.0\r\ncontent-length: ${body.length}\r\n\r\n`;
  expect((await sendRaw(gateway.ports.egress, head + body)).status).toBe(200);
});

it("an offer to speak HTTP/2 instead is not taken, and the request is served", async () => {
  const body = '{"model":"none","messages":[]}';
  const offer =
    "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n";
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${offer}content-length: ${body.length}\r\n\r\n`;
  expect((await sendRaw(gateway.ports.egress, head + body)).status).toBe(200);
});
