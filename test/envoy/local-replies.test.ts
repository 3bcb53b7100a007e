// What Envoy says itself, without the filter: JSON in the client's dialect, with a message and the request id.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { connectionManagers, startTwoDialects } from "../gateway/two-dialects.ts";
import { sendRaw } from "../gateway/raw-client.ts";
import type { TextResponse } from "../gateway/raw-client.ts";

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response) => {
    response.end("{}");
  });
  gateway = await startTwoDialects(provider.port, {
    adapt(model) {
      model.limits.requestBodyBytes = 10_000;
    },
    adaptBootstrap(bootstrap) {
      for (const manager of connectionManagers(bootstrap)) {
        manager["request_headers_timeout"] = "0.3s";
        manager["request_timeout"] = "0.6s";
      }
    },
  });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

function openai(response: TextResponse): unknown {
  expect(response.headers["content-type"]).toBe("application/json");
  const body = JSON.parse(response.body) as { error: { message: string; type: string } };
  expect(body).toEqual({
    error: {
      message: expect.stringMatching(/^[A-Z].*\.$/) as string,
      type: expect.any(String) as string,
      param: null,
      code: null,
    },
  });
  return [response.status, body.error.type, response.headers["x-request-id"]];
}

function anthropic(response: TextResponse): unknown {
  expect(response.headers["content-type"]).toBe("application/json");
  const body = JSON.parse(response.body) as { error: { type: string }; request_id: string | null };
  expect(response.headers["request-id"] ?? null).toBe(body.request_id);
  expect(body).toEqual({
    type: "error",
    error: {
      message: expect.stringMatching(/^[A-Z].*\.$/) as string,
      type: expect.any(String) as string,
    },
    request_id: body.request_id,
  });
  return [response.status, body.error.type, body.request_id];
}

const send = (text: string): Promise<TextResponse> => sendRaw(gateway.ports.egress, text);

describe("a request without a dialect gets an error in OpenAI's format:", () => {
  const manyHeaders = Array.from({ length: 150 }, (_, at) => `h${at}: x\r\n`).join("");
  it.each([
    ["no HTTP at all", "GARBAGE\r\n\r\n", 400],
    ["a space in a header's name", "GET / HTTP/1.1\r\nhost: x\r\nba d: x\r\n\r\n", 400],
    ["a method that nobody knows", "FETCH / HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    [
      "two lengths",
      "POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["a large header", `GET / HTTP/1.1\r\nhost: x\r\nbig: ${"a".repeat(70_000)}\r\n\r\n`, 431],
    ["many headers", `GET / HTTP/1.1\r\nhost: x\r\n${manyHeaders}\r\n`, 431],
  ])("%s", async (_, text, status) => {
    expect(openai(await send(text))).toEqual([status, "invalid_request_error", undefined]);
  });

  it("a head that does not end returns 408 in OpenAI's format", async () => {
    const response = await send("POST /v1/messages HTTP/1.1\r\nhost: x\r\n");
    expect(openai(response)).toEqual([408, "timeout_error", undefined]);
  });

  it("a path without a slash returns 404 in OpenAI's format", async () => {
    const response = await send("OPTIONS * HTTP/1.1\r\nhost: x\r\nx-request-id: client-id\r\n\r\n");
    expect(openai(response)).toEqual([404, "invalid_request_error", "client-id"]);
  });
});

describe.each([
  ["/v1/chat/completions", openai],
  ["/v1/messages", anthropic],
] as const)("for a client of %s", (path, read) => {
  const withId = "x-request-id: client-id\r\n";

  it("a request without a host returns 400 in the client's format", async () => {
    const response = await send(`POST ${path} HTTP/1.1\r\n${withId}\r\n`);
    expect(read(response)).toEqual([400, "invalid_request_error", "client-id"]);
  });

  it("an upgrade returns 426 in the client's format", async () => {
    const upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
    const response = await send(`GET ${path} HTTP/1.1\r\nhost: x\r\n${withId}${upgrade}\r\n`);
    expect(read(response)).toEqual([426, "invalid_request_error", "client-id"]);
  });

  it("a body that does not end returns 408 in the client's format", async () => {
    const response = await send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${withId}content-length: 9\r\n\r\n{`,
    );
    expect(read(response)).toEqual([408, "timeout_error", "client-id"]);
  });

  it("a body that is cut wrongly returns 400 in the client's format", async () => {
    const response = await send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${withId}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    );
    expect(read(response)).toEqual([400, "invalid_request_error", "client-id"]);
  });

  it("a body that is too large returns 413 in the client's format", async () => {
    const body = JSON.stringify({ model: "none", messages: [], padding: "a".repeat(20_000) });
    const response = await send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${withId}content-length: ${body.length}\r\n\r\n${body}`,
    );
    const type = path === "/v1/messages" ? "request_too_large" : "invalid_request_error";
    expect(read(response)).toEqual([413, type, "client-id"]);
  });
});

it("the filter's own answers are not touched", async () => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body: "{" });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(
    /^\{"error":\{"message":"The request body is not valid JSON/,
  );
});

it("every one of them has a line in the log", async () => {
  await send("GARBAGE\r\n\r\n");
  const [line] = await gateway.waitForLog("ingress", ({ flags }) => flags === "DPE");
  expect(line).toMatchObject({ method: "-", path: "-", code: 400, authority: "-" });
});
