// Prompt targets and the guard through a real Envoy, against a model server and an API that do as the prompt says.
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogLine } from "../gateway/log-line.ts";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { CLOSED_PORT } from "./failing-providers.ts";
import { errorOf } from "./ask.ts";
import { RETRY } from "./models.ts";
import { listen } from "./behaving-provider.ts";
import type { Listening } from "./behaving-provider.ts";
import { newSocketPath } from "../gateway/socket-path.ts";
import { checkResponsesStream } from "../unit/filter/responses-lifecycle.ts";
import { SLOW_MS, startApi, startModelServer } from "./prompt-fakes.ts";
import type { FakeApi, FakeModelServer } from "./prompt-fakes.ts";

const GUARD_MESSAGE = 'I cannot "help" with that.\nÄsk again.';
const API_SECRET = "api-secret-4711";
/** A listener's timeout that a test waits for; a busy machine takes its steps within it. */
const SHORT_MS = 4_000;

let all: WithFakes;
/** The same with a listener's timeout that a test can wait for. */
let short: WithFakes;
let modelServer: FakeModelServer;
let api: FakeApi;
/** Takes connections and never says a word: no TLS handshake comes to its end. */
let mute: Listening | undefined;

async function startMuteServer(): Promise<Listening> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

const simple = (name: string, path: string, more = ""): string =>
  `  - {name: ${name}, description: ${name}, endpoint: {name: api, path: "${path}"}${more}}\n`;

/** A target with a parameter of every type. */
const typed = (method: string): string => `\
  - name: typed_${method}
    description: All types
    parameters:
${["str", "int", "float", "bool", "list", "dict"].map((type) => `      - {name: ${type}, description: ${type}, type: ${type}, required: true}\n`).join("")}\
    endpoint: {name: api, path: "/typed/{int}/{bool}", http_method: ${method}}
`;

function configuration(apiPort: number, closed: number, more = ""): string {
  return `
prompt_targets:
  - name: weather
    description: The weather
    system_prompt: "Be a \\"weather\\" person."
    parameters:
      - {name: city, description: city, required: true, in_path: true}
      - {name: days, description: days, type: int, default: 3}
      - {name: note, description: note}
    endpoint:
      name: api
      path: /weather/{city}/now?units=metric
      http_headers: {authorization: Bearer $API_SECRET, accept: text/weather}
  - name: file
    description: A file
    parameters:
      - {name: page, description: page, required: true, in_path: true, allow_slashes: true}
    endpoint: {name: api, path: "/files/{page}/raw"}
  - name: book
    description: Books
    parameters:
      - {name: guests, description: guests, type: int, required: true}
      - {name: note, description: note}
      - {name: outside, description: outside, type: bool, default: false}
    endpoint: {name: api, path: /book, http_method: POST}
    auto_llm_dispatch_on_response: false
${["GET", "POST"].map(typed).join("")}\
${["echo", "echo_to_model"].map((name) => `  - {name: ${name}, description: ${name}, auto_llm_dispatch_on_response: ${String(name !== "echo")}, endpoint: {name: api, path: /echo, http_headers: {authorization: Bearer $API_SECRET}}}\n`).join("")}\
  - {name: acted, description: acted, endpoint: {name: api, path: /close, http_method: POST}}
  - {name: noted, description: noted, endpoint: {name: api, path: /noted, http_method: POST}}
  - {name: handshake, description: handshake, endpoint: {name: mute}}
  - name: find
    description: Find
    parameters:
      - {name: words, description: words, required: true}
      - {name: page, description: page}
    endpoint: {name: api, path: "/find?q={words}&in=all"}
${simple("plain", "/plain?a=b")}${simple("keyed", "/keyed?appkey=S3CRET&a=b")}${simple("quoted", "/text", ", auto_llm_dispatch_on_response: false")}\
${simple("bytes", "/bytes", ", auto_llm_dispatch_on_response: false")}\
${[404, 500, 302, 204].map((status) => simple(`s${status}`, `/status/${status}`)).join("")}\
${["json", "cut", "text", "lie"].map((what) => simple(`gzip_${what}`, `/gzip/${what}`)).join("")}\
${["big", "hang", "silent", "close", "broken", "endless"].map((name) => simple(name, `/${name}`)).join("")}\
  - {name: refused, description: refused, endpoint: {name: closed}}
  - {name: nowhere, description: nowhere, endpoint: {name: unknown}}
endpoints:
  unknown: {endpoint: no-such-host.invalid}
  mute: {endpoint: "127.0.0.1:${mute?.port ?? 9}", protocol: https, connect_timeout: 300ms}
  api: {endpoint: "127.0.0.1:${apiPort}"}
  closed: {endpoint: "127.0.0.1:${closed}"}
prompt_guards: {input_guards: {jailbreak: {on_exception: {message: ${JSON.stringify(GUARD_MESSAGE)}}}}}
${more}`;
}

