// Headers that stay on their side of the gateway, each on every path: a request with one attempt, the attempts of one with a
// fallback, an endpoint without models; complete responses, streams, errors and compressed ones.
import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider, ReceivedRequest } from "../providers/scripted-provider.ts";

/** In the value of every header that must not pass. */
const FOREIGN = "foreign";

const FOREIGN_REQUEST: OutgoingHttpHeaders = {
  "x-gateway-cluster": FOREIGN,
  "x-gateway-stream-cluster": FOREIGN,
  "x-gateway-api-key": FOREIGN,
  "x-gateway-made-up": FOREIGN,
  "x-gateway-not-ascii": "f\u00f6reign foreign",
  "x-forwarded-for": [FOREIGN, `${FOREIGN} too`],
  "x-forwarded-proto": "https",
  "x-forwarded-host": FOREIGN,
  "x-forwarded-client-cert": FOREIGN,
  "x-envoy-made-up": FOREIGN,
  "x-envoy-upstream-alt-stat-name": FOREIGN,
  "x-envoy-original-path": FOREIGN,
  "x-amz-security-token": FOREIGN,
  "x-amz-made-up": FOREIGN,
  "x-amzn-bedrock-guardrailidentifier": FOREIGN,
  "x-goog-user-project": FOREIGN,
  "x-ms-made-up": FOREIGN,
  "x-http-method-override": "DELETE",
  "x-http-method": "DELETE",
  "x-method-override": "DELETE",
  "x-original-url": `/${FOREIGN}`,
  "x-rewrite-url": `/${FOREIGN}`,
  "ocp-apim-subscription-key": FOREIGN,
  "openai-organization": FOREIGN,
  "openai-project": FOREIGN,
  "idempotency-key": FOREIGN,
  prefer: "respond-async",
  forwarded: `for=${FOREIGN}`,
  "x-real-ip": FOREIGN,
  te: "trailers",
  authorization: `Bearer ${FOREIGN}`,
  "x-api-key": FOREIGN,
  "api-key": FOREIGN,
  "x-goog-api-key": FOREIGN,
  "proxy-authorization": FOREIGN,
  cookie: [`a=${FOREIGN}`, `b=${FOREIGN}`],
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  tracestate: FOREIGN,
  baggage: FOREIGN,
  "accept-encoding": `gzip, ${FOREIGN}`,
};
/** What a provider gets of them: its own, or the gateway's. */
const WRITTEN = ["authorization", "accept-encoding"];

const FOREIGN_RESPONSE: OutgoingHttpHeaders = {
  "x-envoy-upstream-service-time": FOREIGN,
  "x-envoy-ratelimited": FOREIGN,
  "x-envoy-decorator-operation": FOREIGN,
  "x-envoy-made-up": FOREIGN,
  "x-gateway-retry": FOREIGN,
  "x-gateway-retry-after": FOREIGN,
  "x-gateway-request-id": [FOREIGN, `${FOREIGN} too`],
  "x-gateway-encoding": FOREIGN,
  "x-gateway-dropped": FOREIGN,
  "x-gateway-made-up": FOREIGN,
  "access-control-allow-origin": FOREIGN,
  "access-control-expose-headers": FOREIGN,
  "access-control-made-up": FOREIGN,
  "alt-svc": FOREIGN,
  "strict-transport-security": FOREIGN,
  "set-cookie": [`a=${FOREIGN}`, `b=${FOREIGN}`],
  trailer: FOREIGN,
  location: FOREIGN,
  refresh: FOREIGN,
  "www-authenticate": [FOREIGN, `${FOREIGN} too`],
  "proxy-authenticate": FOREIGN,
  "x-made-up-authenticate": FOREIGN,
};

const CHUNK = {
  id: "1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content: "hi" } }],
};
const COMPLETION = {
  id: "1",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
};

