// The tools that prompt targets become, the check of their arguments, and the MCP server with a gateway that a test plays.
import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MCP, TARGET_CALL } from "../../../../../contract/endpoints.ts";
import { TARGET_CALL_PATH } from "../../../../../control-plane/model-server/mcp/call-target.ts";
import { MCP_PATH } from "../../../../../control-plane/model-server/mcp/route.ts";
import type { PromptParameter, PromptTarget } from "../../../../../model/prompts.ts";
import { mcpTools } from "../../../../../model/mcp-tools.ts";
import { modelServerApp } from "../../../../../control-plane/model-server/app.ts";
import { argumentCheck } from "../../../../../control-plane/model-server/mcp/arguments.ts";
import { modelServerOptions } from "../../../../../control-plane/model-server/options.ts";
import { closeNow, listenAt } from "../../../../../control-plane/model-server/unix-socket.ts";
import { newSocketPath } from "../../../../gateway/socket-path.ts";

function parameter(name: string, more: Partial<PromptParameter> = {}): PromptParameter {
  return { name, description: name, required: true, type: "str", inPath: false, ...more };
}

function target(parameters: PromptParameter[], more: Partial<PromptTarget> = {}): PromptTarget {
  return {
    name: "book",
    description: "Books a table",
    examples: [],
    endpoint: "api",
    method: "POST",
    path: "/",
    headers: [],
    parameters,
    isDefault: false,
    dispatches: true,
    ...more,
  };
}

const schemaOf = (...parameters: PromptParameter[]) => {
  const [tool] = mcpTools([target(parameters)]);
  if (tool === undefined) throw new Error("no tool");
  return tool.inputSchema;
};

describe("the schema of a tool", () => {
  it.each([
    ["str", "string"],
    ["int", "integer"],
    ["float", "number"],
    ["bool", "boolean"],
    ["list", "array"],
    ["dict", "object"],
  ] as const)("%s is %s", (type, named) => {
    expect(schemaOf(parameter("a", { type })).properties["a"]).toMatchObject({ type: named });
  });

  it("the schema of a tool has enums and defaults; what has a default need not be sent", () => {
    const schema = schemaOf(
      parameter("size", { enum: ["S", "M"], default: "S" }),
      parameter("colour"),
      parameter("note", { required: false }),
    );
    expect(schema.properties["size"]).toMatchObject({ enum: ["S", "M"], default: "S" });
    expect(schema.required).toEqual(["colour"]);
  });

  it.each([
    ["date", { format: "date" }],
    ["email", { format: "email" }],
    ["YYYY-MM-DD", { format: "date" }],
    ["%Y-%m-%d", { format: "date" }],
    ["HH:MM", { pattern: "^\\d{2}:\\d{2}$", description: "a (format: HH:MM)" }],
    ["DD.MM.YYYY", { pattern: "^\\d{2}\\.\\d{2}\\.\\d{4}$" }],
    ["IATA code", { description: "a (format: IATA code)" }],
  ])("the schema of a tool has the format %s", (format, expected) => {
    expect(schemaOf(parameter("a", { format })).properties["a"]).toMatchObject(expected);
  });
});

