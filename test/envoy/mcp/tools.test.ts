// Prompt targets as MCP tools through a real Envoy, by the official clients: what is listed, what an API gets, what comes back.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_SECRET } from "../prompt/configuration.ts";
import { CLIENTS, connect } from "./clients.ts";
import type { McpClient } from "./clients.ts";
import { startWithTools } from "./set-up.ts";
import type { WithTools } from "./set-up.ts";

let all: WithTools;
beforeAll(async () => {
  all = await startWithTools({ config: "observability: {metrics: {address: 127.0.0.1}}\n" });
});
afterAll(async () => {
  expect(all.gateway.envoyLog()).not.toContain(API_SECRET);
  await all.stop();
});

describe.each(CLIENTS)("$name", ({ connect: open, protocol }) => {
  const id = randomUUID();
  let client: McpClient;
  beforeAll(async () => {
    client = await open(all.url, { "x-request-id": id });
  });
  afterAll(() => client.close());
  const lastCall = () => all.api.of(id).at(-1);

  it("an MCP client negotiates its protocol", () => {
    expect(client.protocol()).toBe(protocol);
  });

  it("an MCP client lists each target with the schema of its parameters, and what a call does", async () => {
    const tools = await client.list();
    expect(tools.find(({ name }) => name === "weather")).toEqual({
      name: "weather",
      description: "The weather",
      inputSchema: {
        type: "object",
        properties: {
          city: { type: "string", description: "city" },
          days: { type: "integer", description: "days", default: 3 },
          note: { type: "string", description: "note" },
        },
        required: ["city"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    });
    expect(tools.find(({ name }) => name === "book")?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
  });

  it("GET: the same path, query and headers as for a prompt, under the client's request id", async () => {
    const values = { city: "São Paulo 1", note: "a&b=c" };
    const result = await client.call("weather", values);
    const path = "/weather/S%C3%A3o%20Paulo%201/now?units=metric&days=3&note=a%26b%3Dc";
    const call = lastCall();
    expect([call?.method, call?.path, call?.body]).toEqual(["GET", path, ""]);
    expect(call?.headers.authorization).toBe(`Bearer ${API_SECRET}`);
    const names = Object.keys(call?.headers ?? {});
    expect(names.filter((name) => /^(?:x-(?:gateway|envoy|forwarded)|mcp-)/.test(name))).toEqual(
      [],
    );
    expect(result).toEqual({
      text: JSON.stringify({ method: "GET", path, body: "" }),
      structured: { method: "GET", path, body: "" },
      isError: false,
    });
  });

  it("POST: the values as a JSON body, with defaults", async () => {
    const result = await client.call("book", { guests: 4, note: 'by the "window"\n' });
    const body = { guests: 4, note: 'by the "window"\n', outside: false };
    expect(lastCall()?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(lastCall()?.body ?? "")).toEqual(body);
    expect(result.structured).toEqual({
      method: "POST",
      path: "/book",
      body: JSON.stringify(body),
    });
  });

  it.each(["GET", "POST"])("a tool accepts a value of every type: %s", async (method) => {
    const values = { str: "a", int: 5, float: 0.5, bool: true, list: [1, "b"], dict: { c: null } };
    await client.call(`typed_${method}`, values);
    const { path = "", body = "" } = lastCall() ?? {};
    const { int: _int, bool: _bool, ...others } = values;
    if (method === "POST") expect(JSON.parse(body)).toEqual(others);
    else
      expect(path).toBe(
        "/typed/5/true?str=a&float=0.5&list=%5B1%2C%22b%22%5D&dict=%7B%22c%22%3Anull%7D",
      );
  });

  it("a text that is not JSON is text alone, and a secret in it is masked", async () => {
    const text = await client.call("quoted");
    expect(text).toEqual({
      text: 'plain "text"\nä \u{1f600}',
      structured: undefined,
      isError: false,
    });
    const echo = await client.call("echo");
    expect(echo.text).toMatch(/^Wrong key: Bearer \S+$/);
    expect(echo.text).not.toContain(API_SECRET);
  });

  it.each([
    ["s404", {}, /^The API of the prompt target 's404' returned 404\. Check the arguments\.$/],
    ["s500", {}, /'s500' returned 500\. Call it again later\.$/],
    ["s302", {}, /'s302' returned 302 instead of a 2xx status\./],
    ["big", {}, /'big' returned more than 1 MiB\./],
    ["broken", {}, /'broken' closed the connection early/],
    ["acted", {}, /'acted' closed the connection .* It may have acted already: check that/],
    ["refused", {}, /^Cannot connect to .*'refused': connection refused/],
    ["file", { page: "../secret" }, /^The value of 'page' is not allowed in a URL\. Use a diff/],
    ["weather", { city: "" }, /^The value of 'city' is not allowed in a URL\./],
  ])("%s %j fails with a sentence", async (name, values, message) => {
    const result = await client.call(name, values);
    expect(result).toEqual({
      text: expect.stringMatching(message) as string,
      structured: undefined,
      isError: true,
    });
    expect(result.text).not.toMatch(/secret words|127\.0\.0\.1/);
  });

  it("wrong arguments name each problem, and call nothing", async () => {
    const before = all.api.of(id).length;
    const result = await client.call("weather", { days: "three", town: "Oslo" });
    expect(result).toEqual({
      text: "The arguments of 'weather' are not valid, so nothing was called: 'city' is missing; 'town' is not a parameter; the parameters are city, days, note; 'days' must be an integer.",
      structured: undefined,
      isError: true,
    });
    expect(all.api.of(id)).toHaveLength(before);
  });

  it("an unknown tool is an error of the protocol", async () => {
    await expect(client.call("nothing")).rejects.toThrow("There is no tool 'nothing'");
  });
});

describe("the logs of a call", () => {
  it("a call's lines have its request id: the client's, the gateway's, and the API's", async () => {
    const id = randomUUID();
    const client = await connect(all.url, { "x-request-id": id });
    await client.call("keyed");
    await client.close();
    const isOf = ({ requestId, path }: { requestId: string; path: string }) =>
      requestId === id && path !== "/mcp";
    const [api] = await all.gateway.waitForLog("internal", isOf);
    expect([api?.path, api?.code]).toEqual(["/keyed?appkey=***&a=b", 200]);
    const [call] = await all.gateway.waitForLog("ingress", isOf);
    expect([call?.path, call?.code, call?.authority]).toEqual([
      "/target_call",
      200,
      "model_server",
    ]);
    const isRequest = ({ requestId, path }: { requestId: string; path: string }) =>
      requestId === id && path === "/mcp";
    // initialize, its notification, GET for a stream of the server's own, which is not offered, and the call.
    const lines = await all.gateway.waitForLog("ingress", isRequest, 4);
    expect(lines.map(({ code }) => code).sort()).toEqual([200, 200, 202, 405]);
    expect(lines.map(({ upstreamHost }) => upstreamHost)).not.toContain(
      expect.stringContaining("/"),
    );
    expect(all.gateway.log("llm")).toEqual([]);
    const recordOf = (endpoint: string) =>
      readFileSync(all.gateway.logFile("usage"), "utf8")
        .split("\n")
        .filter((line) => line.includes(id) && line.includes(`"endpoint":"${endpoint}"`))
        .map((line) => JSON.parse(line.slice(line.indexOf("{"))) as Record<string, unknown>);
    await expect.poll(() => recordOf("/mcp")).toHaveLength(4);
    const [record] = recordOf("/target_call");
    expect(record).toMatchObject({ id, listener: "internal_egress", prompt_target: "keyed" });
    expect(record).not.toHaveProperty("target");
  });
});

describe("the default target", () => {
  it("the default target is a tool that takes the conversation", async () => {
    const gateway = await startWithTools({
      targets: (port) => `
prompt_targets:
  - {name: rest, description: Everything else, default: true, endpoint: {name: api, path: /completion}, parameters: [{name: level, description: level, type: int, default: 2}]}
endpoints:
  api: {endpoint: "127.0.0.1:${port}"}
`,
    });
    try {
      const client = await connect(gateway.url);
      const [tool] = await client.list();
      expect(tool?.inputSchema["required"]).toEqual(["messages"]);
      const messages = [{ role: "user", content: 'hello "you"' }];
      const result = await client.call("rest", { messages });
      expect(result.text).toBe('The application heard "hello "you"" \u{1f600}');
      expect(JSON.parse(gateway.api.requests[0]?.body ?? "")).toEqual({ messages, level: 2 });
      expect((await client.call("rest", {})).text).toContain("'messages' is missing");
      await client.close();
    } finally {
      await gateway.stop();
    }
  });
});
