// The connection to a Redis server: it comes back by itself, and a command that gets no response in time fails. While a command
// waits longer than that nothing more is sent, so that a dead connection becomes idle, is closed, and is replaced.
import { setTimeout as sleep } from "node:timers/promises";

const CONNECT_MS = 2_000;
const COMMAND_MS = 2_000;
/** An idle connection is closed, unless it responds to pings. */
const IDLE_MS = 5_000;
const PING_MS = 2_000;
const NO_RESPONSE = "it does not respond";
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user and password; never reported. */
  url: string;
  /** Certificate authorities in PEM; absent: those of Node. */
  authorities?: string;
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
  const { url, authorities, onReady } = options;
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
  // It goes on trying; each failure is an event.
  client.connect().catch((error: unknown) => {
    problem = redisProblem(error);
  });
  return {
    async send(words) {
      if (!client.isReady) throw new Error(problem ?? "there is no connection");
      if (late > 0) throw new Error(NO_RESPONSE);
      const responded = new AbortController();
      const response = client.sendCommand([...words]);
      try {
        return await Promise.race([
          response,
          sleep(COMMAND_MS, undefined, { signal: responded.signal, ref: false }).then(() => {
            late += 1;
            const settle = () => (late -= 1);
            response.then(settle, settle);
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
      client.destroy();
    },
  };
}

/** Returns why a command failed: a system's code or Redis's own words, which have no credential. */
export function redisProblem(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (code !== undefined) return code;
  return errors?.[0] === undefined ? message : redisProblem(errors[0]);
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
