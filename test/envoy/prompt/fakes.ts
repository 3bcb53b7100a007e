// A model server and an API whose behaviour the prompt decides, so that a test controls every step.
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { gzipSync } from "node:zlib";
import { closeNow, listenAt } from "../../../control-plane/model-server/unix-socket.ts";
import type { Certificate } from "../../gateway/certificates.ts";
import { newSocketPath } from "../../gateway/socket-path.ts";
import { listen } from "../../providers/listen.ts";

/** An entry of `prompt_targets`, for the endpoint `api`: what the embedded models understand well. */
export const WEATHER_TARGET = `  - name: weather_forecast
    description: Weather forecast for a city
    examples: [What will the weather be like in Oslo?, Will it rain in London tomorrow?]
    parameters:
      - {name: city, description: name of the city, required: true, in_path: true}
    endpoint: {name: api, path: "/weather/{city}"}
    auto_llm_dispatch_on_response: false`;

export interface InternalRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

interface Recorder {
  requests: InternalRequest[];
  /** The requests of one client request. */
  of(requestId: string): InternalRequest[];
  stop(): Promise<void>;
}

export interface FakeApi extends Recorder {
  port: number;
}

export interface FakeModelServer extends Recorder {
  socketPath: string;
}

interface Call {
  input?: string;
  prompt?: string;
  parameters?: Record<string, unknown>;
  target?: string;
  messages?: { role: string; content: string | { text?: string }[] }[];
  labels?: string[];
  tools?: { function: { name: string; parameters: { required: string[] } } }[];
  metadata?: { decision: string };
}

function textOf({ content }: NonNullable<Call["messages"]>[number]): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("\n");
}

/** Responds to a request that is already recorded. */
type FakeResponse = (response: ServerResponse, request: InternalRequest) => void;

function recorder(respond: FakeResponse) {
  const requests: InternalRequest[] = [];
  const onRequest: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url: path = "", headers } = incoming;
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(request);
      respond(response, request);
    });
  };
  const of = (id: string) => requests.filter(({ headers }) => headers["x-request-id"] === id);
  return { onRequest, requests, of };
}

/**
 * Starts a model server that takes its results from the prompt: `@name` is the target, `?a,b` are the candidates
 * between which a language model has to choose, `{"p": 1}` are the arguments (of all turns together), `say: …` is the
 * extraction's question, and `jailbreak` is a jailbreak. `fail: /path` makes that step return 500, `large: /path` 413, `garbage: /path`
 * text that is not JSON; `close: /path` closes the connection, `hang: /path` never responds, and `slow: /path` responds
 * after `SLOW_MS`.
 */
export async function startModelServer(): Promise<FakeModelServer> {
  const required = new Map<string, string[]>();
  const { onRequest, requests, of } = recorder((response, { path, body }) => {
    const call = JSON.parse(body) as Call;
    const users = call.messages?.filter(({ role }) => role === "user").map(textOf);
    const said = (users ?? [call.input ?? call.prompt ?? ""]).join("\n");
    for (const { function: tool } of call.tools ?? [])
      required.set(tool.name, tool.parameters.required);
    const does = (what: string) => said.includes(`${what}: ${path}`);
    const respond = () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answerTo(path, call, said, required)));
    };
    if (does("fail")) response.writeHead(500).end("{}");
    else if (does("large")) response.writeHead(413).end("{}");
    else if (does("garbage")) response.end("<html>");
    else if (does("close")) response.destroy();
    else if (does("slow")) setTimeout(respond, SLOW_MS);
    else if (!does("hang")) respond();
  });
  const server = createServer(onRequest);
  const socketPath = newSocketPath();
  await listenAt(server, socketPath);
  return { socketPath, requests, of, stop: () => closeNow(server) };
}

