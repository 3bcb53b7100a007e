// HTTP on unix sockets: how the parts of a gateway talk to each other, so that nobody else on the machine can.
import { chmodSync, rmSync } from "node:fs";
import { type IncomingMessage, request, type Server } from "node:http";
import { Readable } from "node:stream";

/** Mode of a socket that its owner alone can open. */
export const OWNER_ONLY = 0o600;

/**
 * Listens at `path`, in a directory that is the user's alone (`takeState`). A file that a killed process left there is
 * replaced. Rejects with the system's error.
 */
export function listenAt(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      chmodSync(path, OWNER_ONLY);
      resolve();
    });
  });
}

/** Ends a server with all its connections; its socket's file goes too. */
export function closeNow(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

export interface SocketRequest {
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

/** As `fetch`, which cannot connect to a socket. The host of `url` becomes the request's host, and is not connected to. */
export function fetchAt(
  socketPath: string,
  url: string,
  { body, signal, ...options }: SocketRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, signal, socketPath, agent: false }, (incoming) => {
      try {
        resolve(responseOf(incoming));
      } catch (error) {
        incoming.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    outgoing.on("error", () => {
      reject(signal.aborted ? (signal.reason as Error) : new Error("the socket does not answer"));
    });
    outgoing.end(body);
  });
}

/** Statuses whose replies have no body, which a Response insists on. */
const BODILESS = [204, 205, 304];

/** Throws a RangeError where the status is none that a Response can have. */
function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 502, headersDistinct } = incoming;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (!BODILESS.includes(status)) {
    const stream = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
    return new Response(stream, { status, headers });
  }
  incoming.resume();
  return new Response(null, { status, headers });
}
