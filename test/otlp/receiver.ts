// A strict OpenTelemetry collector for tests: OTLP over HTTP (traces in protobuf, metrics in JSON) and over gRPC, on one port
// each. It lists what the specification forbids, and records the rest.
// @see https://opentelemetry.io/docs/specs/otlp/
import type { IncomingHttpHeaders } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Server, Socket } from "node:net";
import { listen } from "../providers/listen.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import { checkJson, decode } from "./messages.ts";
import type { MetricsMessage } from "./messages.ts";
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
  metrics: MetricsMessage[];
  exports: ReceivedExport[];
  /** What the specification forbids. */
  violations: string[];
  stop: () => Promise<void>;
}

export interface ReceiverOptions {
  /** Accepts requests and never responds. */
  isSilent?: boolean;
  status?: number;
  /** Of the responses. */
  body?: string;
}

interface Recorder extends Omit<Receiver, "port" | "stop"> {
  receive(path: string, headers: IncomingHttpHeaders, bytes: Buffer): void;
}

function recorder(): Recorder {
  const all: Recorder = {
    spans: [],
    metrics: [],
    exports: [],
    violations: [],
    receive(path, headers, bytes) {
      all.exports.push({ path, headers });
      try {
        if (path.endsWith("/traces") || path.endsWith("TraceService/Export"))
          all.spans.push(...readSpans(decode("TraceRequest", bytes)));
        else if (path.endsWith("/metrics"))
          all.metrics.push(
            checkJson("MetricsRequest", JSON.parse(bytes.toString())) as MetricsMessage,
          );
        else throw new Error(`unknown path ${path}`);
      } catch (error) {
        all.violations.push(String(error));
      }
    },
  };
  return all;
}

/** Starts a receiver of OTLP over HTTP. Its options may change later. */
export async function startHttpReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const all = recorder();
  const { port, stop } = await startProvider(
    (response, { method, path, headers, bytes }) => {
      const type = path.endsWith("/metrics") ? "application/json" : "application/x-protobuf";
      if (method !== "POST") all.violations.push(`method ${method}`);
      if (headers["content-type"] !== type)
        all.violations.push(`content-type ${String(headers["content-type"])}`);
      all.receive(path, headers, bytes);
      const { isSilent = false, status = 200, body } = options;
      if (!isSilent) response.writeHead(status, { "content-type": type }).end(body);
    },
    { keepsRequests: false },
  );
  return { ...all, port, stop };
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
  const sockets = new Set<Socket>();
  (server as Server).on("connection", (socket) => sockets.add(socket));
  const { port, stop } = await listen(server, () => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
  });
  return { ...all, port, stop };
}

async function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