beforeAll(async () => {
  modelServer = await startModelServer();
  api = await startApi();
  mute = await startMuteServer();
  all = await startWithFakes({
    config: configuration(api.port, CLOSED_PORT),
    environment: { API_SECRET },
    modelServerSocketPath: modelServer.socketPath,
  });
  short = await startWithFakes({
    config: configuration(api.port, 9),
    environment: { API_SECRET },
    modelServerSocketPath: modelServer.socketPath,
    timeoutMs: SHORT_MS,
  });
});

afterAll(async () => {
  await Promise.all([all.stop(), short.stop()]);
  await Promise.all([modelServer.stop(), api.stop(), mute?.stop()]);
});

interface Message {
  role: string;
  content: string;
}

interface Metadata {
  prompt_target: { name: string; arguments: Record<string, unknown>; status: number };
}

interface Said {
  id: string;
  reply: Response;
  text: string;
  metadata: Metadata | undefined;
  /** What the language model got; undefined when it was not asked. */
  model: { messages: Message[]; metadata?: unknown } | undefined;
}

const isOf =
  (id: string) =>
  ({ headers }: { headers: Record<string, string> }): boolean =>
    headers["x-request-id"] === id;

async function inBothModes(test: (stream: boolean) => Promise<void>): Promise<void> {
  await Promise.all([test(false), test(true)]);
}

interface Options {
  /** The client's dialect; chat completions if absent. */
  api?: "chat" | "responses";
  stream?: boolean;
  before?: Message[];
  through?: WithFakes;
  listener?: "ingress" | "egress";
  /** More members of the request, or others. */
  more?: object;
  headers?: Record<string, string>;
}

const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses" };