function answerTo(
  path: string,
  call: Call,
  said: string,
  required: ReadonlyMap<string, string[]>,
): unknown {
  const chosen = [...said.matchAll(/(?:^|\s)@(\w+)/g)].at(-1)?.[1];
  if (path === "/guard") return { jailbreak_verdict: call.input?.includes("jailbreak") };
  if (path === "/embeddings") return { object: "list", data: [] };
  if (path === "/zeroshot") {
    const candidates = /(?:^|\s)\?([\w,]+)/.exec(said)?.[1]?.split(",");
    const decision = candidates ? "ask_model" : chosen === undefined ? "none" : "target";
    return { predicted_class: chosen ?? null, decision, candidates: candidates ?? [], scores: {} };
  }
  if (path === "/hallucination") {
    const names = required.get(call.target ?? "") ?? [];
    const missing = names.filter((name) => call.parameters?.[name] === undefined);
    return { missing, question: `Could you tell me "${missing.join('", "')}"?` };
  }
  return { choices: [{ index: 0, message: extraction(call, said, chosen) }] };
}

function extraction(call: Call, said: string, chosen: string | undefined): unknown {
  const question = /say: (.*)/.exec(said)?.[1];
  if (question !== undefined) return { role: "assistant", content: question };
  const [only] = call.tools ?? [];
  const name = call.metadata?.decision === "target" ? only?.function.name : chosen;
  if (name === undefined) return { role: "assistant", content: null };
  const values = said.split("\n").flatMap((line) => /\{.*\}/.exec(line)?.[0] ?? []);
  const all = Object.assign({}, ...values.map((one) => JSON.parse(one) as object)) as object;
  const tool = { id: "c", type: "function", function: { name, arguments: JSON.stringify(all) } };
  return { role: "assistant", content: null, tool_calls: [tool] };
}

/** The time that `slow:` takes. */
export const SLOW_MS = 1_000;

/** Starts an API that returns every request as JSON; some paths make it misbehave. */
export async function startApi(tls?: Certificate): Promise<FakeApi> {
  const { onRequest, requests, of } = recorder((response, request) => {
    const { path, method, body, headers } = request;
    if (path.startsWith("/status/")) {
      const status = Number(path.split("/")[2]);
      response.writeHead(status, status < 400 ? { location: "/elsewhere" } : {});
      response.end("secret words of the API");
    } else if (path.startsWith("/gzip/")) sendGzip(response, path.slice("/gzip/".length));
    else if (path === "/big") response.end("x".repeat(1.5 * 1024 * 1024));
    else if (path === "/largest") response.end("x".repeat(1024 * 1024));
    else if (path === "/endless") writeForEver(response);
    else if (path === "/silent") return;
    else if (path === "/hang") response.flushHeaders();
    else if (path === "/broken") {
      response.writeHead(200, { "content-length": "100" }).write("half of it");
      setTimeout(() => response.destroy(), 50);
    } else if (path === "/completion") response.end(JSON.stringify(completionOf(body)));
    else if (path === "/close") response.destroy();
    else if (path === "/text") response.end('plain "text"\nä \u{1f600}');
    else if (path === "/echo") response.end(`Wrong key: ${headers["authorization"] ?? ""}`);
    else if (path === "/bytes") response.end(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xc3]));
    else response.end(JSON.stringify({ method, path, body }));
  });
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  const listening = await listen(server, () => {
    server.closeAllConnections();
  });
  return { ...listening, requests, of };
}

/** Writes a compressed response that was not requested: JSON, complete or cut, a text, or one that is not compressed. */
function sendGzip(response: ServerResponse, what: string): void {
  response.setHeader("content-encoding", "gzip");
  const json = gzipSync(JSON.stringify({ weather: "sunny ".repeat(50) }));
  if (what === "json") response.end(json);
  else if (what === "cut") response.end(json.subarray(0, json.length - 15));
  else if (what === "text") response.end(gzipSync("sunny"));
  else response.end("sunny");
}

function writeForEver(response: ServerResponse): void {
  const block = Buffer.alloc(1024 * 1024, "x");
  const write = () => {
    while (!response.destroyed) if (!response.write(block)) return;
  };
  response.on("drain", write);
  write();
}

/** Returns what an application that is a default target returns: a chat completion about the conversation. */
function completionOf(body: string) {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] };
  const content = `The application heard "${messages.at(-1)?.content ?? ""}" \u{1f600}`;
  return { choices: [{ index: 0, message: { role: "assistant", content } }] };
}
