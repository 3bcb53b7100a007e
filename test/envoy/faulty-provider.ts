// A provider whose faults are chosen by the first part of its path, in the dialect that the rest of the path asks for.
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { startProvider } from "./behaving-provider.ts";
import type { BehavingProvider } from "./behaving-provider.ts";
import type { ProviderDialect } from "./ask.ts";
import { eventFrame, exceptionFrame } from "../providers/event-stream.ts";
import { dialectOfPath, ERROR_SAID, replyParts } from "./dialect-replies.ts";

/** Milliseconds between the bytes of a provider that drips. */
const DRIP = 30;
/** Bytes by which the gateway sees that an answer has begun (ENOUGH of filter/dialects/response-start.ts). */
const BEGUN = 64;

export const HTML = "<!doctype html><html><body><h1>502 Bad Gateway</h1>nginx</body></html>";

interface Asked {
  dialect: ProviderDialect;
  isStream: boolean;
}

type Fault = (response: ServerResponse, asked: Asked) => void;

/** What a healthy provider would send. */
function healthy({ dialect, isStream }: Asked): { type: string; parts: string[]; body: string } {
  const { type, parts } = replyParts(dialect, isStream ? "stream" : "complete");
  return { type, parts, body: parts.join("") };
}

function head(response: ServerResponse, asked: Asked, more: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": healthy(asked).type, ...more });
  response.flushHeaders();
}

/** Breaks the connection when these bytes have left. */
function sendAndReset(response: ServerResponse, bytes: string): void {
  response.write(bytes, "latin1", () => setTimeout(() => response.socket?.resetAndDestroy(), 50));
}

