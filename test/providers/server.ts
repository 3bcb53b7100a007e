// The strict fakes' script: it checks each request, and plays a dialect's response or failure.
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Behaviour } from "./behaviour.ts";
import { type ProviderOptions, type ReceivedRequest, startProvider } from "./scripted-provider.ts";

export interface ProviderRequest {
  method: string;
  path: string;
  /** Lower-case names; the last value of each. */
  headers: Record<string, string>;
  body: string;
  /** The body as JSON, or undefined. */
  json: unknown;
  /** What the real provider would never have got: the gateway's own headers, the wrong key … */
  violations: string[];
  /** Resolves when the client's side closes the exchange: true when the response was cut short by that. */
  wasCut: Promise<boolean>;
}

/** A response with its events or its one body. */
export interface FakeResponse {
  status: number;
  headers: Record<string, string>;
  /** Several for a stream; one for a complete answer. Binary for a stream of frames. */
  parts: (string | Buffer)[];
  isStream: boolean;
}

export interface Dialect {
  /** The paths of its endpoints. */
  path: RegExp;
  /** Refuses the request, or says what to do with it. */
  handle(
    request: ProviderRequest,
    next: Behaviour | undefined,
  ): { response?: FakeResponse; behaviour: Behaviour };
  /** An error in its envelope. */
  error(status: number, message: string, code?: string): FakeResponse;
  /** The error events of a stream of which these parts have been sent, after which nothing comes. */
  errorEvent(sent: string[], code?: string): string | Buffer;
}

export interface FakeProvider {
  /** `http://127.0.0.1:<port>`, https with a certificate. */
  url: string;
  port: number;
  requests: ProviderRequest[];
  /** All violations of all requests. */
  violations(): string[];
  /** The bodies of the responses with an error that the fake itself decided on. */
  refusals: string[];
  /** What to do with the next request, then with the one after it. */
  next(...behaviours: Behaviour[]): void;
  /** Waits for the request of that number, from 0. */
  request(index: number): Promise<ProviderRequest>;
  /** Waits for a request whose body has that text. */
  requestWith(text: string): Promise<ProviderRequest>;
  /** Connections that were opened so far. */
  connections(): number;
  stop: () => Promise<void>;
}

/** Nothing under these names is a provider's business. */
const FORBIDDEN = /^(?:x-gateway-|x-envoy-|x-forwarded-|forwarded$|cookie$|proxy-)/;

export async function startServer(
  dialect: Dialect,
  options: ProviderOptions = {},
): Promise<FakeProvider> {
  const requests: ProviderRequest[] = [];
  const refusals: string[] = [];
  const waiting: Behaviour[] = [];
  const watchers = new Set<() => void>();
  const watched: Dialect = {
    ...dialect,
    handle(request, next) {
      const handled = dialect.handle(request, next);
      const { response } = handled;
      if (response !== undefined && response.status >= 400) refusals.push(response.parts.join(""));
      return handled;
    },
  };
  const waitFor = (find: () => ProviderRequest | undefined): Promise<ProviderRequest> =>
    new Promise((resolve) => {
      const look = (): void => {
        const request = find();
        if (request === undefined) return;
        watchers.delete(look);
        resolve(request);
      };
      watchers.add(look);
      look();
    });
  const provider = await startProvider(
    async (outgoing, received) => {
      const request = checked(received, outgoing);
      requests.push(request);
      for (const watcher of watchers) watcher();
      await play(watched, request, outgoing, waiting.shift());
    },
    { ...options, keepsRequests: false },
  );
  const { port, stop } = provider;
  return {
    url: `http${options.tls === undefined ? "" : "s"}://127.0.0.1:${port}`,
    port,
    requests,
    refusals,
    violations: () => requests.flatMap(({ violations }) => violations),
    next: (...behaviours) => waiting.push(...behaviours),
    connections: () => provider.connections,
    request: (index) => waitFor(() => requests[index]),
    requestWith: (text) => waitFor(() => requests.find(({ body }) => body.includes(text))),
    stop,
  };
}

