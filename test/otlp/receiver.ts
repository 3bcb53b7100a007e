// A strict OpenTelemetry collector for tests: OTLP over HTTP (protobuf and JSON) and over gRPC, on one port each. It
// rejects what the specification forbids, and records the rest.
// @see https://opentelemetry.io/docs/specs/otlp/
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { decode } from "./messages.ts";
import { readSpans } from "./spans.ts";
import type { Span } from "./spans.ts";

/** Bytes of a gRPC message's prefix: whether it is compressed, and its length. */
const PREFIX = 5;

export interface ReceivedExport {
  path: string;
  headers: IncomingHttpHeaders;
}

export interface Receiver {
  port: number;
  spans: Span[];
  exports: ReceivedExport[];
  /** What the specification forbids. */
  violations: string[];
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** Accepts requests and never responds. */
  isSilent?: boolean;
}

interface Recorder extends Omit<Receiver, "port" | "stop"> {
  receive(path: string, headers: IncomingHttpHeaders, bytes: Buffer): void;
}

function recorder(): Recorder {
  const all: Recorder = {
    spans: [],
    exports: [],
    violations: [],
    receive(path, headers, bytes) {
      all.exports.push({ path, headers });
      try {
        if (path.endsWith("/traces") || path.endsWith("TraceService/Export"))
          all.spans.push(...readSpans(decode("TraceRequest", bytes)));
        else throw new Error(`unknown path ${path}`);
      } catch (error) {
        all.violations.push(String(error));
      }
    },
  };
  return all;
}

export async function startHttpReceiver({
  isSilent = false,
}: ReceiverOptions = {}): Promise<Receiver> {
  const all = recorder();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.method !== "POST") all.violations.push(`method ${String(request.method)}`);
      if (request.headers["content-type"] !== "application/x-protobuf")
        all.violations.push(`content-type ${String(request.headers["content-type"])}`);
      all.receive(request.url ?? "", request.headers, body);
      if (!isSilent) response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  return listening(server, all);
}

/** Starts a receiver of OTLP over gRPC without TLS. */
export async function startGrpcReceiver({
  isSilent = false,
}: ReceiverOptions = {}): Promise<Receiver> {
  const all = recorder();
  const server = createHttp2Server();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session: ServerHttp2Session) => sessions.add(session));
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => undefined);
    void bodyOf(stream).then((body) => {
      if (headers["content-type"] !== "application/grpc")
        all.violations.push(`content-type ${String(headers["content-type"])}`);
      if (body.readUInt8(0) !== 0 || body.readUInt32BE(1) !== body.length - PREFIX)
        all.violations.push("not one uncompressed message");
      all.receive(String(headers[":path"]), headers, body.subarray(PREFIX));
      if (isSilent) return;
      stream.respond(
        { ":status": 200, "content-type": "application/grpc" },
        { waitForTrailers: true },
      );
      stream.on("wantTrailers", () => {
        stream.sendTrailers({ "grpc-status": "0" });
      });
      stream.end(Buffer.alloc(PREFIX));
    });
  });
  return listening(server, all, () => {
    for (const session of sessions) session.destroy();
  });
}

async function listening(
  server: Server | Http2Server,
  all: Recorder,
  closing?: () => void,
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    ...all,
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      closing?.();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function bodyOf(stream: IncomingMessage | ServerHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
