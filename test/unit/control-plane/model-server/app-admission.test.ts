// What the model server refuses by the head of a request: while no byte of the body has come.
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Running, startServer } from "./running.ts";

const MOST = 100_000;
/** What `{"input":"…"}` holds beside its bytes. */
const VALUES = 600;
const SECONDS = { timeout: 10_000, interval: 10 };

let server: Running;
let open: ClientRequest[];
beforeEach(async () => {
  open = [];
  server = await startServer({ most_bytes: MOST, guard: undefined });
});
afterEach(async () => {
  for (const one of open) one.destroy();
  await server.close();
});

interface FakeResponse {
  status: number | undefined;
  retryAfter: string | undefined;
  body: string;
}

/** Sends a head, and none of its body. `response` resolves when the server answers nevertheless. */
function announce(headers: Record<string, string>) {
  const asked = request({
    socketPath: server.socketPath,
    path: "/embeddings",
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    agent: false,
  });
  open.push(asked);
  asked.on("error", () => undefined); // a request that the test breaks off
  asked.flushHeaders();
  const response = once(asked, "response").then(async ([incoming]): Promise<FakeResponse> => {
    const { statusCode, headers: found } = incoming as IncomingMessage;
    const body = await text(incoming as IncomingMessage);
    return { status: statusCode, retryAfter: found["retry-after"], body };
  });
  response.catch(() => undefined);
  return { asked, response };
}

const sized = (bytes: number) => announce({ "content-length": String(bytes) });

it.each([
  ["larger than the limit", { "content-length": String(MOST + 1) }, 413, /too large/],
  ["far larger", { "content-length": "99999999999999" }, 413, /too large/],
  ["no JSON", { "content-length": "10", "content-type": "text/plain" }, 415, /application\/json/],
  [
    "something like JSON",
    { "content-length": "10", "content-type": "application/jsonp" },
    415,
    /j/,
  ],
])("a body that is %s is refused", async (_, headers, status, message) => {
  const { response } = announce(headers);
  expect(await response).toMatchObject({ status, body: expect.stringMatching(message) as string });
});

it("a body in JSON with a charset is accepted, as large as there is room for", async () => {
  const body = `{"input":"weather"}${" ".repeat(MOST)}`.slice(0, MOST - VALUES);
  const headers = { "content-type": "Application/JSON; charset=utf-8" };
  expect((await server.post("/embeddings", body, headers)).status).toBe(200);
});

it("the model server holds no more bytes at a time than one request may, and accepts more when there is room again", async () => {
  const head = { "content-length": String(MOST - 1000), expect: "100-continue" };
  const first = announce(head);
  await once(first.asked, "continue"); // the server has it
  expect(await sized(1001).response).toMatchObject({ status: 503, retryAfter: "1" });
  expect((await server.post("/embeddings", { input: "a" })).status).toBe(200); // there is room for it

  // Its client goes away.
  first.asked.destroy();
  await vi.waitFor(async () => {
    const next = sized(MOST - VALUES);
    next.asked.end('{"input":"a"}'.padEnd(MOST - VALUES));
    expect((await next.response).status).toBe(200);
  }, SECONDS);
});

it("a body without content-length is counted while it arrives", async () => {
  const small = announce({ "transfer-encoding": "chunked" });
  small.asked.end('{"input":"weather"}');
  expect((await small.response).status).toBe(200);
  const large = announce({ "transfer-encoding": "chunked" });
  large.asked.write(`{"input":"${"a".repeat(MOST)}`); // and never ends
  expect(await large.response).toMatchObject({ status: 413 });
});

it.each([
  ["empty objects", "{}", 413],
  ["empty lists", "[]", 413],
  ["numbers", "1", 413],
  ["strings full of what is no value", String.raw`",:[{\",:[{"`, 200],
])("the size of a body's values is known before they are read: %s", async (_, value, status) => {
  const count = status === 200 ? 50 : 1000;
  const list = Array(count).fill(value).join(",");
  const body = `{"prompt":"a","parameters":{"list":[${list}]}}`;
  expect(body.length).toBeLessThan(MOST / 10);
  expect((await server.post("/hallucination", body)).status).toBe(status);
});

it("a GET is answered whatever is under way", async () => {
  sized(MOST);
  expect((await server.get("/healthz")).status).toBe(200);
});