describe("the check of arguments", () => {
  const check = argumentCheck(
    "book",
    schemaOf(
      parameter("guests", { type: "int" }),
      parameter("size", { enum: ["S", "M"] }),
      parameter("day", { format: "YYYY-MM-DD" }),
      parameter("time", { format: "HH:MM", required: false }),
      parameter("wishes", { type: "list", required: false }),
    ),
  );
  const right = { guests: 2, size: "S", day: "2026-12-24" };

  it("valid arguments pass the check", () => {
    expect(check({ ...right, time: "18:30", wishes: [1, 0.5, "a"] })).toBeUndefined();
  });

  it.each([
    [{ guests: "2" }, "'guests' must be an integer"],
    [{ guests: 2.5 }, "'guests' must be an integer"],
    [
      JSON.parse('{"guests":9007199254740993}') as object,
      "'guests' has a whole number above 9007199254740991",
    ],
    [
      JSON.parse('{"wishes":[{"id":12345678901234567890}]}') as object,
      "'wishes' has a whole number above 9007199254740991",
    ],
    [{ size: "XL" }, '\'size\' must be one of "S", "M"'],
    [{ day: "tomorrow" }, "'day' must have the format date"],
    [{ time: "6 pm" }, "'time' must match pattern"],
    [{ wishes: "a" }, "'wishes' must be an array"],
    [{ size: undefined }, "'size'"],
    [
      { place: "Oslo" },
      "'place' is not a parameter; the parameters are guests, size, day, time, wishes",
    ],
    [{ ["x".repeat(500)]: 1 }, `'${"x".repeat(64)}' is not a parameter`],
  ])("%j", (values, problem) => {
    const sentence = check({ ...right, ...values });
    expect(sentence).toContain(problem);
    expect(sentence).toMatch(
      /^The arguments of 'book' are not valid, so nothing was called: .*\.$/,
    );
  });

  it("the check of arguments names at most eight problems", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, 1]));
    const sentence = check({ ...right, ...many }) ?? "";
    expect(sentence.split("; ").filter((part) => part.includes("is not a parameter"))).toHaveLength(
      8,
    );
    expect(sentence).toMatch(/and 42 more problems\.$/);
  });
});

it("the MCP server has the paths of the contract", () => {
  expect([MCP_PATH, TARGET_CALL_PATH]).toEqual([MCP.path, TARGET_CALL.path]);
});

/** For what a loaded machine may take long to do. */
const SECONDS = { timeout: 60_000 };

