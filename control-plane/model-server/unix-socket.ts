// HTTP on unix sockets: the parts of a gateway communicate by them, so that no other user of the machine can connect.
import { chmodSync, rmSync } from "node:fs";
import { type IncomingMessage, request, type Server } from "node:http";
import { Readable } from "node:stream";

/** Mode of a socket that only its owner can open. */
const OWNER_ONLY = 0o600;

/**
 * Listens at `path`, in a directory that only the user can access (`takeState`). A file left by a killed process is
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

/** Closes a server with all its connections; its socket's file is removed too. */
export function closeNow(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

export interface SocketRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

/**
 * Sends a request like `fetch`, which cannot connect to a socket. The host of `url` becomes the request's host; no
 * connection to it is made.
 */
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

/** Statuses whose responses have no body, as the constructor of Response requires. */
const BODILESS = [204, 205, 304];

/** Returns the Response. Throws a RangeError if Response does not support the status. */
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