function checked(received: ReceivedRequest, outgoing: ServerResponse): ProviderRequest {
  const wasCut = new Promise<boolean>((resolve) => {
    outgoing.on("close", () => {
      resolve(!outgoing.writableFinished);
    });
  });
  const { method, path, body } = received;
  const headers = Object.fromEntries(
    Object.entries(received.headers).map(([name, value]) => [name, String(value)]),
  );
  const violations = Object.keys(headers)
    .filter((name) => FORBIDDEN.test(name))
    .map((name) => `the header ${name} reached the provider`);
  const names = received.rawHeaders
    .filter((_, at) => at % 2 === 0)
    .map((name) => name.toLowerCase());
  for (const name of new Set(names))
    if (names.indexOf(name) !== names.lastIndexOf(name))
      violations.push(`the header ${name} came twice`);
  return { method, path, headers, body, json: parse(body), violations, wasCut };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function play(
  dialect: Dialect,
  request: ProviderRequest,
  outgoing: ServerResponse,
  next: Behaviour | undefined,
): Promise<void> {
  const [path = ""] = request.path.split("?");
  if (!dialect.path.test(path)) {
    await send(outgoing, dialect.error(404, `Unknown path ${request.path}`), {});
    return;
  }
  if (request.violations.length > 0) {
    await send(outgoing, dialect.error(400, request.violations.join("; ")), {});
    return;
  }
  const { response, behaviour } = dialect.handle(request, next);
  if (response !== undefined && behaviour.kind !== "error") {
    await playResponse(dialect, outgoing, response, behaviour);
    return;
  }
  if (behaviour.kind === "error") await send(outgoing, errorResponse(dialect, behaviour), {});
  else if (response !== undefined) await send(outgoing, response, {});
}

async function playResponse(
  dialect: Dialect,
  outgoing: ServerResponse,
  response: FakeResponse,
  behaviour: Exclude<Behaviour, { kind: "error" }>,
): Promise<void> {
  switch (behaviour.kind) {
    case "answer":
      await send(outgoing, response, behaviour);
      return;
    case "hang":
      return;
    case "reset":
      if (behaviour.afterEvents !== undefined)
        await begin(outgoing, response, response.parts.slice(0, behaviour.afterEvents));
      outgoing.socket?.destroy();
      return;
    case "stall":
      await begin(outgoing, response, response.parts.slice(0, behaviour.afterEvents));
      return;
    case "errorEvent": {
      const sent = response.parts.slice(0, behaviour.afterEvents);
      const event = dialect.errorEvent(sent.map(String), behaviour.code);
      await begin(outgoing, response, [...sent, event]);
      outgoing.end();
      return;
    }
    default:
      behaviour satisfies never;
  }
}

async function begin(
  outgoing: ServerResponse,
  response: FakeResponse,
  parts: FakeResponse["parts"],
): Promise<void> {
  outgoing.writeHead(response.status, response.headers);
  for (const part of parts)
    await new Promise<void>((resolve) => {
      outgoing.write(part, () => {
        resolve();
      });
    });
}

interface Pacing {
  paceMs?: number;
  delayMs?: number;
  encoding?: "gzip" | "br";
}

async function send(
  outgoing: ServerResponse,
  response: FakeResponse,
  pacing: Pacing,
): Promise<void> {
  const { paceMs = 0, delayMs = 0, encoding } = pacing;
  if (delayMs > 0) await sleep(delayMs);
  const headers = { ...response.headers };
  const parts =
    encoding === undefined
      ? response.parts.map((part) => Buffer.from(part))
      : [compress(response.parts.join(""), encoding)];
  if (encoding !== undefined) headers["content-encoding"] = encoding;
  if (!response.isStream)
    headers["content-length"] = String(parts.reduce((sum, part) => sum + part.length, 0));
  outgoing.writeHead(response.status, headers);
  for (const part of parts) {
    if (outgoing.destroyed) return;
    outgoing.write(part);
    if (paceMs > 0) await sleep(paceMs);
  }
  outgoing.end();
}

function compress(text: string, encoding: "gzip" | "br"): Buffer {
  return encoding === "gzip" ? gzipSync(text) : brotliCompressSync(text);
}

function errorResponse(
  dialect: Dialect,
  behaviour: Extract<Behaviour, { kind: "error" }>,
): FakeResponse {
  const { status, retryAfter, body = "json", code } = behaviour;
  const { message = `The provider says ${status}.` } = behaviour;
  const usual = dialect.error(status, message, code);
  const headers = {
    ...usual.headers,
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  };
  if (body === "json") return { ...usual, headers };
  const isHtml = body === "html";
  return {
    status,
    headers: isHtml ? { ...headers, "content-type": "text/html" } : headers,
    parts: isHtml ? [`<html><body><h1>${status}</h1></body></html>`] : [""],
    isStream: false,
  };
}
