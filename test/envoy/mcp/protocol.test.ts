// The MCP endpoint by plain HTTP, through a real Envoy: methods, versions, keys, web pages, limits, and what fails.
import { request } from "node:http";
import { connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "./clients.ts";
import { startWithTools } from "./set-up.ts";
import type { WithTools } from "./set-up.ts";

const KEY = "ingress-0123456789abcdef0123456789abcd";
const TIMEOUT_MS = 3_000;
let all: WithTools;
/** With a key, and a timeout that a test can wait for. */
let secured: WithTools;
beforeAll(async () => {
  [all, secured] = await Promise.all([
    startWithTools(),
    startWithTools({
      config: "listeners: {ingress: {api_keys: [$INGRESS_KEY]}}\n",
      environment: { INGRESS_KEY: KEY },
      timeoutMs: TIMEOUT_MS,
    }),
  ]);
});
afterAll(() => Promise.all([all.stop(), secured.stop()]));

const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const LIST = { jsonrpc: "2.0", id: 7, method: "tools/list" };

function initialize(protocolVersion: string) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
  return { jsonrpc: "2.0", id: 1, method: "initialize", params };
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body: text });
}

/** The message of a response: JSON, or the only event of a stream. */
async function messageOf(response: Response): Promise<unknown> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

/** An error of JSON-RPC about a request that was not read. */
const rpcError = (message: RegExp) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: expect.any(Number) as number, message: expect.stringMatching(message) as string },
});

describe("the protocol", () => {
  it.each([
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2030-01-01", "2025-11-25"],
  ])("a client of %s gets %s", async (wanted, protocolVersion) => {
    const response = await post(all.url, initialize(wanted));
    expect(response.status).toBe(200);
    // Without a session each request can reach another gateway.
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await messageOf(response)).toMatchObject({
      id: 1,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: "gateway" },
      },
    });
  });

  it.each(["prompts/list", "resources/list", "resources/templates/list", "logging/setLevel"])(
    "%s is not offered",
    async (method) => {
      const response = await post(all.url, { ...LIST, method, params: {} });
      expect(await messageOf(response)).toMatchObject({ id: 7, error: { code: -32601 } });
    },
  );

  it("subscriptions/listen is not offered to a client of 2026", async () => {
    const params = {
      notifications: { toolsListChanged: true },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    const response = await post(
      all.url,
      { ...LIST, method: "subscriptions/listen", params },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
    );
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32601 } });
  });

  it("the protocol has no stream of the server and no sessions: GET and DELETE return 405", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(all.url, { method, headers: JSON_HEADERS });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect(await response.json()).toEqual(rpcError(/is not allowed on \/mcp; use POST\.$/));
    }
  });

  it("a batch of two calls gets both results; one of 33 is rejected", async () => {
    const call = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "plain", arguments: {} },
    });
    const headers = { "mcp-protocol-version": "2025-03-26" };
    const two = await (await post(all.url, [call(1), call(2)], headers)).text();
    expect([...two.matchAll(/"id":\d/g)].map(String).sort()).toEqual(['"id":1', '"id":2']);
    const many = Array.from({ length: 33 }, (_, index) => call(index));
    const response = await post(all.url, many, headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual(rpcError(/at most 32 messages/));
  });

  it.each([
    ["what is not JSON", "{", {}, 400, /not valid JSON/],
    ["another content type", "{}", { "content-type": "text/plain" }, 415, /application\/json/],
    ["more than 1 MiB", JSON.stringify({ ...LIST, x: "x".repeat(1 << 20) }), {}, 413, /1 MiB/],
  ])("%s is an error of JSON-RPC", async (_, body, headers, status, message) => {
    const response = await post(all.url, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(rpcError(message));
    expect(response.headers.get("x-gateway-request-id")).not.toBeNull();
  });

  it("arguments of more than 256 KiB fail with a sentence", async () => {
    const client = await connect(all.url);
    const result = await client.call("book", { guests: 1, note: "x".repeat(300_000) });
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining("256 KiB") as string,
    });
    await client.close();
  });
});

describe("who may call", () => {
  it("a call without a key of the listener returns 401 before the body is read", async () => {
    for (const headers of [{}, { authorization: "Bearer wrong" }] as Record<string, string>[]) {
      const response = await post(secured.url, LIST, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(await response.json()).toEqual(rpcError(/API key\. Send a key of this listener/));
    }
  });

  it("a client with the key lists and calls", async () => {
    const client = await connect(secured.url, { authorization: `Bearer ${KEY}` });
    expect((await client.call("plain")).isError).toBe(false);
    await client.close();
    expect(secured.api.requests.some(({ headers }) => JSON.stringify(headers).includes(KEY))).toBe(
      false,
    );
  });

  it("a page of another origin is rejected, and a page whose name was rebound to this machine", async () => {
    const port = String(all.gateway.ports.ingress);
    const statuses = await Promise.all([
      statusOf(port, `127.0.0.1:${port}`, "https://evil.example"),
      statusOf(port, `evil.example:${port}`, `http://evil.example:${port}`),
      statusOf(port, `127.0.0.1:${port}`, "null"),
      statusOf(port, `127.0.0.1:${port}`, `http://127.0.0.1:${port}`),
      statusOf(port, `localhost:${port}`, undefined),
    ]);
    expect(statuses).toEqual([403, 403, 403, 200, 200]);
  });

  it("no client can name a target: the endpoint of the calls is on no listener", async () => {
    const call = { target: "plain", arguments: {} };
    for (const port of Object.values(all.gateway.ports)) {
      const response = await post(`http://127.0.0.1:${port}/target_call`, call);
      expect(response.status).toBe(404);
    }
    const egress = await post(`${all.gateway.url}/mcp`, LIST);
    expect(egress.status).toBe(404);
    expect(await egress.json()).toEqual(rpcError(/Use the ingress listener\./));
  });
});

/** The status of a request of a page. */
function statusOf(port: string, host: string, origin: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { ...JSON_HEADERS, host, ...(origin === undefined ? {} : { origin }) };
    const sent = request({ port, path: "/mcp", method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(LIST));
  });
}

describe("what fails", () => {
  it("an API that is silent ends with the listener's timeout", async () => {
    const client = await connect(secured.url, { authorization: `Bearer ${KEY}` });
    const started = performance.now();
    const result = await client.call("silent");
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/'silent' did not respond within the listener's timeout\./);
    expect(performance.now() - started).toBeGreaterThan(TIMEOUT_MS - 100);
    await client.close();
  });

  it("a client that leaves ends its call", async () => {
    const { port } = new URL(all.url);
    const socket = connectSocket(Number(port), "127.0.0.1");
    const body = JSON.stringify({ ...LIST, method: "tools/call", params: { name: "hang" } });
    const head = Object.entries({ ...JSON_HEADERS, host: "localhost", "x-request-id": "leaver" });
    socket.write(
      `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}content-length: ${String(body.length)}\r\n\r\n${body}`,
    );
    await expect.poll(() => all.api.of("leaver").length).toBe(1);
    socket.destroy();
    const [line] = await all.gateway.waitForLog(
      "ingress",
      ({ requestId, path }) => requestId === "leaver" && path === "/target_call",
    );
    expect([line?.code, line?.flags]).toEqual([0, "DC"]);
  });

  it("a call without the MCP server returns 503 with retry-after", async () => {
    const stopped = await startWithTools();
    try {
      await stopped.stopServer();
      await sleep(10);
      const response = await post(stopped.url, LIST);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await response.json()).toEqual(rpcError(/MCP server is being started; try again/));
    } finally {
      await stopped.stop();
    }
  });
});
