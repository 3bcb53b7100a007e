// Traces of requests on the egress listener, as an OpenTelemetry collector gets them from a real Envoy.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGrpcReceiver, startHttpReceiver } from "../otlp/receiver.ts";
import type { Receiver } from "../otlp/receiver.ts";
import { attributesOf, exportAtOnce, traceOf } from "../otlp/trace-of.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes, WithFakesOptions } from "../gateway/with-fakes.ts";
import { ask, parts } from "./ask.ts";
import type { DialectName } from "./ask.ts";

const KEY = "a-key-of-the-collector-0123";
const PARENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const TRACEPARENT = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
const UNSAMPLED = `00-${PARENT.traceId}-${PARENT.spanId}-00`;
const CONTEXT = { traceparent: TRACEPARENT, tracestate: "vendor=a,other=b", baggage: "user=4711" };
const CONTEXT_NAMES = Object.keys(CONTEXT);

let count = 0;
const newId = () => `trace-${++count}`;

async function start(
  receiver: Receiver,
  settings = "",
  options: WithFakesOptions = {},
): Promise<WithFakes> {
  return startWithFakes({
    timeoutMs: 3_000,
    aliases: "  two: { target: openai/gpt-4o, fallbacks: [anthropic/claude-test] }\n",
    config: `tracing:
  endpoint: http://127.0.0.1:${String(receiver.port)}
  headers: { authorization: Bearer $COLLECTOR_KEY, x-percent: 100% }
${settings}`,
    environment: { COLLECTOR_KEY: KEY },
    adaptBootstrap: exportAtOnce,
    ...options,
  });
}

describe.each(["http", "grpc"] as const)("OTLP over %s", (protocol) => {
  let receiver: Receiver;
  let all: WithFakes;

  beforeAll(async () => {
    receiver = await (protocol === "http" ? startHttpReceiver() : startGrpcReceiver());
    all = await start(
      receiver,
      `  protocol: ${protocol}
  service_name: team-gateway
  resource_attributes: { deployment.environment.name: test }
`,
    );
  });
  afterAll(async () => {
    await all.stop();
    await receiver.stop();
    expect(receiver.violations).toEqual([]);
  });

  it("an export has the collector's path and key", async () => {
    const id = newId();
    await (await ask(all.gateway, "chat", { headers: { "x-request-id": id } })).text();
    await traceOf(receiver, id, 2);
    const [first] = receiver.exports;
    expect(first?.path).toBe(
      protocol === "http"
        ? "/v1/traces"
        : "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    );
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "x-percent": "100%" });
  });

  it("a request and its attempt are one trace", async () => {
    const id = newId();
    await (await ask(all.gateway, "chat", { headers: { "x-request-id": id } })).text();
    const { request, children } = await traceOf(receiver, id, 2);
    expect(request).toMatchObject({ name: "chat gpt-4o", kind: "server", parentId: "" });
    expect(request.resource).toMatchObject({
      "service.name": "team-gateway",
      "deployment.environment.name": "test",
    });
    expect(attributesOf(request, "gen_ai.", "gateway.", "error", "url.")).toEqual({
      "gen_ai.conversation.id": expect.stringMatching(/^conv-[0-9a-f]{16}$/) as string,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.finish_reasons": '["stop"]',
      "gen_ai.response.model": "gpt-4o-2025-11-20",
      "gen_ai.usage.input_tokens": expect.any(BigInt) as bigint,
      "gen_ai.usage.output_tokens": expect.any(BigInt) as bigint,
      "url.path": "/v1/chat/completions",
      "gateway.listener": "egress",
      "gateway.requested_model": "fast",
      "gateway.attempts": 1n,
    });
    expect(children).toMatchObject([{ name: "attempt gpt-4o", kind: "client" }]);
    // The span of inference is the request's alone.
    expect(attributesOf(children[0] ?? request, "gen_ai.usage.", "gen_ai.operation")).toEqual({});
  });
});

