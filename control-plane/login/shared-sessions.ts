// The sessions that gateways with the same Redis have ended: a gateway writes what it ends, and reads four times a second whether others
// have. Each gateway has all of them, so what Redis has lost is written again by any of them.
import { randomUUID } from "node:crypto";
import { type EndedSessions, MAX_ENDED } from "../observability/sign-in/page-session.ts";
import {
  connectRedis,
  type RedisConnection,
  redisProblem,
} from "../spend/redis/redis-connection.ts";
import { redisUrl } from "../spend/redis/url.ts";
import type { Redis } from "../../model/model.ts";

const POLL_MS = 250;
const CONNECT_MS = 2_000;
/** Sessions of a request to Redis, and bytes of a response: all of them have about a megabyte. */
const BATCH = 500;
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

/** KEYS: sessions, state. ARGV: the next state, the time in seconds, how many are kept, then when each expires and its id. */
const WRITE = `
local isNew = false
for at = 4, #ARGV, 2 do
  if redis.call("ZADD", KEYS[1], "NX", ARGV[at], ARGV[at + 1]) == 1 then isNew = true end
end
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", ARGV[2])
redis.call("ZREMRANGEBYRANK", KEYS[1], 0, -1 - ARGV[3])
if isNew then redis.call("SET", KEYS[2], ARGV[1]) end
return redis.call("GET", KEYS[2])`;

/** Which sessions: their place in Redis, and words for reports. */
export interface SharedKind {
  place: string;
  /** `Logouts`. */
  what: string;
  /** What becomes of them without Redis. */
  withoutRedis: string;
}

export interface SharedSessionsOptions {
  kind: SharedKind;
  settings: Redis;
  environment: Readonly<Record<string, string | undefined>>;
  /** Certificate authorities in PEM; absent: those of Node. */
  authorities?: string | undefined;
  ended: EndedSessions;
  report: (line: string, level?: "warning") => void;
  /** Called when `problem` has changed. */
  onProblem: () => void;
  /** Connects to Redis; given by tests. */
  connect?: typeof connectRedis;
}

export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  #redis: RedisConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  /** Of Redis when it had the same sessions as this gateway; undefined: they have to be compared. */
  #state: string | undefined;
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
  }

  /** Connects, and reads what there is. Resolves when that is done, or Redis does not respond. */
  async start(): Promise<void> {
    const { settings, environment, authorities, connect = connectRedis } = this.#options;
    const url = redisUrl(settings, environment);
    // The configuration has been checked: it has one.
    if (url === undefined) return;
    const ready = Promise.withResolvers<undefined>();
    const resolve = () => {
      ready.resolve(undefined);
    };
    this.#redis = await connect({
      url,
      ...(authorities === undefined ? {} : { authorities }),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      onReady: resolve,
    });
    const timer = setTimeout(resolve, CONNECT_MS);
    await ready.promise;
    clearTimeout(timer);
    await this.sync();
    if (this.#isClosed) return;
    this.#timer = setInterval(() => void this.sync(), POLL_MS).unref();
  }

  /** Why they are not shared, as a sentence; undefined if they are. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Writes what was ended here. Resolves when Redis has it, or does not respond: then it is written later. */
  async write(): Promise<void> {
    this.#state = undefined;
    // One that runs may have read what was there before.
    await this.#work;
    await this.sync();
  }

  /** Exchanges what is new with Redis. One at a time. */
  sync(): Promise<void> {
    this.#work ??= this.#sync().finally(() => (this.#work = undefined));
    return this.#work;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#redis?.close();
    await this.#work;
  }

  async #sync(): Promise<void> {
    const { ended, settings } = this.#options;
    try {
      const state = String(await this.#ask(["GET", this.#name("state")]));
      if (state === this.#state) return;
      const now = Date.now() / 1000;
      const found = scoresOf(
        await this.#ask(["ZRANGE", this.#name("ended"), "0", "-1", "WITHSCORES"]),
      );
      const known = new Map(found);
      // Keeps what Redis would keep of both, so what is missing there stays there.
      ended.add(found, now);
      const missing = [...ended.all].filter(([id, end]) => end > now && !known.has(id));
      for (let at = 0; at < missing.length; at += BATCH)
        await this.#send(missing.slice(at, at + BATCH), now);
      // Others may have written meanwhile: then the next time finds another state.
      this.#state = missing.length === 0 ? state : undefined;
      this.#setProblem(undefined);
    } catch (error) {
      if (this.#isClosed) return;
      this.#state = undefined;
      const { what, withoutRedis } = this.#options.kind;
      const consequence =
        settings.onFailure === "deny" ? "the gateway is not ready until it responds" : withoutRedis;
      this.#setProblem(
        `${what} are not shared, because Redis cannot be used (${redisProblem(error)}): ${consequence}.`,
      );
    }
  }

  #send(ends: readonly (readonly [id: string, expires: number])[], now: number): Promise<unknown> {
    return this.#ask([
      ...["EVAL", WRITE, "2", this.#name("ended"), this.#name("state"), randomUUID()],
      ...[String(now), String(MAX_ENDED)],
      ...ends.flatMap(([id, expires]) => [String(expires), id]),
    ]);
  }

  #ask(words: readonly string[]): Promise<unknown> {
    if (this.#redis === undefined) return Promise.reject(new Error("there is no connection"));
    return this.#redis.send(words);
  }

  #name(what: string): string {
    const { settings, kind } = this.#options;
    return `${settings.prefix}:${kind.place}:${what}`;
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    const before = this.#problem;
    this.#problem = problem;
    const what = this.#options.kind.what.toLowerCase();
    if (problem === undefined) this.#options.report(`Redis can be used again; ${what} are shared.`);
    else if (before === undefined) this.#options.report(problem, "warning");
    this.#options.onProblem();
  }
}

/** Returns the members of a sorted set with their scores: a list in one version of the protocol, pairs in the other. */
function scoresOf(response: unknown): [id: string, score: number][] {
  const flat = (response as unknown[]).flat() as (string | number)[];
  return flat.flatMap((id, at): [string, number][] =>
    at % 2 === 0 ? [[String(id), Number(flat[at + 1])]] : [],
  );
}
