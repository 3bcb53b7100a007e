// The connection to a Redis server: it comes back by itself, and a command that gets no response in time fails. While a command
// waits longer than that nothing more is sent, so that a dead connection becomes idle, is closed, and is replaced.
import { setTimeout as sleep } from "node:timers/promises";
import { BoundedSockets } from "./bounded-sockets.ts";

const CONNECT_MS = 2_000;
const COMMAND_MS = 2_000;
/** An idle connection is closed, unless it responds to pings. */
const IDLE_MS = 5_000;
const PING_MS = 2_000;
const NO_RESPONSE = "it does not respond";
/** Of a response: the largest is that to a request for a grant, with a number for each gateway. */
const MAX_RESPONSE_BYTES = 2 ** 20;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user and password; never reported. */
  url: string;
  /** Certificate authorities in PEM; absent: those of Node. */
  authorities?: string;
  /** The connection is closed if a response is larger. */
  maxResponseBytes?: number;
  /** Called whenever a connection is ready. */
  onReady: () => void;
}

export interface RedisConnection {
  /** Sends a command. Rejects if there is no connection, or no response in time. */
  send: (words: readonly string[]) => Promise<unknown>;
  /** Returns why there is no connection, without anything of the URL; undefined while there is one. */
  problem: () => string | undefined;
  close: () => void;
}

/** Starts to connect. */
export async function connectRedis(options: RedisOptions): Promise<RedisConnection> {
  const { url, authorities, maxResponseBytes = MAX_RESPONSE_BYTES, onReady } = options;
  const { createClient, SocketTimeoutError } = await import("@redis/client");
  let problem: string | undefined = "it has not responded yet";
  /** Commands without a response in time. */
  let late = 0;
  const client = createClient({
    url,
    // What would be sent later is out of date.
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      reconnectStrategy: (retries) => Math.min(FIRST_PAUSE_MS * 2 ** retries, MAX_PAUSE_MS),
      ...(authorities === undefined || !url.startsWith("rediss:")
        ? {}
        : { tls: true, ca: authorities }),
    },
  });
  client.on("error", (error: unknown) => {
    problem = error instanceof SocketTimeoutError ? NO_RESPONSE : redisProblem(error);
  });
  client.on("ready", () => {
    problem = undefined;
    onReady();
  });
  const sockets = new BoundedSockets(maxResponseBytes);
  client.on("ping-interval", () => {
    sockets.reset();
  });
  // It goes on trying; each failure is an event.
  sockets
    .run(() => client.connect())
    .catch((error: unknown) => {
      problem = redisProblem(error);
    });
  return {
    async send(words) {
      if (!client.isReady) throw new Error(problem ?? "there is no connection");
      if (late > 0) throw new Error(NO_RESPONSE);
      const responded = new AbortController();
      const response = client.sendCommand([...words]);
      const settle = () => {
        sockets.reset();
      };
      response.then(settle, settle);
      try {
        return await Promise.race([
          response,
          sleep(COMMAND_MS, undefined, { signal: responded.signal, ref: false }).then(() => {
            late += 1;
            const end = () => (late -= 1);
            response.then(end, end);
            throw new Error(NO_RESPONSE);
          }),
        ]);
      } finally {
        responded.abort();
      }
    },
    problem() {
      if (!client.isReady) return problem;
      return late > 0 ? NO_RESPONSE : undefined;
    },
    close() {
      sockets.close();
      client.destroy();
    },
  };
}

/** How Redis begins an error: NOAUTH, NOSCRIPT. */
const ERROR_WORD = /^[A-Z]{2,20}(?= |$)/;

/**
 * Returns why a command failed, in words that a client may read: a system's code, the first word of Redis's error, or what this
 * module and its library state themselves.
 */
export function redisProblem(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (code !== undefined) return code;
  if (errors?.[0] !== undefined) return redisProblem(errors[0]);
  return isErrorReply(error)
    ? (ERROR_WORD.exec(message)?.[0] ?? "it responds with an error")
    : message;
}

/** The library has a class for each form of error that Redis sends; it is imported only where gateways share. */
function isErrorReply(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = Object.getPrototypeOf(one))
    if (one.constructor.name === "ErrorReply") return true;
  return false;
}

/** Returns the names and values of a hash. */
export async function readHash(redis: RedisConnection, key: string): Promise<[string, string][]> {
  const fields = (await redis.send(["HGETALL", key])) as string[] | Record<string, string>;
  // A list in one version of the protocol, a map in the other.
  if (!Array.isArray(fields)) return Object.entries(fields);
  return fields
    .flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? ""] as const] : []))
    .map(([name, value]) => [name, value]);
}
