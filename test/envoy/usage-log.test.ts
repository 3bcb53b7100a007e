// The log of usage records: one line per request, with what the filter and Envoy know of it.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usageLineOf, usageLines } from "../gateway/usage-lines.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, parts, PATHS } from "./ask.ts";
import type { DialectName } from "./ask.ts";
import { CLOSED_PORT } from "../providers/scripts/failures-by-model.ts";
import { sendRaw } from "../gateway/raw-client.ts";

const KEY = "a-key-of-the-team-0123";

let all: WithFakes;
let count = 0;

beforeAll(async () => {
  all = await startWithFakes({
    timeoutMs: 6_000,
    aliases: [
      "  two: { target: openai/gpt-4o, fallbacks: [anthropic/claude-test] }",
      "  closed: { target: openai/gpt-4o-gone, fallbacks: [anthropic/claude-test] }",
      "",
    ].join("\n"),
    environment: { TEAM_KEY: KEY },
    adapt(model) {
      model.observability = { metrics: { address: "127.0.0.1", port: 9464 } };
      model.egress.apiKeys = [{ variable: "TEAM_KEY", name: "TEAM_KEY" }];
      model.filterEnvironment.push("TEAM_KEY");
      for (const { name, address } of model.targets)
        if (name === "openai/gpt-4o-gone" && address.kind === "host") address.port = CLOSED_PORT;
    },
  });
});
afterAll(() => all.stop());

const lineOf = (id: string) => usageLineOf(all.gateway, id);

function newId(): string {
  return `usage-log-${++count}`;
}

const headers = (id: string) => ({ "x-request-id": id, authorization: `Bearer ${KEY}` });

const CLIENTS: DialectName[] = ["chat", "messages", "responses"];
const MODELS = {
  fast: "openai/gpt-4o",
  careful: "anthropic/claude-test",
  deep: "responses-only/gpt-5.1",
};
const PAIRS = CLIENTS.flatMap((client) =>
  Object.entries(MODELS).flatMap(([model, target]) =>
    [false, true].map((stream) => ({ client, model, target, stream })),
  ),
);

it.each(PAIRS)("$client client, $target, stream: $stream", async (pair) => {
  const { client, model, target, stream } = pair;
  const id = newId();
  const response = await ask(all.gateway, client, { model, stream, headers: headers(id) });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { record, ...line } = await lineOf(id);
  expect(line).toMatchObject({ status: 200, flags: [], attempts: 1 });
  expect(line.bytesSent).toBe(Buffer.byteLength(text));
  expect(line.firstByte).toBeGreaterThan(0);
  expect(line.requestOverhead).toBeGreaterThan(0);
  expect(line.firstByte).toBeLessThanOrEqual((line.duration + 1) * 1000);
  expect(record).toMatchObject({
    listener: "egress",
    endpoint: PATHS[client],
    key: "TEAM_KEY",
    requested: model,
    target,
    finish: "stop",
    owner: "provider",
  });
  expect(record?.stream).toBe(stream ? 1 : undefined);
  expect(record?.input).toBeGreaterThan(0);
  expect(record?.output).toBeGreaterThan(0);
});

it("a client that hangs up in a stream has a line with what was known", async () => {
  const id = newId();
  all.anthropic.next({ kind: "stall", afterEvents: 3 });
  const abort = new AbortController();
  const response = await ask(all.gateway, "messages", {
    stream: true,
    headers: headers(id),
    signal: abort.signal,
  });
  for await (const part of parts(response)) if (part.includes("message_start")) break;
  abort.abort();
  const { flags, record } = await lineOf(id);
  expect(flags).toContain("DC");
  expect(record).toMatchObject({ target: "anthropic/claude-test", stream: 1 });
  expect(record?.input).toBeGreaterThan(0);
  expect(record?.finish).toBeUndefined();
});

describe("fallbacks", () => {
  const FAILURES = [
    { behaviour: { kind: "error", status: 503 }, failure: { status: 503 } },
    { behaviour: { kind: "reset" }, failure: { error: "upstream_reset" } },
    { behaviour: { kind: "hang" }, failure: { error: "upstream_reset" } },
    { behaviour: { kind: "errorEvent", afterEvents: 0 }, failure: { status: 500 }, stream: true },
  ] as const;

  it.each(FAILURES)("both targets and the failed attempt: $behaviour", async (one) => {
    const { behaviour, failure } = one;
    const id = newId();
    all.openai.next(behaviour);
    const stream = "stream" in one;
    const response = await ask(all.gateway, "chat", { model: "two", stream, headers: headers(id) });
    expect(response.status).toBe(200);
    await response.text();
    const { attempts, record } = await lineOf(id);
    expect(attempts).toBe(2);
    expect(record).toMatchObject({
      requested: "two",
      target: "anthropic/claude-test",
      first_target: "openai/gpt-4o",
      fallbacks: 1,
      attempts: [{ target: "openai/gpt-4o", ...failure }],
    });
    const [failed] = record?.attempts ?? [];
    // The error was in a stream that had been read.
    const message = behaviour.kind === "errorEvent" ? ["message"] : [];
    expect(Object.keys(failed ?? {})).toEqual([
      "target",
      ...Object.keys(failure),
      ...message,
      "ms",
    ]);
    expect(failed?.ms).toBeGreaterThanOrEqual(0);
    if (behaviour.kind === "hang") expect(failed?.ms).toBeGreaterThan(1000);
  });

  it("a refused connection is in the list of fallbacks", async () => {
    const id = newId();
    const response = await ask(all.gateway, "chat", { model: "closed", headers: headers(id) });
    expect(response.status).toBe(200);
    const { record } = await lineOf(id);
    expect(record?.attempts).toMatchObject([
      { target: "openai/gpt-4o-gone", error: "connection_failure" },
    ]);
  });

  it("a record without a failure has no list of fallbacks", async () => {
    const id = newId();
    await (await ask(all.gateway, "chat", { model: "two", headers: headers(id) })).text();
    expect((await lineOf(id)).record).not.toHaveProperty("attempts");
  });
});