describe("a span", () => {
  let receiver: Receiver;
  let all: WithFakes;

  beforeAll(async () => {
    receiver = await startHttpReceiver();
    all = await start(receiver, "  protocol: http\n");
  });
  afterAll(async () => {
    await all.stop();
    await receiver.stop();
    expect(receiver.violations).toEqual([]);
  });

  const CLIENTS: DialectName[] = ["chat", "messages", "responses"];
  const MODELS = [
    { model: "fast", provider: "openai", name: "gpt-4o" },
    { model: "careful", provider: "anthropic", name: "claude-test" },
    { model: "deep", provider: "responses-only", name: "gpt-5.1" },
  ];

  it.each(CLIENTS.flatMap((client) => MODELS.map((model) => ({ client, ...model }))))(
    "a span of a stream, $client client and $model, has its usage as integers",
    async ({ client, model, provider, name }) => {
      const id = newId();
      const headers = { "x-request-id": id };
      const response = await ask(all.gateway, client, { model, stream: true, headers });
      await response.text();
      const { request, children } = await traceOf(receiver, id, 2);
      expect(request.name).toBe(`chat ${name}`);
      const { attributes } = request;
      expect(attributes).toMatchObject({
        "gen_ai.provider.name": provider,
        "gen_ai.request.stream": true,
        "gen_ai.response.finish_reasons": '["stop"]',
        "gen_ai.response.model": expect.any(String) as string,
      });
      expect(attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0n);
      expect(attributes["gen_ai.usage.output_tokens"]).toBeGreaterThan(0n);
      const seconds = attributes["gen_ai.response.time_to_first_chunk"];
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan(Number(request.endNano - request.startNano) / 1e9 + 0.01);
      expect(attributesOf(children[0] ?? request, "gen_ai.usage.")).toEqual({});
    },
  );

  it("a span continues the trace of the client", async () => {
    const id = newId();
    const headers = { "x-request-id": id, ...CONTEXT };
    await (await ask(all.gateway, "chat", { headers })).text();
    await expect
      .poll(() => receiver.spans.some(({ attributes }) => attributes["guid:x-request-id"] === id))
      .toBe(true);
    const span = receiver.spans.find(({ attributes }) => attributes["guid:x-request-id"] === id);
    expect(span).toMatchObject({ traceId: PARENT.traceId, parentId: PARENT.spanId });
  });

  it("a span is not made for a client that is not sampled", async () => {
    const before = newId();
    await (
      await ask(all.gateway, "chat", {
        headers: { "x-request-id": before, traceparent: UNSAMPLED },
      })
    ).text();
    const after = newId();
    await (await ask(all.gateway, "chat", { headers: { "x-request-id": after } })).text();
    await traceOf(receiver, after, 2);
    const ids = receiver.spans.map(({ attributes }) => attributes["guid:x-request-id"]);
    expect(ids).toContain(after);
    expect(ids).not.toContain(before);
  });

  it("a span of a fallback has a child for each attempt", async () => {
    const id = newId();
    all.openai.next({ kind: "error", status: 503 });
    await (
      await ask(all.gateway, "chat", { model: "two", headers: { "x-request-id": id } })
    ).text();
    const { request, children } = await traceOf(receiver, id, 3);
    expect(request.attributes).toMatchObject({
      "gen_ai.provider.name": "anthropic",
      "gateway.attempts": 2n,
      "gateway.fallbacks": 1n,
      "gateway.requested_model": "two",
    });
    expect(request.attributes["error.type"]).toBeUndefined();
    expect(children.map(({ name, kind }) => ({ name, kind }))).toEqual([
      { name: "attempt gpt-4o", kind: "client" },
      { name: "attempt claude-test", kind: "client" },
    ]);
    const [failed, answered] = children;
    expect(failed?.status.code).toBe(2);
    expect(failed?.attributes).toMatchObject({
      "http.status_code": "503",
      "gen_ai.provider.name": "openai",
    });
    expect(answered?.attributes["gen_ai.provider.name"]).toBe("anthropic");
    for (const child of children) expect(attributesOf(child, "gen_ai.usage.")).toEqual({});
  });

  it("a span of a client that hangs up has the model, and the tokens that were known", async () => {
    const id = newId();
    all.anthropic.next({ kind: "stall", afterEvents: 3 });
    const abort = new AbortController();
    const response = await ask(all.gateway, "messages", {
      stream: true,
      headers: { "x-request-id": id },
      signal: abort.signal,
    });
    for await (const part of parts(response)) if (part.includes("message_start")) break;
    abort.abort();
    const { request, children } = await traceOf(receiver, id, 2);
    expect(request.name).toBe("chat claude-test");
    expect(request.attributes).toMatchObject({
      "error.type": "client_disconnected",
      "gen_ai.request.model": "claude-test",
      "gen_ai.request.stream": true,
    });
    expect(request.attributes["gateway.partial_usage"]).toMatch(
      /^\{"input_tokens":[1-9]\d*,"output_tokens":\d+\}$/,
    );
    expect(request.attributes["gen_ai.response.finish_reasons"]).toBeUndefined();
    expect(attributesOf(children[0] ?? request, "gen_ai.usage.")).toEqual({});
  });

  it.each([
    {
      what: "an unknown model",
      model: "no-such-model",
      error: "404",
      name: "chat",
    },
    { what: "a provider's error", text: "[error 429]", error: "429", name: "chat gpt-4o" },
  ])("a span of $what has its status as error.type", async ({ model, text, error, name }) => {
    const id = newId();
    const options = {
      ...(model === undefined ? {} : { model }),
      ...(text === undefined ? {} : { text }),
    };
    await (await ask(all.gateway, "chat", { ...options, headers: { "x-request-id": id } })).text();
    const { request, children } = await traceOf(receiver, id, model === undefined ? 2 : 1);
    expect(request.name).toBe(name);
    expect(request.attributes["error.type"]).toBe(error);
    for (const child of children) expect(child.attributes["error.type"]).toBe(error);
  });

  it("a span of another endpoint is named by method and path, of an unknown path by the method", async () => {
    const names = await Promise.all(
      ["/v1/models", "/no/such/path"].map(async (path) => {
        const id = newId();
        const url = `http://127.0.0.1:${String(all.gateway.ports.egress)}${path}`;
        await (await fetch(url, { headers: { "x-request-id": id } })).text();
        return (await traceOf(receiver, id, 1)).request.name;
      }),
    );
    expect(names).toEqual(["GET /v1/models", "GET"]);
  });

  it("a span of a silent provider has the status 504", async () => {
    const id = newId();
    all.openai.next({ kind: "hang" });
    await (await ask(all.gateway, "chat", { headers: { "x-request-id": id } })).text();
    const { request } = await traceOf(receiver, id, 2);
    expect(request.attributes).toMatchObject({ "error.type": "504", response_flags: "UT" });
    expect(request.status.code).toBe(2);
  });

  it("a span of a stream with an error in it has the reason", async () => {
    const id = newId();
    all.openai.next({ kind: "errorEvent", afterEvents: 2 });
    const headers = { "x-request-id": id };
    const response = await ask(all.gateway, "messages", { model: "fast", stream: true, headers });
    await response.text().catch(() => undefined);
    const { request } = await traceOf(receiver, id, 2);
    expect(request.attributes["error.type"]).toBe("broken_stream");
    expect(request.attributes["gen_ai.response.finish_reasons"]).toBe('["error"]');
  });

  it("a span of a stream that breaks off has the reason", async () => {
    const id = newId();
    all.openai.next({ kind: "reset", afterEvents: 2 });
    const headers = { "x-request-id": id };
    const response = await ask(all.gateway, "chat", { stream: true, headers });
    await response.text().catch(() => undefined);
    const { request } = await traceOf(receiver, id, 2);
    expect(request.attributes["error.type"]).toBe("upstream_reset");
  });

  it("a span has neither a query nor a key", async () => {
    const id = newId();
    const secret = "sk-secret-of-a-client";
    const { port } = new URL(all.gateway.url);
    await fetch(`http://127.0.0.1:${port}/v1/none?api_key=${secret}`, {
      headers: { "x-request-id": id, authorization: `Bearer ${secret}` },
    });
    const { all: spans } = await traceOf(receiver, id, 1);
    const text = JSON.stringify(spans, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    for (const one of [secret, ...Object.values(all.keys)]) expect(text).not.toContain(one);
  });

  it.each(["chat", "two"])("headers of a trace do not reach a provider (%s)", async (model) => {
    const id = newId();
    if (model === "two") all.openai.next({ kind: "error", status: 503 });
    const options = model === "two" ? { model } : {};
    const headers = { "x-request-id": id, ...CONTEXT };
    await (await ask(all.gateway, "chat", { ...options, headers })).text();
    const requests = [...all.openai.requests, ...all.anthropic.requests].filter(
      (request) => request.headers["x-request-id"] === id,
    );
    expect(requests).toHaveLength(model === "two" ? 2 : 1);
    for (const request of requests)
      for (const name of [...CONTEXT_NAMES, "x-gateway-span", "x-gateway-step"])
        expect(request.headers[name]).toBeUndefined();
  });
});

it("the headers of a trace do not reach a provider without tracing", async () => {
  const all = await startWithFakes();
  try {
    await (await ask(all.gateway, "chat", { headers: CONTEXT })).text();
    const [request] = all.openai.requests;
    for (const name of CONTEXT_NAMES) expect(request?.headers[name]).toBeUndefined();
  } finally {
    await all.stop();
  }
});

it("a provider gets the context of its attempt with propagate_to_providers", async () => {
  const receiver = await startHttpReceiver();
  const all = await start(receiver, "  protocol: http\n  propagate_to_providers: true\n");
  try {
    const id = newId();
    await (await ask(all.gateway, "chat", { headers: { "x-request-id": id, ...CONTEXT } })).text();
    await expect.poll(() => receiver.spans.length).toBe(2);
    const attempt = receiver.spans.find(({ kind }) => kind === "client");
    const { traceparent, tracestate, baggage } = all.openai.requests[0]?.headers ?? {};
    expect(traceparent).toBe(`00-${PARENT.traceId}-${attempt?.spanId ?? ""}-01`);
    expect(tracestate).toBe(CONTEXT.tracestate);
    expect(baggage).toBe(CONTEXT.baggage);
  } finally {
    await all.stop();
    await receiver.stop();
  }
});

describe.each(["http", "grpc"] as const)("a collector over %s", (protocol) => {
  it.each(["silent", "gone"] as const)(
    "a collector that is %s delays no request, and no request is lost",
    async (state) => {
      const startReceiver = protocol === "http" ? startHttpReceiver : startGrpcReceiver;
      const receiver = await startReceiver({ isSilent: true });
      if (state === "gone") await receiver.stop();
      const all = await start(receiver, `  protocol: ${protocol}\n`);
      try {
        await (await ask(all.gateway, "chat")).text();
        const times = await Promise.all(
          Array.from({ length: 200 }, async () => {
            const start = performance.now();
            const response = await ask(all.gateway, "chat");
            await response.text();
            expect(response.status).toBe(200);
            return performance.now() - start;
          }),
        );
        // An export ends after 5 s at the earliest.
        expect(Math.max(...times)).toBeLessThan(4_000);
        expect(all.openai.requests).toHaveLength(201);
      } finally {
        await all.stop();
        if (state === "silent") await receiver.stop();
      }
    },
  );
});
