// A provider that records what it gets, byte for byte, and answers as it is told; it judges nothing.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HeaderPair } from "../../control-plane/wasm-host/header-map.ts";
import { headerPairs } from "./raw-client.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  headers: HeaderPair[];
  body: Buffer;
}

export interface ScriptedReply {
  status: number;
  headers: readonly HeaderPair[];
  chunks: readonly Uint8Array[];
  /** Sent behind the body; `headers` should announce them. */
  trailers?: readonly HeaderPair[];
  /** The connection breaks after the last chunk. */
  isReset?: boolean;
  /** Waited for behind each chunk, by its index. */
  pause?: (index: number) => Promise<void>;
}

export interface ScriptedProvider {
  port: number;
  requests: RecordedRequest[];
  stop(): Promise<void>;
}

export async function startScriptedProvider(
  answer: (request: RecordedRequest) => ScriptedReply,
): Promise<ScriptedProvider> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then(async (body) => {
      const request = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: headerPairs(incoming.rawHeaders),
        body,
      };
      requests.push(request);
      await send(outgoing, answer(request));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function send(outgoing: ServerResponse, reply: ScriptedReply): Promise<void> {
  outgoing.sendDate = false;
  outgoing.writeHead(reply.status, reply.headers.flat());
  for (const [index, chunk] of reply.chunks.entries()) {
    outgoing.write(chunk);
    await reply.pause?.(index);
    // Each chunk leaves in a packet of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  outgoing.addTrailers(Object.fromEntries(reply.trailers ?? []));
  if (reply.isReset !== true) outgoing.end();
  else outgoing.write("", () => outgoing.socket?.destroy());
}
