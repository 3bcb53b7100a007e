// What several gateways exchange by Redis: the connection, an exchange four times a second, one at a time, and why it fails.
import type { Redis } from "../../../model/model.ts";
import { connectRedis, type RedisConnection, redisProblem } from "./redis-connection.ts";
import { redisUrl } from "./url.ts";

const POLL_MS = 250;
const CONNECT_MS = 2_000;
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

/** How a gateway reaches Redis, and whom it reports to. */
export interface PolledRedisOptions {
  settings: Redis;
  environment: Readonly<Record<string, string | undefined>>;
  /** Certificate authorities in PEM; absent: those of Node. */
  authorities?: string | undefined;
  report: (line: string, level?: "warning") => void;
  /** Called when `problem` has changed. */
  onProblem: () => void;
  /** Connects to Redis; given by tests. */
  connect?: typeof connectRedis;
}

/** What is exchanged. */
export interface Exchange {
  /** Between the prefix and the names of the values. */
  place: string;
  /** For reports: `Logouts`. */
  what: string;
  /** What becomes of it without Redis. */
  withoutRedis: string;
  /** Reads what is new, and writes what Redis does not have. */
  run: () => Promise<void>;
}

export class PolledRedis {
  readonly #options: PolledRedisOptions;
  readonly #exchange: Exchange;
  #redis: RedisConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: PolledRedisOptions, exchange: Exchange) {
    this.#options = options;
    this.#exchange = exchange;
  }

  /** Connects, and makes the first exchange. Resolves when that is done, or Redis does not respond. */
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

  /** Why nothing is exchanged, as a sentence; undefined if it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get isConnected(): boolean {
    return this.#redis !== undefined && this.#redis.problem() === undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Makes an exchange, unless one runs. Resolves when it is over, or has failed. */
  sync(): Promise<void> {
    this.#work ??= this.#sync().finally(() => (this.#work = undefined));
    return this.#work;
  }

  /** Resolves when the exchange that runs is over. */
  async idle(): Promise<void> {
    await this.#work;
  }

  ask(words: readonly string[]): Promise<unknown> {
    if (this.#redis === undefined) return Promise.reject(new Error("there is no connection"));
    return this.#redis.send(words);
  }

  /** Returns the name of a value in Redis. */
  name(value: string): string {
    return `${this.#options.settings.prefix}:${this.#exchange.place}:${value}`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#redis?.close();
    await this.#work;
  }

  async #sync(): Promise<void> {
    const { run, what, withoutRedis } = this.#exchange;
    try {
      await run();
      this.#setProblem(undefined);
    } catch (error) {
      if (this.#isClosed) return;
      const consequence =
        this.#options.settings.onFailure === "deny"
          ? "the gateway is not ready until it responds"
          : withoutRedis;
      this.#setProblem(
        `${what} are not shared, because Redis cannot be used (${redisProblem(error)}): ${consequence}.`,
      );
    }
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    const before = this.#problem;
    this.#problem = problem;
    const what = this.#exchange.what.toLowerCase();
    if (problem === undefined) this.#options.report(`Redis can be used again; ${what} are shared.`);
    else if (before === undefined) this.#options.report(problem, "warning");
    this.#options.onProblem();
  }
}
