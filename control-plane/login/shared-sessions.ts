// The sessions that gateways with the same Redis have ended: a gateway writes what it ends, and reads four times a second whether others
// have. Each gateway has all of them, so what Redis has lost is written again by any of them.
import { randomUUID } from "node:crypto";
import { type EndedSessions, MAX_ENDED } from "../observability/sign-in/page-session.ts";
import {
  type Exchange,
  PolledRedis,
  type PolledRedisOptions,
} from "../spend/redis/polled-redis.ts";

/** Sessions of a request to Redis. */
const BATCH = 500;

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
export type SharedKind = Pick<Exchange, "place" | "what" | "withoutRedis">;

export interface SharedSessionsOptions extends PolledRedisOptions {
  kind: SharedKind;
  ended: EndedSessions;
}

export class SharedSessions {
  readonly #ended: EndedSessions;
  readonly #redis: PolledRedis;
  /** Of Redis when it had the same sessions as this gateway; undefined: they have to be compared. */
  #state: string | undefined;

  constructor({ kind, ended, ...options }: SharedSessionsOptions) {
    this.#ended = ended;
    this.#redis = new PolledRedis(options, { ...kind, run: () => this.#exchange() });
  }

  /** Connects, and reads what there is. Resolves when that is done, or Redis does not respond. */
  start(): Promise<void> {
    return this.#redis.start();
  }

  /** Why they are not shared, as a sentence; undefined if they are. */
  get problem(): string | undefined {
    return this.#redis.problem;
  }

  /** Writes what was ended here. Resolves when Redis has it, or does not respond: then it is written later. */
  async write(): Promise<void> {
    this.#state = undefined;
    // One that runs may have read what was there before.
    await this.#redis.idle();
    await this.#redis.sync();
  }

  close(): Promise<void> {
    return this.#redis.close();
  }

  async #exchange(): Promise<void> {
    try {
      await this.#compare();
    } catch (error) {
      this.#state = undefined;
      throw error;
    }
  }

  async #compare(): Promise<void> {
    const redis = this.#redis;
    const state = String(await redis.ask(["GET", redis.name("state")]));
    if (state === this.#state) return;
    const now = Date.now() / 1000;
    const found = scoresOf(
      await redis.ask(["ZRANGE", redis.name("ended"), "0", "-1", "WITHSCORES"]),
    );
    const known = new Map(found);
    // Keeps what Redis would keep of both, so what is missing there stays there.
    this.#ended.add(found, now);
    const missing = [...this.#ended.all].filter(([id, end]) => end > now && !known.has(id));
    for (let at = 0; at < missing.length; at += BATCH)
      await this.#send(missing.slice(at, at + BATCH), now);
    // Others may have written meanwhile: then the next time finds another state.
    this.#state = missing.length === 0 ? state : undefined;
  }

  #send(ends: readonly (readonly [id: string, expires: number])[], now: number): Promise<unknown> {
    return this.#redis.ask([
      ...["EVAL", WRITE, "2", this.#redis.name("ended"), this.#redis.name("state"), randomUUID()],
      ...[String(now), String(MAX_ENDED)],
      ...ends.flatMap(([id, expires]) => [String(expires), id]),
    ]);
  }
}

/** Returns the members of a sorted set with their scores: a list in one version of the protocol, pairs in the other. */
function scoresOf(response: unknown): [id: string, score: number][] {
  const flat = (response as unknown[]).flat() as (string | number)[];
  return flat.flatMap((id, at): [string, number][] =>
    at % 2 === 0 ? [[String(id), Number(flat[at + 1])]] : [],
  );
}