/** How the provider responds, as the request's `x-kind` requires. */
const KINDS: Record<string, (response: ServerResponse) => void> = {
  complete: (response) => {
    response.writeHead(200, { ...FOREIGN_RESPONSE, "content-type": "application/json" });
    response.end(JSON.stringify(COMPLETION));
  },
  stream: (response) => {
    response.writeHead(200, { ...FOREIGN_RESPONSE, "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`);
  },
  error: (response) => {
    response.writeHead(400, { ...FOREIGN_RESPONSE, "content-type": "application/json" });
    response.end('{"error":{"message":"no","type":"invalid_request_error"}}');
  },
  compressed: (response) => {
    const type = { "content-type": "application/json", "content-encoding": "gzip" };
    response.writeHead(200, { ...FOREIGN_RESPONSE, ...type });
    response.end(gzipSync(JSON.stringify(COMPLETION)));
  },
  identity: (response) => {
    const type = { "content-type": "application/json", "content-encoding": "identity" };
    response.writeHead(200, { ...FOREIGN_RESPONSE, ...type });
    response.end(JSON.stringify(COMPLETION));
  },
};
const STATUS: Record<string, number> = { error: 400 };

/** Paths through the gateway, and the attempts of each. */
const PATHS = [
  { name: "one attempt", model: "openai/alone", attempts: 1 },
  { name: "one attempt, translated", model: "anthropic/alone", attempts: 1 },
  { name: "the first of several attempts", model: "openai/safe", attempts: 1 },
  { name: "the second of several attempts", model: "openai/failing", attempts: 2 },
];

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response, { headers, body }) => {
    const isFailing = body.includes('"failing"');
    if (isFailing) response.writeHead(503, FOREIGN_RESPONSE).end("{}");
    else KINDS[String(headers["x-kind"])]?.(response);
  });
  const at = `base_url: "http://127.0.0.1:${provider.port}`;
  const config = `
upstream: {outlier_detection: {consecutive_failures: 0}}
llm_providers:
  - {model: openai/alone, ${at}/v1", access_key: $CHAT_KEY, decompress_responses: true}
  - {model: anthropic/alone, ${at}", access_key: $MESSAGES_KEY, decompress_responses: true}
  - {model: openai/safe, ${at}/v1", access_key: $CHAT_KEY, decompress_responses: true, fallbacks: [openai/alone]}
  - {model: openai/failing, ${at}/v1", access_key: $CHAT_KEY, decompress_responses: true, fallbacks: [openai/alone]}
`;
  const environment = { CHAT_KEY: "chat-key", MESSAGES_KEY: "messages-key" };
  gateway = await startGateway({ config, environment });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

let lastId = 0;

interface Outcome {
  id: string;
  status: number | undefined;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
  /** The last attempt's. */
  sent: ReceivedRequest | undefined;
  attempts: number;
}

function send(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
  body?: object,
): Promise<Outcome> {
  const id = `request-${++lastId}`;
  const url = `${gateway.url}${path}`;
  return new Promise((resolve, reject) => {
    const sending = httpRequest(
      url,
      { method, headers: { "x-request-id": id, "content-type": "application/json", ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const own = provider.requests.filter((one) => one.headers["x-request-id"] === id);
          resolve({
            id,
            status: response.statusCode,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            body: Buffer.concat(chunks).toString(),
            sent: own.at(-1),
            attempts: own.length,
          });
        });
      },
    );
    sending.on("error", reject);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function chat(model: string, kind: string): Promise<Outcome> {
  const body = { model, stream: kind === "stream", messages: [{ role: "user", content: "hi" }] };
  return send("POST", "/v1/chat/completions", { ...FOREIGN_REQUEST, "x-kind": kind }, body);
}

/** Names of the headers of a list that are here, or whose value is foreign. */
function leaks(rawHeaders: string[], list: OutgoingHttpHeaders, written: string[]): string[] {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ""] as const] : [],
  );
  const isLeak = ([name, value]: readonly [string, string]) =>
    value.includes(FOREIGN) || (name in list && !written.includes(name));
  return pairs.filter(isLeak).map(([name]) => name);
}

describe.each(PATHS)("$name", ({ model, attempts }) => {
  it("the gateway sends no foreign header of the client to the provider", async () => {
    const { sent, attempts: made } = await chat(model, "complete");
    expect(made).toBe(attempts);
    const own = model === "anthropic/alone" ? ["x-api-key", "accept-encoding"] : WRITTEN;
    expect(leaks(sent?.rawHeaders ?? [], FOREIGN_REQUEST, own)).toEqual([]);
    expect(sent?.headers["accept-encoding"]).toBe("identity");
    if (model === "anthropic/alone") expect(sent?.headers["x-api-key"]).toBe("messages-key");
    else expect(sent?.headers.authorization).toBe("Bearer chat-key");
  });

  it.each(Object.keys(KINDS))(
    "the gateway sends no foreign header of a response (%s) to the client",
    async (kind) => {
      const { id, status, headers, rawHeaders, body } = await chat(model, kind);
      expect(leaks(rawHeaders, FOREIGN_RESPONSE, ["x-gateway-request-id"])).toEqual([]);
      expect(headers["x-gateway-request-id"]).toBe(id);
      // A provider of messages does not respond with a completion.
      if (model !== "anthropic/alone") expect(status, body).toBe(STATUS[kind] ?? 200);
    },
  );
});

describe("an endpoint without models", () => {
  it.each(Object.keys(KINDS).filter((kind) => kind !== "stream"))(
    "an endpoint without models passes no foreign header, response: %s",
    async (kind) => {
      const hint = { "x-gateway-llm-provider-hint": "openai" };
      const headers = { ...FOREIGN_REQUEST, ...hint, "x-kind": kind };
      const {
        id,
        sent,
        status,
        rawHeaders,
        headers: got,
      } = await send("GET", "/v1/files", headers);
      expect(status).toBe(STATUS[kind] ?? 200);
      expect(leaks(sent?.rawHeaders ?? [], { ...FOREIGN_REQUEST, ...hint }, WRITTEN)).toEqual([]);
      expect(leaks(rawHeaders, FOREIGN_RESPONSE, ["x-gateway-request-id"])).toEqual([]);
      expect(got["x-gateway-request-id"]).toBe(id);
    },
  );
});
