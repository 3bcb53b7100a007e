// Every fault of a provider, in each dialect, and a provider whose faults are chosen by the first part of its path.
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { eventFrame } from "../event-stream.ts";
import { type ScriptedProvider, startProvider } from "../scripted-provider.ts";
import {
  dialectOfPath,
  ERROR_TEXT,
  latin1,
  type ProviderDialect,
  type ResponseParts,
  responseParts,
  untilFirstText,
  WIRES,
} from "../wire.ts";

/** Milliseconds between the bytes of a provider that drips. */
const DRIP = 30;
/** Bytes by which the gateway sees that a response has begun (ENOUGH of filter/dialects/response-start.ts). */
const BEGUN = 64;

export const HTML = "<!doctype html><html><body><h1>502 Bad Gateway</h1>nginx</body></html>";

export interface Requested {
  dialect: ProviderDialect;
  isStream: boolean;
  /** What a healthy provider would send. */
  healthyParts: (kind: "complete" | "stream") => ResponseParts;
  /** The events of a stream until its first text. */
  begun: string;
}

type Fault = (response: ServerResponse, requested: Requested) => void;

function healthy({ healthyParts, isStream }: Pick<Requested, "healthyParts" | "isStream">): {
  type: string;
  parts: string[];
  body: string;
} {
  const { type, parts } = healthyParts(isStream ? "stream" : "complete");
  return { type, parts, body: parts.join("") };
}

function head(
  response: ServerResponse,
  requested: Requested,
  more: Record<string, string> = {},
): void {
  response.writeHead(200, { "content-type": healthy(requested).type, ...more });
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

function sendError(response: ServerResponse, { dialect }: Requested, status: number): void {
  const [body = ""] = responseParts(dialect, "error").parts;
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(body);
}

const errorEvent = (dialect: ProviderDialect): string =>
  latin1(WIRES[dialect].errorEvent(ERROR_TEXT));

const paddedFrame = (padding: string): string =>
  eventFrame("messageStart", { role: "assistant", p: padding }).toString("latin1");
const half = (text: string): string => text.slice(0, Math.floor(text.length / 2));

const FAULTS: Record<string, Fault> = {
  healthy(response, requested) {
    head(response, requested);
    response.end(healthy(requested).body, "latin1");
  },
  "reset before headers"(response) {
    response.socket?.resetAndDestroy();
  },
  "reset after headers"(response, requested) {
    head(response, requested);
    setTimeout(() => response.socket?.resetAndDestroy(), 50);
  },
  "reset in the middle"(response, requested) {
    head(response, requested);
    const { body, parts } = healthy(requested);
    sendAndReset(response, requested.isStream ? parts.slice(0, -2).join("") : half(body));
  },
  hang: () => undefined,
  "slow drip"(response, requested) {
    head(response, requested);
    const { body } = healthy(requested);
    // A stream drips in pieces of events; of a complete response, which has begun at once, the last byte never comes.
    const last = requested.isStream ? body.length : body.length - 1;
    let at = requested.isStream ? 0 : BEGUN;
    response.write(body.slice(0, at), "latin1");
    const timer = setInterval(() => {
      const end = Math.min(at + (requested.isStream ? 20 : 1), last);
      response.write(body.slice(at, end), "latin1");
      at = end;
      if (at < body.length && !response.destroyed) return;
      clearInterval(timer);
      response.end();
    }, DRIP);
  },
  "429": (response, requested) => {
    sendError(response, requested, 429);
  },
  "500": (response, requested) => {
    sendError(response, requested, 500);
  },
  "503": (response, requested) => {
    sendError(response, requested, 503);
  },
  "529": (response, requested) => {
    sendError(response, requested, 529);
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
    const [body = ""] = responseParts(dialect, "error").parts;
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
  "HTML page as a response"(response) {
    response.writeHead(200, { "content-type": "text/html" }).end(HTML);
  },
  "truncated JSON"(response, requested) {
    const { body } = healthy({ ...requested, isStream: false });
    response.writeHead(200, { "content-type": "application/json" }).end(half(body));
  },
  "invalid SSE"(response, requested) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const invalid = eventFrame("metadata", '{"not": json').toString("latin1");
    const event = requested.dialect === "converse" ? invalid : 'data: {"not": json\n\n';
    response.end(requested.begun + event, "latin1");
  },
  "error as first event"(response, { dialect }) {
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(errorEvent(dialect), "latin1");
  },
  "error as third event"(response, requested) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(requested.begun + errorEvent(requested.dialect), "latin1");
  },
  "stream without an event"(response, requested) {
    head(response, { ...requested, isStream: true });
    response.end();
  },
  compressed(response, requested) {
    head(response, requested, { "content-encoding": "gzip" });
    response.end(gzipSync(Buffer.from(healthy(requested).body, "latin1")));
  },
  "not compressed, declared gzip"(response, requested) {
    head(response, requested, { "content-encoding": "gzip" });
    response.end(healthy(requested).body, "latin1");
  },
  "damaged gzip"(response, requested) {
    head(response, requested, { "content-encoding": "gzip" });
    const bytes = gzipSync(Buffer.from(healthy(requested).body, "latin1"));
    bytes.fill(0xff, bytes.length - 30, bytes.length - 10);
    response.end(bytes);
  },
  "gzip of too much"(response, requested) {
    head(response, requested, { "content-encoding": "gzip" });
    // In a comment, or in front of the last brace.
    const { body } = healthy(requested);
    const spaces = " ".repeat(1 << 20);
    const padded =
      requested.dialect === "converse" ? paddedFrame(spaces) + body : `:${spaces}\n\n${body}`;
    const whole = requested.isStream ? padded : `${body.slice(0, -1)}${spaces}}`;
    response.end(gzipSync(Buffer.from(whole, "latin1")));
  },
  "content-length too large"(response, requested) {
    const { type, body } = healthy(requested);
    sendRaw(response, type, body.length + 100, body);
  },
  "content-length too small"(response, requested) {
    const { type, body } = healthy(requested);
    // After the first token, in each dialect.
    sendRaw(response, type, Math.floor(body.length * 0.75), body);
  },
};

export const FAULTS_OF_A_SERVER = Object.keys(FAULTS);

/** Where the provider with that fault is; its dialect's own path follows. */
export function basePath(fault: string): string {
  return `/${encodeURIComponent(fault)}`;
}

export function startFaultyProvider(): Promise<ScriptedProvider> {
  return startProvider((response, { path, body }) => {
    const [, fault = ""] = path.split("/");
    const dialect = providerDialectOf(path);
    sendFault(decodeURIComponent(fault), response, {
      dialect,
      isStream: isStreamRequested(path, body),
      healthyParts: (kind) => responseParts(dialect, kind),
      begun: untilFirstText(dialect),
    });
  });
}

/** Responds with a fault of FAULTS_OF_A_SERVER; the name `healthy` is no fault. */
export function sendFault(name: string, response: ServerResponse, requested: Requested): void {
  FAULTS[name]?.(response, requested);
}

export function isStreamRequested(path: string, body: string): boolean {
  const isInBody = (JSON.parse(body) as { stream?: boolean }).stream === true;
  return isInBody || /:streamGenerateContent|converse-stream$/.test(path);
}

function providerDialectOf(path: string): ProviderDialect {
  if (path.includes("/v1beta/models/")) return "gemini";
  return path.includes("/model/") ? "converse" : dialectOfPath(path.replace(/^\/[^/]*/, "/v1"));
}
