// The provider that every ring scripts: it records each request and does with its response what a function decides. It judges
// nothing; the strict fakes (`openai.ts` and others) add that. Scripts that several tests use are in `scripts/`.
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { HeaderPair } from "../../control-plane/wasm-host/header-map.ts";
import { type Listening, listen, type Place } from "./listen.ts";
import { WIRES } from "./wire.ts";

export interface ReceivedRequest {
  method: string;
  path: string;
  /** As received: name, value, name, value … */
  rawHeaders: string[];
  headers: IncomingMessage["headers"];
  bytes: Buffer;
  body: string;
}

export interface ScriptedProvider extends Listening {
  requests: ReceivedRequest[];
  /** Requests that lost their connection before their response was whole. */
  brokenOff: number;
  /** Requests that have no whole response now. */
  open: number;
  /** Connections since the start. */
  connections: number;
}

/** Responds to one request: at once, slowly, in part or never. */
export type Script = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export interface ProviderOptions extends Place {
  /** PEM of a certificate and its key. */
  tls?: { cert: string; key: string } | undefined;
  /** False if requests are too many or too large to be recorded. */
  keepsRequests?: boolean;
}

export async function startProvider(
  script: Script,
  { tls, keepsRequests = true, ...place }: ProviderOptions = {},
): Promise<ScriptedProvider> {
  const requests: ReceivedRequest[] = [];
  const counts = { brokenOff: 0, open: 0, connections: 0 };
  const onRequest: RequestListener = (incoming, response) => {
    provider.open++;
    response.on("close", () => {
      provider.open--;
      if (!response.writableFinished) provider.brokenOff++;
    });
    void readRequest(incoming).then((request) => {
      if (request === undefined) return;
      if (keepsRequests) requests.push(request);
      return script(response, request);
    });
  };
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  server.keepAliveTimeout = 60_000;
  server.on("connection", () => provider.connections++);
  const disconnect = (): void => {
    server.closeAllConnections();
  };
  const provider: ScriptedProvider = Object.assign(
    { requests, ...counts, port: 0, stop: () => Promise.resolve() },
    await listen(server, disconnect, place),
  );
  return provider;
}

/** Returns undefined if the connection breaks before the request is whole. */
async function readRequest(incoming: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  const bytes = Buffer.concat(chunks);
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    rawHeaders: incoming.rawHeaders,
    headers: incoming.headers,
    bytes,
    body: bytes.toString(),
  };
}

/** Responds with a chat completion. */
export const complete: Script = (response) => {
  sendJson(response, WIRES.chat.complete("Hello.", { usage: { input: 1, output: 1 } }));
};

/** Responds to every request with the request, as JSON. For servers of other kinds (TLS, HTTP/2). */
export const echo: RequestListener = (incoming, response) => {
  void readRequest(incoming).then((request) => {
    const { bytes: _, ...received } = request ?? {};
    sendJson(response, { ...received, version: incoming.httpVersion });
  });
};

export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A response byte for byte. */
export interface ExactResponse {
  status: number;
  headers: readonly HeaderPair[];
  chunks: readonly Uint8Array[];
  /** Sent after the body; `headers` should announce them. */
  trailers?: readonly HeaderPair[];
  /** The connection breaks after the last chunk. */
  isReset?: boolean;
  /** Awaited after each chunk, by its index. */
  pause?: (index: number) => Promise<void>;
}

export async function sendExactly(outgoing: ServerResponse, sent: ExactResponse): Promise<void> {
  outgoing.sendDate = false;
  outgoing.writeHead(sent.status, sent.headers.flat());
  for (const [index, chunk] of sent.chunks.entries()) {
    outgoing.write(chunk);
    await sent.pause?.(index);
    // Each chunk leaves in a separate packet.
    await new Promise((resolve) => setImmediate(resolve));
  }
  outgoing.addTrailers(Object.fromEntries(sent.trailers ?? []));
  if (sent.isReset !== true) outgoing.end();
  else outgoing.write("", () => outgoing.socket?.destroy());
}
