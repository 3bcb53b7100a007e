// The access logs: one line for each request and each attempt, 15 fields, one request id.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { LogLine } from "../gateway/log-line.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask } from "./ask.ts";
import { sendRaw } from "../gateway/raw-client.ts";

let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: 3_000 });
});
afterAll(() => all.stop());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
let count = 0;

/** A request id of this test's own, so that its lines can be found. */
function newId(): string {
  count++;
  return `access-log-test-${count}`;
}

function linesOf(name: "ingress" | "llm", id: string, lines = 1): Promise<LogLine[]> {
  return all.gateway.waitForLog(name, ({ requestId }) => requestId === id, lines);
}

it("a call has a line for the client and a line for the provider", async () => {
  const id = newId();
  const response = await ask(all.gateway, "messages", {
    headers: { "x-request-id": id, "user-agent": "a test", "x-forwarded-for": "10.1.2.3" },
  });
  const size = Buffer.byteLength(await response.text());
  const [client] = await linesOf("ingress", id);
  expect(client).toMatchObject({
    method: "POST",
    path: "/v1/messages",
    protocol: "HTTP/1.1",
    code: 200,
    flags: "-",
    bytesSent: size,
    forwardedFor: "10.1.2.3",
    userAgent: "a test",
    authority: `127.0.0.1:${all.gateway.ports.egress}`,
    upstreamHost: `127.0.0.1:${all.anthropic.port}`,
  });
  expect(client?.bytesReceived).toBeGreaterThan(50);
  const [provider] = await linesOf("llm", id);
  expect(provider).toMatchObject({
    method: "POST",
    path: "/v1/messages",
    code: 200,
    authority: `127.0.0.1:${all.anthropic.port}`,
    upstreamHost: `127.0.0.1:${all.anthropic.port}`,
  });
  expect(provider?.upstreamServiceTime).toMatch(/^\d+$/);
  expect(Math.abs(Date.parse(client?.startTime ?? "") - Date.now())).toBeLessThan(60_000);
});

it("the client's path and authority are the client's, the provider's the provider's", async () => {
  const id = newId();
  await ask(all.gateway, "chat", {
    headers: { "x-request-id": id, host: "gateway.example" },
    listener: "ingress",
  });
  const [client] = await linesOf("ingress", id);
  expect(client?.path).toBe("/v1/chat/completions");
  const [provider] = await linesOf("llm", id);
  expect(provider?.authority).toBe(`127.0.0.1:${all.openai.port}`);
});

it("the upstream's time is a part of the whole", async () => {
  const id = newId();
  all.openai.next({ kind: "answer", delayMs: 120 });
  await ask(all.gateway, "chat", { headers: { "x-request-id": id } });
  const [client] = await linesOf("ingress", id);
  const [provider] = await linesOf("llm", id);
  expect(Number(client?.upstreamServiceTime)).toBeGreaterThanOrEqual(100);
  expect(client?.duration).toBeGreaterThanOrEqual(Number(client?.upstreamServiceTime));
  expect(Number(provider?.upstreamServiceTime)).toBeGreaterThanOrEqual(100);
});

it("a response of the gateway itself has a line, without a provider", async () => {
  const id = newId();
  await ask(all.gateway, "chat", { model: "nobody/knows", headers: { "x-request-id": id } });
  const [client] = await linesOf("ingress", id);
  expect(client).toMatchObject({ code: 404, upstreamServiceTime: "-", upstreamHost: "-" });
  expect(all.gateway.log("llm").filter(({ requestId }) => requestId === id)).toEqual([]);
});

it("the client's line has the path as it was sent, the provider's that of the endpoint", async () => {
  const id = newId();
  const body = JSON.stringify({ model: "fast", messages: [{ role: "user", content: "hi" }] });
  const head = `POST //chat/completions/?a=b HTTP/1.1\r\nhost: gateway\r\nx-request-id: ${id}\r\n`;
  const sent = `${head}content-length: ${body.length}\r\n\r\n${body}`;
  expect((await sendRaw(all.gateway.ports.egress, sent)).status).toBe(200);
  const [client] = await linesOf("ingress", id);
  expect(client?.path).toBe("//chat/completions/?a=b");
  const [provider] = await linesOf("llm", id);
  expect(provider?.path).toBe("/v1/chat/completions?a=b");
});