/** The status line, headers and body as they are, without the care that Node takes of the length. */
function sendRaw(response: ServerResponse, type: string, length: number, body: string): void {
  response.socket?.end(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${String(length)}\r\n\r\n${body}`,
    "latin1",
  );
}

function sendError(response: ServerResponse, { dialect }: Asked, status: number): void {
  const [body = ""] = replyParts(dialect, "error").parts;
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(body);
}

function errorEvent(dialect: ProviderDialect): string {
  if (dialect === "converse")
    return exceptionFrame("internalServerException", { message: ERROR_SAID }).toString("latin1");
  const [body = ""] = replyParts(dialect, "error").parts;
  if (dialect === "chat" || dialect === "gemini") return `data: ${body}\n\n`;
  const data = dialect === "messages" ? body : body.replace("{", '{"type":"error",');
  return `event: error\ndata: ${data}\n\n`;
}

/** The events of a stream until it has said something. */
function untilToken(dialect: ProviderDialect): string {
  return replyParts(dialect, "stream")
    .parts.slice(0, { chat: 2, messages: 3, responses: 4, gemini: 1, converse: 2 }[dialect])
    .join("");
}

const paddedFrame = (padding: string): string =>
  eventFrame("messageStart", { role: "assistant", p: padding }).toString("latin1");
const half = (text: string): string => text.slice(0, Math.floor(text.length / 2));

const FAULTS: Record<string, Fault> = {
  healthy(response, asked) {
    head(response, asked);
    response.end(healthy(asked).body, "latin1");
  },
  "reset before headers"(response) {
    response.socket?.resetAndDestroy();
  },
  "reset after headers"(response, asked) {
    head(response, asked);
    setTimeout(() => response.socket?.resetAndDestroy(), 50);
  },
  "reset in the middle"(response, asked) {
    head(response, asked);
    const { body, parts } = healthy(asked);
    sendAndReset(response, asked.isStream ? parts.slice(0, -2).join("") : half(body));
  },
  hang: () => undefined,
  "slow drip"(response, asked) {
    head(response, asked);
    const { body } = healthy(asked);
    // A stream drips in pieces of events; of a complete answer, which has begun at once, the last byte never comes.
    const last = asked.isStream ? body.length : body.length - 1;
    let at = asked.isStream ? 0 : BEGUN;
    response.write(body.slice(0, at), "latin1");
    const timer = setInterval(() => {
      const end = Math.min(at + (asked.isStream ? 20 : 1), last);
      response.write(body.slice(at, end), "latin1");
      at = end;
      if (at < body.length && !response.destroyed) return;
      clearInterval(timer);
      response.end();
    }, DRIP);
  },
  "429": (response, asked) => {
    sendError(response, asked, 429);
  },
  "500": (response, asked) => {
    sendError(response, asked, 500);
  },
  "503": (response, asked) => {
    sendError(response, asked, 503);
  },
  "529": (response, asked) => {
    sendError(response, asked, 529);
  },
  "HTML error page"(response) {
    response.writeHead(502, { "content-type": "text/html" }).end(HTML);
  },
  "text as an error"(response) {
    response.writeHead(503, { "content-type": "text/plain" }).end("no healthy upstream");
  },
  "error without a body"(response) {
    response.writeHead(500, { "content-length": "0" }).end();
  },
  "half an error"(response, { dialect }) {
    const [body = ""] = replyParts(dialect, "error").parts;
    response.writeHead(500, { "content-type": "application/json" }).end(half(body));
  },
  redirect(response) {
    response.writeHead(307, { location: "http://127.0.0.1:1/elsewhere" }).end("moved");
  },
  "switch of protocols"(response) {
    response.socket?.write(
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    );
  },
  "600"(response) {
    response.socket?.end("HTTP/1.1 600 Strange\r\ncontent-length: 2\r\n\r\n{}");
  },
  nothing(response) {
    response.writeHead(204).end();
  },
  "HTML page as an answer"(response) {
    response.writeHead(200, { "content-type": "text/html" }).end(HTML);
  },
  "truncated JSON"(response, asked) {
    const { body } = healthy({ ...asked, isStream: false });
    response.writeHead(200, { "content-type": "application/json" }).end(half(body));
  },
  "invalid SSE"(response, asked) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const invalid = eventFrame("metadata", '{"not": json').toString("latin1");
    const event = asked.dialect === "converse" ? invalid : 'data: {"not": json\n\n';
    response.end(untilToken(asked.dialect) + event, "latin1");
  },
  "error as first event"(response, { dialect }) {
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(errorEvent(dialect), "latin1");
  },
  "error as third event"(response, asked) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(untilToken(asked.dialect) + errorEvent(asked.dialect), "latin1");
  },
  "stream without an event"(response, asked) {
    head(response, { ...asked, isStream: true });
    response.end();
  },
  compressed(response, asked) {
    head(response, asked, { "content-encoding": "gzip" });
    response.end(gzipSync(Buffer.from(healthy(asked).body, "latin1")));
  },
  "not compressed, says gzip"(response, asked) {
    head(response, asked, { "content-encoding": "gzip" });
    response.end(healthy(asked).body, "latin1");
  },
  "damaged gzip"(response, asked) {
    head(response, asked, { "content-encoding": "gzip" });
    const bytes = gzipSync(Buffer.from(healthy(asked).body, "latin1"));
    bytes.fill(0xff, bytes.length - 30, bytes.length - 10);
    response.end(bytes);
  },
  "gzip of too much"(response, asked) {
    head(response, asked, { "content-encoding": "gzip" });
    // In a comment, or in front of the last brace.
    const { body } = healthy(asked);
    const spaces = " ".repeat(1 << 20);
    const padded =
      asked.dialect === "converse" ? paddedFrame(spaces) + body : `:${spaces}\n\n${body}`;
    const whole = asked.isStream ? padded : `${body.slice(0, -1)}${spaces}}`;
    response.end(gzipSync(Buffer.from(whole, "latin1")));
  },
  "content-length too large"(response, asked) {
    const { type, body } = healthy(asked);
    sendRaw(response, type, body.length + 100, body);
  },
  "content-length too small"(response, asked) {
    const { type, body } = healthy(asked);
    // Behind the first token, in either dialect.
    sendRaw(response, type, Math.floor(body.length * 0.75), body);
  },
};

export const FAULTS_OF_A_SERVER = Object.keys(FAULTS);

/** Where the provider with that fault is; its dialect's own path follows. */
export function basePath(fault: string): string {
  return `/${encodeURIComponent(fault)}`;
}

export function startFaultyProvider(): Promise<BehavingProvider> {
  return startProvider((response, { path, body }) => {
    const [, fault = ""] = path.split("/");
    const asks = (JSON.parse(body) as { stream?: boolean }).stream === true;
    const isStream = asks || /:streamGenerateContent|converse-stream$/.test(path);
    const dialect = providerDialectOf(path);
    FAULTS[decodeURIComponent(fault)]?.(response, { dialect, isStream });
  });
}

function providerDialectOf(path: string): ProviderDialect {
  if (path.includes("/v1beta/models/")) return "gemini";
  return path.includes("/model/") ? "converse" : dialectOfPath(path.replace(/^\/[^/]*/, "/v1"));
}