function send(content: string, options: Options = {}, init: RequestInit = {}) {
  const { stream = false, before = [], through = all, listener = "ingress" } = options;
  const { more, headers, api: of = "chat" } = options;
  const id = randomUUID();
  const messages = [...before, { role: "user", content }];
  const conversation = of === "chat" ? { messages } : { input: messages };
  const reply = fetch(`http://127.0.0.1:${through.gateway.ports[listener]}${PATHS[of]}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": id, ...headers },
    body: JSON.stringify({ model: "none", ...conversation, stream, ...more }),
    ...init,
  });
  return { id, reply };
}

async function say(content: string, options: Options = {}): Promise<Said> {
  const { id, reply: sent } = send(content, options);
  const reply = await sent;
  const body = await reply.clone().text();
  const { openai } = options.through ?? all;
  const asked = openai.requests.find(({ headers }) => headers["x-request-id"] === id);
  return {
    id,
    reply,
    ...(reply.status === 200 ? READERS[options.api ?? "chat"](body, options.stream) : { text: "" }),
    model: asked?.json as Said["model"],
  } as Said;
}

interface Chunk {
  object: string;
  metadata?: Metadata;
  choices: { delta: { content?: string } }[];
}

const READERS = { chat: readCompletion, responses: readResponse };

interface ResponseObject {
  output: { content: { text: string }[] }[];
  gateway_metadata?: Metadata;
}

function readResponse(body: string, isStream = false): Pick<Said, "text" | "metadata"> {
  const textOf = ({ output }: ResponseObject) =>
    output.flatMap(({ content }) => content.map(({ text }) => text)).join("");
  if (!isStream) {
    const whole = JSON.parse(body) as ResponseObject;
    return { text: textOf(whole), metadata: whole.gateway_metadata };
  }
  const { types, response } = checkResponsesStream(
    body.replace(/"gateway_metadata":\{.*?\}\},/, ""),
  );
  expect(types.at(-1)).toBe("response.completed");
  const [first = ""] = /\{.*\}/.exec(body) ?? [];
  const { gateway_metadata: metadata } = JSON.parse(first) as ResponseObject;
  return { text: textOf(response as unknown as ResponseObject), metadata };
}

function readCompletion(body: string, isStream = false): Pick<Said, "text" | "metadata"> {
  if (!isStream) {
    const whole = JSON.parse(body) as { metadata?: Metadata; choices: { message: Message }[] };
    return { text: whole.choices[0]?.message.content ?? "", metadata: whole.metadata };
  }
  const data = body.split("\n\n").flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  expect(data.at(-1)).toBe("[DONE]");
  const chunks = data.slice(0, -1).map((one) => JSON.parse(one) as Chunk);
  expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  return { text, metadata: chunks[0]?.metadata };
}

/** All that a reply says, with the pieces of a stream put together. */
function joined(body: string): string {
  const pieces = [...body.matchAll(/"content": ?"((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one);
  return pieces.join("");
}

/** Paths of the internal calls, in order, once the log has that many. */
async function steps(id: string, count: number): Promise<LogLine[]> {
  return all.gateway.waitForLog("internal", ({ requestId }) => requestId === id, count);
}

const pathsOf = (lines: LogLine[]): string[] => lines.map(({ path }) => path);
const CHOICE = ["/guard", "/embeddings", "/zeroshot"];
const EXTRACTION = [...CHOICE, "/v1/chat/completions", "/hallucination"];

describe.each([
  ["chat", false],
  ["chat", true],
  ["responses", false],
  ["responses", true],
] as const)("%s, stream: %s", (of, stream) => {
  const as = { api: of, stream };

  it("a jailbreak gets the configured words, and nothing reaches a provider", async () => {
    const said = await say("jailbreak @plain", as);
    expect(said.text).toBe(GUARD_MESSAGE);
    expect(said.reply.headers.get("x-gateway-request-id")).toBe(said.id);
    expect(said.model).toBeUndefined();
    expect(said.metadata).toBeUndefined();
    expect(pathsOf(await steps(said.id, 1))).toEqual(["/guard"]);
    expect(modelServer.of(said.id)).toHaveLength(1);
  });

  it("a prompt for no target reaches the model unchanged", async () => {
    const said = await say("hello", as);
    expect(said.text).not.toBe("");
    expect(said.metadata).toBeUndefined();
    expect(said.model?.messages).toEqual([{ role: "user", content: "hello" }]);
    expect(pathsOf(await steps(said.id, 3))).toEqual(CHOICE);
  });

  it("a target without parameters: its path as given, its answer to the model", async () => {
    const said = await say("@plain please", as);
    const [call] = api.of(said.id);
    expect([call?.method, call?.path, call?.body]).toEqual(["GET", "/plain?a=b", ""]);
    const answer = JSON.stringify({ method: "GET", path: "/plain?a=b", body: "" });
    expect(said.model?.messages).toEqual([
      { role: "user", content: `@plain please\n\ncontext: ${answer}` },
    ]);
    expect(said.metadata?.prompt_target).toEqual({ name: "plain", arguments: {}, status: 200 });
    expect(said.text).not.toBe("");
    expect(pathsOf(await steps(said.id, 4))).toEqual([...CHOICE, "/plain?a=b"]);
  });

  it("GET: values in the path and the query, defaults, headers, the target's system prompt", async () => {
    const said = await say('@weather {"city": "São Paulo 1", "note": "a&b=c"}', as);
    const [call] = api.of(said.id);
    expect(call?.path).toBe("/weather/S%C3%A3o%20Paulo%201/now?units=metric&days=3&note=a%26b%3Dc");
    expect(call?.headers.authorization).toBe(`Bearer ${API_SECRET}`);
    expect(call?.headers.accept).toBe("text/weather");
    expect(call?.headers.host).toBe(`127.0.0.1:${api.port}`);
    const names = Object.keys(call?.headers ?? {});
    expect(names.filter((name) => /^x-(?:gateway|envoy|forwarded)/.test(name))).toEqual([]);
    expect(said.model?.messages[0]).toEqual({ role: "system", content: 'Be a "weather" person.' });
    expect(said.metadata?.prompt_target.arguments).toEqual({ city: "São Paulo 1", note: "a&b=c" });
    const lines = await steps(said.id, 6);
    expect(pathsOf(lines)).toEqual([...EXTRACTION, call?.path]);
    expect(lines.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(lines.map(({ authority }) => authority)).toEqual([
      ...Array<string>(5).fill("model_server"),
      `127.0.0.1:${api.port}`,
    ]);
    // The model server listens on a unix socket, which has no port.
    expect(lines.map(({ upstreamHost }) => upstreamHost)).toEqual([
      ...Array<string>(5).fill("127.0.0.1:0"),
      `127.0.0.1:${api.port}`,
    ]);
    for (const log of ["ingress", "llm"] as const) {
      const [line] = await all.gateway.waitForLog(log, ({ requestId }) => requestId === said.id);
      // The model speaks chat completions.
      const path = log === "ingress" ? PATHS[of] : PATHS.chat;
      expect([line?.path, line?.code]).toEqual([path, 200]);
    }
  });

  it("POST sends the values as a JSON body, and the API's response passes unchanged", async () => {
    const values = '{"guests": 4, "note": "by the \\"window\\"\\n"}';
    const said = await say(`@book ${values}`, as);
    const [call] = api.of(said.id);
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(call?.body ?? "")).toEqual({
      ...(JSON.parse(values) as object),
      outside: false,
    });
    expect(said.model).toBeUndefined();
    expect(JSON.parse(said.text)).toEqual({ method: "POST", path: "/book", body: call?.body });
    expect(said.metadata?.prompt_target.status).toBe(200);
  });

  it("what is missing is asked for, and the next turn completes it", async () => {
    const first = await say("@weather please", as);
    expect(first.text).toBe('Could you tell me "city"?');
    expect(api.of(first.id)).toEqual([]);
    expect(first.model).toBeUndefined();
    const before = [
      { role: "user", content: "@weather please" },
      { role: "assistant", content: first.text },
    ];
    const second = await say('{"city": "Oslo"}', { ...as, before });
    expect(api.of(second.id)[0]?.path).toMatch(/^\/weather\/Oslo\/now/);
    expect(second.model?.messages).toHaveLength(4);
  });

  it("a language model chooses among candidates, asks, or declines", async () => {
    const chosen = await say('?plain,book @book {"guests": 2}', as);
    expect(JSON.parse(chosen.text)).toMatchObject({ path: "/book" });
    const tools = modelServer.of(chosen.id).find(({ path }) => path === "/v1/chat/completions");
    expect(tools?.body).toContain('"name":"plain"');
    const asked = await say('?plain,book say: Which "one"?', as);
    expect(asked.text).toBe('Which "one"?');
    const declined = await say("?plain,book neither", as);
    expect(declined.model?.messages).toEqual([{ role: "user", content: "?plain,book neither" }]);
  });

  it("text that is no JSON, and bytes that are no text", async () => {
    expect((await say("@quoted", as)).text).toBe('plain "text"\nä \u{1f600}');
    expect((await say("@bytes", as)).text).toMatch(/^a\ufffd\ufffdb\ufffd$/);
  });
});

it("a key that an API quotes reaches neither the client nor the language model", async () => {
  expect((await say("@echo")).text).toBe("Wrong key: Bearer ***");
  const said = await say("@echo_to_model");
  expect(JSON.stringify(said.model)).toContain("Wrong key: Bearer ***");
});

it("a key that the configuration puts into a query reaches the API and no log", async () => {
  const said = await say("@keyed please");
  expect(api.of(said.id)[0]?.path).toBe("/keyed?appkey=S3CRET&a=b");
  expect(Object.keys(api.of(said.id)[0]?.headers ?? {})).not.toContain("x-gateway-logged-path");
  expect(pathsOf(await steps(said.id, 4))).toEqual([...CHOICE, "/keyed?appkey=***&a=b"]);
});

describe.concurrent("an API that fails is an error with its status and the target's name", () => {
  it.each([
    ["@s404", 404, /'s404' returned 404/],
    ["@s500", 500, /'s500' returned 500/],
    ["@s302", 502, /'s302' returned 302/],
    ["@gzip_cut", 502, /'gzip_cut' returned a compressed response that is damaged or not JSON/],
    ["@gzip_lie", 502, /'gzip_lie' returned a compressed response/],
    ["@gzip_text", 502, /'gzip_text' returned a compressed response/],
    ["@big", 502, /'big' returned more than 1 MiB/],
    ["@endless", 502, /'endless' closed the connection early or exceeded the 1 MiB limit/],
    ["@broken", 502, /'broken' closed the connection early/],
    ["@hang", 504, /'hang' did not respond within the listener's timeout/],
    ["@silent", 504, /'silent' did not respond within the listener's timeout/],
    ["@close", 503, /'close' closed the connection before it responded/],
    ["@handshake", 503, /^Cannot connect to .*'handshake': no connection within connect_timeout/],
    ["@refused", 503, /^Cannot connect to .*'refused': connection refused/],
    ["@nowhere", 503, /^No address for .*'nowhere': its host name could not be resolved/],
  ])("%s", async (prompt, status, message) => {
    const through = status === 504 ? short : all;
    await inBothModes(async (stream) => {
      const { id, reply: sent } = send(prompt, { stream, through });
      const reply = await sent;
      expect(reply.status).toBe(status);
      const error = await errorOf(reply, "chat");
      expect(error.message).toMatch(message);
      expect(JSON.stringify(error)).not.toMatch(/secret|127\.0\.0\.1|no-such-host/);
      expect(through.openai.requests.filter(isOf(id))).toEqual([]);
    });
  });

  it("after a POST, a header stops SDKs from sending the prompt again", async () => {
    for (const [prompt, status, header] of [
      ["@acted", 503, "false"],
      ["@close", 503, null],
      // The API has answered, the model fails.
      ["@noted [error 500]", 500, "false"],
      ["@plain [error 500]", 500, null],
    ] as const) {
      const reply = await send(prompt).reply;
      expect(reply.status).toBe(status);
      expect(reply.headers.get("x-should-retry")).toBe(header);
    }
    const late = await send("@noted [hang]", { through: short }).reply;
    expect([late.status, late.headers.get("x-should-retry")]).toEqual([504, "false"]);
  });

  it("a redirect is not followed", () => {
    expect(api.requests.some(({ path }) => path === "/elsewhere")).toBe(false);
  });

  it("compressed JSON that is whole is an answer", async () => {
    const said = await say("@gzip_json");
    expect(said.reply.status).toBe(200);
    expect(JSON.stringify(said.model)).toContain("sunny sunny");
  });

  it("an empty answer is an answer", async () => {
    const said = await say("@s204");
    expect(said.reply.status).toBe(200);
    expect(said.metadata?.prompt_target.status).toBe(204);
  });
});

describe.concurrent("a step that fails", () => {
  it.each(["fail", "garbage", "close"])("the guard (%s): 503", async (how) => {
    const { reply } = send(`hello ${how}: /guard`);
    expect((await reply).status).toBe(503);
    expect((await errorOf(await reply, "chat")).message).toMatch(/guard is unavailable/);
  });

  it.each(["/embeddings", "/zeroshot", "/v1/chat/completions"])(
    "%s: the model answers without a target",
    async (path) => {
      for (const how of ["fail", "garbage", "close"]) {
        const prompt = `@weather ${how}: ${path}`;
        const said = await say(prompt);
        expect(said.model?.messages).toEqual([{ role: "user", content: prompt }]);
        expect(said.metadata).toBeUndefined();
      }
      const step = path.endsWith("completions") ? "extraction" : path.slice(1);
      expect(all.gateway.envoyLog()).toContain(`prompt step ${step} failed (status 500)`);
    },
  );

  it.each(["fail", "garbage", "close"])(
    "grounding (%s): 503, and the API is not called with values that nobody has checked",
    async (how) => {
      const { id, reply } = send(`@weather {"city": "Oslo"} ${how}: /hallucination`);
      expect((await reply).status).toBe(503);
      expect((await errorOf(await reply, "chat")).message).toMatch(/could not be checked/);
      expect(api.of(id)).toEqual([]);
    },
  );

  it("a step that never answers ends at its limit, and the prompt reaches its model", async () => {
    const said = await say("@plain hang: /zeroshot");
    expect(said.model?.messages).toEqual([{ role: "user", content: "@plain hang: /zeroshot" }]);
    const [line] = (await steps(said.id, 3)).filter(({ path }) => path === "/zeroshot");
    expect(line?.code).toBe(0);
  });
});

describe.concurrent("the listener's timeout is one limit on the whole prompt", () => {
  it.each(["/guard", "/embeddings", "/zeroshot", "/v1/chat/completions", "/hallucination"])(
    "it is used up at %s: 504, and nobody is asked any more",
    async (path) => {
      const step = path.endsWith("completions") ? "extraction" : path.slice(1);
      const prompt = `@weather {"city": "Oslo"} hang: ${path}`;
      await inBothModes(async (stream) => {
        const { id, reply } = send(prompt, { through: short, stream });
        expect((await reply).status).toBe(504);
        const { message, type } = await errorOf(await reply, "chat");
        expect(message).toMatch(/listener's timeout expired/);
        expect(message).toContain(`(last step: ${step})`);
        expect(type).toBe("timeout_error");
        expect([...api.of(id), ...short.openai.requests.filter(isOf(id))]).toEqual([]);
      });
    },
  );

  it("steps that are each in time leave the API and the model what is left", async () => {
    const slow = "slow: /embeddings slow: /zeroshot";
    await inBothModes(async (stream) => {
      for (const prompt of [`@silent ${slow}`, `hello [hang] ${slow}`]) {
        const { id, reply } = send(prompt, { through: short, stream });
        expect((await reply).status).toBe(504);
        const [line] = await short.gateway.waitForLog(
          "ingress",
          ({ requestId }) => requestId === id,
        );
        // Two slow steps and a whole timeout of its own would be more.
        expect(line?.duration).toBeLessThan(2 * SLOW_MS + SHORT_MS);
      }
    });
  });

  it("a stream that has begun is not cut by it", async () => {
    const pace = 200;
    const pieces = (2 * SHORT_MS) / pace;
    const said = await say(`hello [pieces ${pieces} pace ${pace}]`, {
      through: short,
      stream: true,
    });
    expect(said.text).toContain(String(pieces - 1));
  });
});

describe("values that want to be more", () => {
  const inPath = (value: string) => say(`@weather ${JSON.stringify({ city: value })}`);

  it.each([
    ["%2e%2e%2f", "%252e%252e%252f"],
    ["a;b=c", "a%3Bb%3Dc"],
    ["{note}", "%7Bnote%7D"],
    ["a?b#c", "a%3Fb%23c"],
    ["\u202eevil", "%E2%80%AEevil"],
    ["@evil.example.com:80", "%40evil.example.com%3A80"],
  ])("%j in the path stays in its segment", async (value, encoded) => {
    const said = await inPath(value);
    expect(api.of(said.id)[0]?.path).toBe(`/weather/${encoded}/now?units=metric&days=3`);
  });

  const SLASHES = ["../../admin", "\\..\\", "//evil.example.com", "a/b", "a\\b"];
  const OUTSIDE = ["..", ".", "", "a\r\nx-evil: 1", "a\u0000b", "x".repeat(65_536)];

  it.each([...SLASHES, ...OUTSIDE])("what cannot be in a path is refused, %#", async (value) => {
    const said = await inPath(value);
    expect(said.reply.status).toBe(400);
    expect((await errorOf(said.reply, "chat")).message).toMatch(/value of 'city'/);
    expect(api.of(said.id)).toEqual([]);
  });

  const inFilePath = (value: string) => say(`@file ${JSON.stringify({ page: value })}`);

  it.each([
    ["a/b", "a%2Fb"],
    ["...a/.b\\c.", "...a%2F.b%5Cc."],
  ])("allow_slashes: %j stays encoded", async (value, encoded) => {
    const said = await inFilePath(value);
    expect(api.of(said.id)[0]?.path).toBe(`/files/${encoded}/raw`);
  });

  it.each(["a/../b", "../a", "a/..", "a\\..\\b", "a/./b", "/a", "a/", "a//b", ...OUTSIDE])(
    "allow_slashes: what leads elsewhere is refused, %#",
    async (value) => {
      const said = await inFilePath(value);
      expect(said.reply.status).toBe(400);
      expect((await errorOf(said.reply, "chat")).message).toMatch(/value of 'page'/);
      expect(api.of(said.id)).toEqual([]);
    },
  );

  const WILD = [
    ..."../ %2e%2e ; {city} {guests} a&days=9# ?x=1 // \\..\\ + %".split(" "),
    ...["a\r\nx-evil: 1", "a\u0000b", "\u202eevil", " ", "\u{1f600}", '"}, {"', "'; --"],
  ];

  it.each(WILD)("%j in the query is a value, %#", async (value) => {
    const values = JSON.stringify({ city: "Oslo", note: value });
    const said = await say(`@weather ${values}`);
    const url = new URL(api.of(said.id)[0]?.path ?? "", "http://api");
    expect(url.pathname).toBe("/weather/Oslo/now");
    expect([...url.searchParams]).toEqual([
      ["units", "metric"],
      ["days", "3"],
      ["note", value],
    ]);
    expect(api.of(said.id)[0]?.headers).not.toHaveProperty("x-evil");
  });

  it.each(WILD)("%j in a query that the path's template has is a value, %#", async (value) => {
    const said = await say(`@find ${JSON.stringify({ words: value, page: "{words}" })}`);
    const url = new URL(api.of(said.id)[0]?.path ?? "", "http://api");
    expect(url.pathname).toBe("/find");
    expect([...url.searchParams]).toEqual([
      ["q", value],
      ["in", "all"],
      ["page", "{words}"],
    ]);
  });

  it.each([...WILD, "long ".repeat(13_000)])("in a body it is a value, %#", async (value) => {
    const values = { guests: 1, note: value };
    const said = await say(`@book ${JSON.stringify(values)}`);
    expect(JSON.parse(api.of(said.id)[0]?.body ?? "")).toEqual({ ...values, outside: false });
  });

  it("64 KB in a query is refused", async () => {
    for (const values of [
      `@weather ${JSON.stringify({ city: "Oslo", note: "long ".repeat(13_000) })}`,
      `@find ${JSON.stringify({ words: "long ".repeat(13_000) })}`,
    ]) {
      const refused = await say(values);
      expect(refused.reply.status).toBe(400);
      expect(api.of(refused.id)).toEqual([]);
    }
  });

  it("half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD in a URL", async () => {
    const said = await say('@weather {"city": "a\\ud800b"}');
    expect(api.of(said.id)[0]?.path).toMatch(/^\/weather\/a%EF%BF%BDb\/now/);
  });

  it("arguments that are no parameters of the target are not sent", async () => {
    const said = await say('@weather {"city": "Oslo", "admin": true, "host": "evil.example.com"}');
    expect(api.of(said.id)[0]?.path).toBe("/weather/Oslo/now?units=metric&days=3");
  });
});

describe("values of every type", () => {
  const values = {
    str: "a b",
    int: 12345678901,
    float: -0.5,
    bool: true,
    list: ["a", 1, null],
    dict: { "k&": ["v"] },
  };

  it("in path and query as text, lists and mappings as JSON", async () => {
    const said = await say(`@typed_GET ${JSON.stringify(values)}`);
    const url = new URL(api.of(said.id)[0]?.path ?? "", "http://api");
    expect(url.pathname).toBe("/typed/12345678901/true");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      str: "a b",
      float: "-0.5",
      list: '["a",1,null]',
      dict: '{"k&":["v"]}',
    });
  });

  it("in a body with their JSON types", async () => {
    const said = await say(`@typed_POST ${JSON.stringify(values)}`);
    const [call] = api.of(said.id);
    expect(call?.path).toBe("/typed/12345678901/true");
    const { int, bool, ...others } = values;
    expect(JSON.parse(call?.body ?? "")).toEqual(others);
    expect([int, bool]).toEqual([12345678901, true]);
  });
});

describe("requests of all shapes", () => {
  it.each([false, true])("to a model of another dialect, stream %s", async (stream) => {
    const said = await say("@plain please", { stream, more: { model: "careful", max_tokens: 50 } });
    expect(said.metadata?.prompt_target).toEqual({ name: "plain", arguments: {}, status: 200 });
    expect(said.text).toContain("context: ");
    const asked = all.anthropic.requests.find(isOf(said.id));
    expect(asked?.body).toContain("context: ");
  });

  it.each([false, true])("to a model with a fallback, stream %s", async (stream) => {
    const gateway = await startWithFakes({
      config: configuration(api.port, 9),
      environment: { API_SECRET },
      modelServerSocketPath: modelServer.socketPath,
      adapt: (model) => (model.targetSets = [{ name: "both", targets: [0, 2], retry: RETRY }]),
    });
    try {
      gateway.openai.next({ kind: "error", status: 500 });
      const said = await say("@plain please", {
        stream,
        through: gateway,
        more: { model: "both", max_tokens: 50 },
      });
      expect(said.metadata?.prompt_target.name).toBe("plain");
      expect(said.text).toContain("context: ");
      const attempts = [...gateway.openai.requests, ...gateway.anthropic.requests];
      expect(attempts.filter(isOf(said.id))).toHaveLength(2);
      expect(attempts.every(({ body }) => body.includes("context: "))).toBe(true);
    } finally {
      await gateway.stop();
    }
  });

  it("a message of parts: its texts are the prompt, the API's answer is one part more", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    const parts = [{ type: "text", text: "@plain" }, image, { type: "text", text: "please" }];
    const messages = [{ role: "user", content: parts }];
    const said = await say("", { more: { messages } });
    expect(said.metadata?.prompt_target.name).toBe("plain");
    const content = said.model?.messages[0]?.content as unknown as object[];
    expect(content).toEqual(expect.arrayContaining(parts));
    expect(content).toHaveLength(4);
    expect(JSON.stringify(content)).toContain("/plain?a=b");
  });

  it.each([{ messages: [] }, { messages: [{ role: "system", content: "x" }] }, { messages: 7 }])(
    "%j holds no prompt: it goes to its model, which judges it",
    async (more) => {
      const { id, reply } = send("", { more });
      await (await reply).text();
      expect(modelServer.of(id)).toEqual([]);
      expect(all.openai.requests.filter(isOf(id))).toHaveLength(1);
    },
  );

  it("own words come with usage where a stream is asked for it", async () => {
    const options = { stream: true, more: { stream_options: { include_usage: true } } };
    const text = await (await send("jailbreak", options).reply).text();
    expect(text).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":0,.*\n\ndata: \[DONE\]\n\n$/);
    expect(await (await send("jailbreak", { stream: true }).reply).text()).not.toContain("usage");
  });

  it("nothing of the client's head reaches an API or the model server", async () => {
    const headers = { authorization: "Bearer client", cookie: "a=client", "x-own": "client" };
    const said = await say("@book", { headers, more: { user: "somebody" } });
    const done = await say('@book {"guests": 1}', { headers });
    const seen = [...api.of(done.id), ...modelServer.of(said.id), ...modelServer.of(done.id)];
    expect(seen.length).toBeGreaterThan(8);
    expect(seen.filter(({ headers: own }) => JSON.stringify(own).includes("client"))).toEqual([]);
  });
});

describe("around the flow", () => {
  it("egress asks no guard and no target", async () => {
    const said = await say("jailbreak @plain", { listener: "egress" });
    expect(said.model?.messages).toEqual([{ role: "user", content: "jailbreak @plain" }]);
    expect(modelServer.of(said.id)).toEqual([]);
  });

  it("a client that disconnects in the middle affects no other request", async () => {
    const gone = new AbortController();
    const { id, reply } = send("@hang", {}, { signal: gone.signal });
    await expect.poll(() => api.of(id)).toHaveLength(1);
    gone.abort();
    await expect(reply).rejects.toThrow();
    await all.gateway.waitForLog("ingress", ({ requestId }) => requestId === id);
    expect((await say("@plain")).metadata?.prompt_target.name).toBe("plain");
  });

  it("50 concurrent prompts of all kinds get no word of each other's", async () => {
    const nonces = Array.from({ length: 50 }, () => randomUUID());
    const kinds = [
      (nonce: string) => `@weather ${JSON.stringify({ city: nonce })}`,
      (nonce: string) => `@book ${JSON.stringify({ guests: 1, note: nonce })}`,
      (nonce: string) => `hello ${nonce}`,
      (nonce: string) => `@weather say: what is ${nonce}?`,
      (nonce: string) => `@plain ${nonce} slow: /embeddings`,
      (nonce: string) => `@silent ${nonce}`,
    ];
    const replies = await Promise.all(
      nonces.map(async (nonce, index) => {
        const kind = kinds[index % kinds.length] ?? String;
        const { id, reply } = send(kind(nonce), { stream: index % 4 < 2, through: short });
        return { id, nonce, text: await (await reply).text(), isSilent: index % 6 === 5 };
      }),
    );
    const seen = [...api.requests, ...modelServer.requests, ...short.openai.requests];
    for (const { id, nonce, text, isSilent } of replies) {
      const others = nonces.filter((other) => other !== nonce);
      if (isSilent) expect(text).toContain("did not respond within the listener's timeout");
      else expect(joined(text)).toContain(nonce);
      const own = seen.filter(({ headers }) => headers["x-request-id"] === id);
      expect(own.length).toBeGreaterThanOrEqual(4);
      const all = [text, ...own.map((one) => `${one.path} ${one.body}`)].join("\n");
      expect(others.filter((other) => all.includes(other))).toEqual([]);
    }
  });

  it("the providers found nothing to object to", () => {
    expect(all.openai.violations()).toEqual([]);
    expect(all.gateway.envoyLog()).not.toContain(API_SECRET);
  });
});

describe("without a model server", () => {
  const start = async (more: (config: string) => string) =>
    startWithFakes({
      config: more(configuration(api.port, 9)),
      environment: { API_SECRET },
      modelServerSocketPath: newSocketPath(), // where nobody listens
      timeoutMs: SHORT_MS,
    });

  it("a guard that fails closed refuses, one that fails open lets the prompt pass", async () => {
    const closed = await start((config) => config);
    const open = await start((config) => config.replace("jailbreak: {", "$&on_failure: allow, "));
    try {
      const refused = await say("@plain", { through: closed });
      expect(refused.reply.status).toBe(503);
      expect(closed.openai.requests).toEqual([]);
      for (const stream of [false, true]) {
        const said = await say("@plain", { through: open, stream });
        expect(said.model?.messages).toEqual([{ role: "user", content: "@plain" }]);
      }
      expect(open.gateway.envoyLog()).toMatch(/guard is unavailable/);
    } finally {
      await Promise.all([closed.stop(), open.stop()]);
    }
  });

  it("without a guard the default target is not for failures", async () => {
    const gateway = await start((config) => config.replace(/^prompt_guards.*$/m, ""));
    try {
      expect((await say("@plain", { through: gateway })).model?.messages).toHaveLength(1);
    } finally {
      await gateway.stop();
    }
  });
});

describe("a default target takes the prompts that match no other", () => {
  const start = (entry: string) =>
    startWithFakes({
      config: configuration(api.port, 9).replace(
        "  - {name: plain,",
        `  - {name: rest, description: everything else, default: true, ${entry}}\n$&`,
      ),
      environment: { API_SECRET },
      modelServerSocketPath: modelServer.socketPath,
    });
  const before = [
    { role: "user", content: "Good morning" },
    { role: "assistant", content: "Good morning!" },
  ];
  const conversation = [...before, { role: "user", content: 'hello "you"' }];

  it("its API gets the conversation and the defaults, and its chat completion is the response", async () => {
    const gateway = await start(
      "parameters: [{name: level, description: level, type: int, default: 2}], endpoint: {name: api, path: /completion}, auto_llm_dispatch_on_response: false",
    );
    try {
      for (const stream of [false, true]) {
        const said = await say('hello "you"', { through: gateway, stream, before });
        expect(said.text).toBe('The application heard "hello "you"" \u{1f600}');
        expect(said.model).toBeUndefined();
        expect(said.metadata?.prompt_target).toEqual({ name: "rest", arguments: {}, status: 200 });
        const [call] = api.of(said.id);
        expect([call?.method, call?.headers["content-type"]]).toEqual(["POST", "application/json"]);
        expect(JSON.parse(call?.body ?? "")).toEqual({ messages: conversation, level: 2 });
        const zeroshot = modelServer.of(said.id).find(({ path }) => path === "/zeroshot");
        expect(zeroshot?.body).not.toContain('"rest"');
        // Another target still gets its own values only.
        const other = await say('@book {"guests": 2}', { through: gateway, stream });
        expect(JSON.parse(api.of(other.id)[0]?.body ?? "")).toEqual({ guests: 2, outside: false });
      }
    } finally {
      await gateway.stop();
    }
  });

  it("a language model answers from the API's response, a completion or not", async () => {
    for (const [path, context] of [
      ["/completion", 'The application heard "hello "you"" \u{1f600}'],
      ["/text", 'plain "text"\nä \u{1f600}'],
    ]) {
      const gateway = await start(`endpoint: {name: api, path: ${path}}`);
      try {
        const said = await say('hello "you"', { through: gateway, before });
        const last = { role: "user", content: `hello "you"\n\ncontext: ${context}` };
        expect(said.model?.messages).toEqual([...before, last]);
      } finally {
        await gateway.stop();
      }
    }
  });

  it("by GET it gets no conversation", async () => {
    const gateway = await start("endpoint: {name: api, path: /plain, http_method: GET}");
    try {
      const said = await say("hello", { through: gateway });
      expect(api.of(said.id)[0]).toMatchObject({ method: "GET", path: "/plain", body: "" });
    } finally {
      await gateway.stop();
    }
  });
});

it("a target's system prompt replaces the top-level one, and stands behind the provider's own", async () => {
  const gateway = await startWithFakes({
    config: `${configuration(api.port, 9)}system_prompt: Of all.\n`,
    environment: { API_SECRET },
    modelServerSocketPath: modelServer.socketPath,
    // The provider's own: startWithFakes configures none.
    adapt(model) {
      const [target] = model.targets;
      if (target !== undefined) Object.assign(target, OWN_PROMPTS);
    },
  });
  const systemOf = async (prompt: string) => {
    const { model } = await say(prompt, { through: gateway });
    return model?.messages.filter(({ role }) => role === "system").map(({ content }) => content);
  };
  try {
    const own = await systemOf('@weather {"city": "Oslo"}');
    expect(own?.join("\n\n")).toBe('Own.\n\nBe a "weather" person.');
    for (const prompt of ["@plain", "hello"])
      expect(await systemOf(prompt)).toEqual(["Of all.\n\nOwn."]);
  } finally {
    await gateway.stop();
  }
});
const OWN_PROMPTS = { systemPrompt: "Of all.\n\nOwn.", ownSystemPrompt: "Own." };