describe("an x-forwarded-for with quotes shifts no field of the client's line", () => {
  const body = JSON.stringify({ model: "fast", messages: [{ role: "user", content: "hi" }] });
  const send = (...lines: string[]) =>
    sendRaw(
      all.gateway.ports.egress,
      [...lines, "user-agent: real", `content-length: ${body.length}`, "", body].join("\r\n"),
    );
  const forged = (id: string) => `x-forwarded-for: 1.2.3.4" "spoof" "${id}" "x" "up`;
  const escaped = (id: string) => `1.2.3.4%22 %22spoof%22 %22${id}%22 %22x%22 %22up`;

  it("an x-forwarded-for with quotes shifts no field of the line of a request that is served", async () => {
    const id = newId();
    const head = ["POST /v1/chat/completions HTTP/1.1", "host: gateway", `x-request-id: ${id}`];
    expect((await send(...head, forged(id))).status).toBe(200);
    const [client] = await linesOf("ingress", id);
    const rest = { path: "/v1/chat/completions", userAgent: "real", authority: "gateway" };
    expect(client).toMatchObject({ forwardedFor: escaped(id), ...rest });
  });
});

describe("a query", () => {
  const body = JSON.stringify({ model: "fast", messages: [{ role: "user", content: "hi" }] });
  const send = (id: string, target: string) =>
    sendRaw(
      all.gateway.ports.egress,
      `POST ${target} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\nx-request-id: ${id}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  const CHAT = "/v1/chat/completions";

  it.each([
    ["?beta=true", "?beta=true", "?beta=true"],
    ["?api_key=S3CRET&beta=true", "?api_key=***&beta=true", "?beta=true"],
    ["?beta=true&X-Amz-Signature=S3CRET", "?beta=true&X-Amz-Signature=***", "?beta=true"],
    ["?key=S3CRET", "?key=***", ""],
    ["?access%5Ftoken=S3CRET;sig=S3CRET", "?access%5Ftoken=***;sig=***", ""],
    ["?max_tokens=3&key=", "?max_tokens=3&key=***", "?max_tokens=3"],
    ["?", "?", "?"],
  ])("%s: the client's line has %s, the provider gets %s", async (query, logged, sent) => {
    const id = newId();
    expect((await send(id, CHAT + query)).status).toBe(200);
    const [client] = await linesOf("ingress", id);
    expect(client?.path).toBe(CHAT + logged);
    const [provider] = await linesOf("llm", id);
    expect(provider?.path).toBe(CHAT + sent);
    const asked = all.openai.requests.find(({ headers }) => headers["x-request-id"] === id);
    expect(asked?.path).toBe(CHAT + sent);
  });

  it("a query is masked also if the gateway answers the request itself", async () => {
    const id = newId();
    expect((await send(id, "/v1/elsewhere?key=S3CRET&a=b")).status).toBe(404);
    expect((await linesOf("ingress", id))[0]?.path).toBe("/v1/elsewhere?key=***&a=b");
  });

  it("a query is not in the log if Envoy refuses the request before the filter reads it", async () => {
    const id = newId();
    const withoutHost = `POST /v1/refused?key=S3CRET HTTP/1.1\r\nx-request-id: ${id}\r\n\r\n`;
    expect((await sendRaw(all.gateway.ports.egress, withoutHost)).status).toBe(400);
    expect((await linesOf("ingress", id))[0]?.path).toBe("/v1/refused");
  });
});

describe("request ids", () => {
  it("a request without one gets a UUID, on all its lines and at the provider", async () => {
    await ask(all.gateway, "chat", { text: "no id here" });
    const asked = all.openai.requests.find(({ body }) => body.includes("no id here"));
    const id = asked?.headers["x-request-id"] ?? "";
    expect(id).toMatch(UUID);
    await linesOf("ingress", id);
    await linesOf("llm", id);
  });

  it.each([
    ["with a quote", 'a"b'],
    ["with a space", "a b"],
    ["too long", "x".repeat(200)],
    ["that is not ASCII", "\u00e9t\u00e9"],
  ])("the request id %s is replaced", async (what, id) => {
    await ask(all.gateway, "chat", { text: `an id ${what}`, headers: { "x-request-id": id } });
    const asked = all.openai.requests.find(({ body }) => body.includes(`an id ${what}`));
    expect(asked?.headers["x-request-id"]).toMatch(UUID);
    await linesOf("ingress", asked?.headers["x-request-id"] ?? "");
  });
});

describe("an attempt that got no connection has the protocol that it would have used", () => {
  // Nobody listens on port 1; .invalid has no address (RFC 6761).
  const CLOSED = "http://127.0.0.1:1";
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({
      config: `version: v0.1.0
llm_providers:
  - {model: closed/plain, provider_interface: openai, base_url: "${CLOSED}"}
  - {model: closed/tls, provider_interface: openai, base_url: "https://127.0.0.1:1"}
  - {model: nowhere/plain, provider_interface: openai, base_url: "http://no-such-host.invalid"}
  - {model: nowhere/tls, provider_interface: openai, base_url: "https://no-such-host.invalid"}
model_aliases:
  plain-then-tls: {target: closed/plain, fallbacks: [closed/tls]}
  nowhere-then-tls: {target: nowhere/plain, fallbacks: [closed/tls]}
`,
    });
  });
  afterAll(() => gateway.stop());

  it.each([
    ["closed/plain", ["HTTP/1.1"]],
    ["closed/tls", ["HTTP/2"]],
    ["nowhere/plain", []],
    ["nowhere/tls", []],
    ["plain-then-tls", ["HTTP/1.1", "HTTP/2"]],
    ["nowhere-then-tls", ["HTTP/1.1", "HTTP/2"]],
  ])("%s", async (model, protocols) => {
    const id = newId();
    await ask(gateway, "chat", { model, headers: { "x-request-id": id } });
    await gateway.waitForLog("ingress", ({ requestId }) => requestId === id);
    const lines = await gateway.waitForLog(
      "llm",
      ({ requestId }) => requestId === id,
      protocols.length,
    );
    // A connection that is refused is tried once more.
    expect([...new Set(lines.map(({ protocol }) => protocol))]).toEqual(protocols);
    for (const { code, flags } of lines) expect([code, flags]).toEqual([0, "UF"]);
  });
});

describe("calls that failed", () => {
  it("a provider that breaks the connection: code 0 and a flag on its line", async () => {
    const id = newId();
    await ask(all.gateway, "chat", { text: "[reset]", headers: { "x-request-id": id } });
    const [provider] = await linesOf("llm", id);
    expect(provider?.code).toBe(0);
    expect(provider?.flags).toMatch(/UC|UR/);
    const [client] = await linesOf("ingress", id);
    expect(client?.code).toBe(503);
  });

  it("a provider without a response in time is a line with its status", async () => {
    const id = newId();
    await ask(all.gateway, "chat", { text: "[hang]", headers: { "x-request-id": id } });
    const [client] = await linesOf("ingress", id);
    expect(client).toMatchObject({ code: 504 });
    expect(client?.flags).toMatch(/UT/);
    const [provider] = await linesOf("llm", id);
    // The gateway gave it up itself, which Envoy has no flag for.
    expect(provider).toMatchObject({ code: 0, flags: "LR" });
  });

  it("a client that leaves before the answer: code 0 and DC", async () => {
    const id = newId();
    const before = all.openai.requests.length;
    const leaving = new AbortController();
    const response = ask(all.gateway, "chat", {
      text: "[hang]",
      headers: { "x-request-id": id },
      signal: leaving.signal,
    });
    await all.openai.request(before);
    leaving.abort();
    await expect(response).rejects.toThrow();
    const [client] = await linesOf("ingress", id);
    expect(client).toMatchObject({ code: 0 });
    expect(client?.flags).toMatch(/DC/);
    const [provider] = await linesOf("llm", id);
    expect(provider?.code).toBe(0);
    expect(provider?.flags).not.toBe("-");
  });
});