describe("the MCP server", () => {
  const socket = newSocketPath();
  let gateway: Server;
  let respond: (response: ServerResponse) => void;
  const asked: { body: string; headers: Record<string, unknown> }[] = [];
  const appWith = (timeoutMs: number, log: (line: string) => void = () => undefined) =>
    modelServerApp({
      options: modelServerOptions.parse({
        mcp: { tools: mcpTools([target([])]), socket, timeout_ms: timeoutMs, version: "1.2.3" },
      }),
      models: () => undefined,
      now: () => new Date(),
      log,
    });
  const app = appWith(500);
  beforeAll(async () => {
    gateway = createServer((request, response) => {
      let body = "";
      request.on("data", (bytes: Buffer) => (body += bytes.toString()));
      request.on("end", () => {
        asked.push({ body, headers: request.headers });
        respond(response);
      });
    });
    await listenAt(gateway, socket);
  });
  afterAll(() => closeNow(gateway));

  async function call(params: object, method = "tools/call", at = app) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await at.request("/mcp", {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "content-length": String(body.length),
        accept: "application/json, text/event-stream",
        "x-request-id": "an-id",
        authorization: "Bearer secret",
      },
    });
    const text = await response.text();
    const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result?: object };
    return { status: response.status, ...data };
  }
  const content = (text: string) => (response: ServerResponse) =>
    response.end(JSON.stringify({ choices: [{ message: { content: text } }] }));
  const failed =
    (status: number, message: string, headers = {}) =>
    (response: ServerResponse) => {
      response.writeHead(status, headers).end(JSON.stringify({ error: { message } }));
    };

  it("the MCP server sends target, arguments and request id to the gateway, and no credential", async () => {
    respond = content("done");
    await call({ name: "book", arguments: {} });
    const last = asked.at(-1);
    expect(last?.body).toBe('{"target":"book","arguments":{}}');
    expect(last?.headers).toMatchObject({ "x-request-id": "an-id" });
    expect(JSON.stringify(last?.headers)).not.toContain("secret");
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ["[1,2]", { result: [1, 2] }],
    ["42", undefined],
    ["sunny", undefined],
    ["", undefined],
  ])("%j is text, and structured if it is an object or a list", async (text, structuredContent) => {
    respond = content(text);
    const { result } = await call({ name: "book" });
    expect(result).toEqual({
      content: [{ type: "text", text }],
      ...(structuredContent === undefined ? {} : { structuredContent }),
    });
  });

  it.each([
    [failed(500, "It broke. Retry later."), "It broke. Call it again later."],
    [
      failed(500, "It broke. Retry later.", { "x-should-retry": "false" }),
      "It broke. It may have acted already: check that before you call it again.",
    ],
    [failed(404, "It returned 404."), "It returned 404. Check the arguments."],
    [failed(403, "It returned 403."), /^It returned 403\. .*ask the operator/],
    [failed(429, "It returned 429."), "It returned 429. Wait before you call it again."],
    [
      (response: ServerResponse) => response.end("<html>"),
      /^The gateway could not complete the call\./,
    ],
    [
      (response: ServerResponse) => response.destroy(),
      /^The gateway could not complete the call\./,
    ],
    [() => undefined, /^The call did not finish within the listener's timeout\./],
  ])("a failure is a sentence: %#", async (behaviour, sentence) => {
    respond = behaviour;
    const { result } = await call({ name: "book" });
    expect(result).toEqual({
      content: [
        {
          type: "text",
          text: (typeof sentence === "string"
            ? sentence
            : expect.stringMatching(sentence)) as string,
        },
      ],
      isError: true,
    });
  });

  it("the MCP server reads one large result at a time, and small ones in between", async () => {
    const done: string[] = [];
    const before = asked.length;
    const ended = (name: string) => (result: unknown) => {
      done.push(name);
      return result;
    };
    const large = JSON.stringify({ choices: [{ message: { content: "x".repeat(6_000_000) } }] });
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<ServerResponse>();
    // More than a small result, and than the socket's buffer: a part of it has been read when it is written.
    respond = (response) => {
      response.write(large.slice(0, 2_000_000), () => {
        hold(response);
      });
    };
    const first = call({ name: "book" }).then(ended("first"));
    const response = await isHeld;
    respond = (second) => second.end(large);
    const second = call({ name: "book" }).then(ended("second"));
    await expect.poll(() => asked.length).toBe(before + 2);
    respond = content("small");
    for (let count = 0; count < 20; count++) await call({ name: "book" }).then(ended("small"));
    response.end(large.slice(2_000_000));
    await Promise.all([first, second]);
    expect(done).toEqual([...Array.from({ length: 20 }, () => "small"), "first", "second"]);
  });

  it("the MCP server rejects calls while clients do not read 64 MiB of results, and accepts them when those are gone", async () => {
    const lines: string[] = [];
    const patient = appWith(60_000, (line) => lines.push(line));
    const path = newSocketPath();
    const server = createAdaptorServer({ fetch: patient.fetch }) as Server;
    await listenAt(server, path);
    const callSmall = () => call({ name: "book" }, "tools/call", patient);
    const body = JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "book", arguments: {} },
    });
    const head =
      "POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    const readers: Socket[] = [];
    const before = asked.length;
    try {
      respond = content("x".repeat(8_000_000));
      for (let count = 0; count < 10; count++) {
        const reader = connect(path).pause();
        readers.push(reader);
        reader.write(`${head}content-length: ${String(body.length)}\r\n\r\n${body}`);
      }
      await expect.poll(() => asked.length, SECONDS).toBe(before + 10);
      respond = content("small");
      await expect.poll(() => lines, SECONDS).not.toEqual([]);
      expect(await callSmall()).toMatchObject({
        result: {
          isError: true,
          content: [{ text: "Too many tool calls are in progress; try again in a second." }],
        },
      });
      // The one whose turn came last.
      expect(lines).toEqual(["a tool call failed: results wait for clients that read slowly"]);
      for (const reader of readers.slice(0, 2)) reader.destroy();
      await expect
        .poll(callSmall, SECONDS)
        .toMatchObject({ result: { content: [{ text: "small" }] } });
    } finally {
      for (const reader of readers) reader.destroy();
      await closeNow(server);
    }
  });

  it("the MCP server does not exist without its options", async () => {
    const without = modelServerApp({
      options: modelServerOptions.parse({}),
      models: () => undefined,
      now: () => new Date(),
      log: () => undefined,
    });
    const headers = { "content-type": "application/json" };
    const response = await without.request("/mcp", { method: "POST", body: "{}", headers });
    expect(response.status).toBe(404);
  });
});