describe("the first token", () => {
  it.each(PAIRS.filter(({ stream }) => stream))("$client client, $target", async (pair) => {
    const id = newId();
    const response = await ask(all.gateway, pair.client, {
      model: pair.model,
      stream: true,
      text: "[delay 300]",
      headers: headers(id),
    });
    await response.text();
    const { duration, record } = await lineOf(id);
    expect(record?.first_token).toBeGreaterThanOrEqual(295);
    expect(record?.first_token).toBeLessThanOrEqual(duration + 1);
  });

  it("the first token of a stream of events without tokens is not the first event", async () => {
    const id = newId();
    all.anthropic.next({ kind: "stall", afterEvents: 1 });
    const abort = new AbortController();
    const response = await ask(all.gateway, "messages", {
      stream: true,
      headers: headers(id),
      signal: abort.signal,
    });
    for await (const part of parts(response)) if (part.includes("message_start")) break;
    abort.abort();
    expect((await lineOf(id)).record).not.toHaveProperty("first_token");
  });
});

it.each(CLIENTS)("%s client, a provider's error after the head is an error", async (client) => {
  const id = newId();
  const model = { chat: "fast", messages: "careful", responses: "deep" }[client];
  const text = "[error event 3]";
  const response = await ask(all.gateway, client, {
    model,
    stream: true,
    text,
    headers: headers(id),
  });
  await response.text().catch(() => undefined);
  const { status, record } = await lineOf(id);
  expect(status).toBe(200);
  expect(record).toMatchObject({ owner: "provider", error: "broken_stream" });
});

describe("errors", () => {
  it("an unknown model has its error in the record", async () => {
    const id = newId();
    await ask(all.gateway, "chat", { model: 'no "such"\nmodel', headers: headers(id) });
    const { status, record } = await lineOf(id);
    expect(status).toBe(404);
    expect(record).toMatchObject({
      requested: 'no "such"',
      owner: "gateway",
      error: "model_not_found",
    });
    expect(record?.target).toBeUndefined();
  });

  it("a wrong key, which is not in the file", async () => {
    const id = newId();
    const wrong = "not-a-key-that-anybody-has";
    await ask(all.gateway, "chat", {
      headers: { "x-request-id": id, authorization: `Bearer ${wrong}` },
    });
    const { status, record } = await lineOf(id);
    expect(status).toBe(401);
    expect(record).toMatchObject({ owner: "gateway", error: "invalid_api_key" });
    expect(record?.key).toBeUndefined();
    const text = readFileSync(all.gateway.logFile("usage"), "utf8");
    for (const secret of [wrong, KEY, ...Object.values(all.keys)])
      expect(text).not.toContain(secret);
  });

  it("a provider that is silent for too long", async () => {
    const id = newId();
    all.openai.next({ kind: "hang" });
    await ask(all.gateway, "chat", { headers: headers(id) });
    const { status, flags, record } = await lineOf(id);
    expect(status).toBe(504);
    expect(flags).toContain("UT");
    expect(record).toMatchObject({ owner: "envoy", target: "openai/gpt-4o" });
  });

  it("a provider's error has its error in the record", async () => {
    const id = newId();
    await ask(all.gateway, "chat", { text: "[error 429]", headers: headers(id) });
    const { status, record } = await lineOf(id);
    expect(status).toBe(429);
    const message = expect.stringMatching(/\w/) as string;
    expect(record).toMatchObject({ owner: "provider", target: "openai/gpt-4o", message });
  });

  it("a request that Envoy rejects itself", async () => {
    await sendRaw(all.gateway.ports.egress, "GET / HTTP/1.1\r\n\r\n");
    const own = () => usageLines(all.gateway).filter(({ status }) => status === 400);
    await expect.poll(() => own().length).toBe(1);
    expect(own()[0]?.record).toMatchObject({ listener: "egress" });
    expect(own()[0]?.record?.target).toBeUndefined();
  });
});

it("a gateway without observability writes no usage log", async () => {
  const other = await startWithFakes();
  try {
    await (await ask(other.gateway, "chat")).text();
    await other.gateway.waitForLog("ingress", () => true);
    expect(existsSync(other.gateway.logFile("usage"))).toBe(false);
  } finally {
    await other.stop();
  }
});
