// Sends events to a webhook, signed as Standard Webhooks describes (https://www.standardwebhooks.com): in order, repeated while the
// receiver does not accept them, and never in the path of a request.
import { createHash, createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const TIMEOUT_MS = 10_000;
/** Events that wait; the oldest is dropped for a new one. */
const MAX_EVENTS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** About a day with the longest pause in between. */
const MAX_ATTEMPTS = 300;
const SECRET_PREFIX = "whsec_";

export interface WebhookTarget {
  url: string;
  /** `whsec_` and base64, or any text; absent: events are not signed. */
  secret?: string | undefined;
}

export interface WebhookEvent {
  type: string;
  /** Stands for the event: a receiver that gets it twice, also from several gateways, knows it. */
  identity: string;
  data: object;
}

export interface WebhooksOptions {
  target: () => WebhookTarget | undefined;
  report: (line: string, level?: "warning") => void;
  now?: () => number;
  /** Pause after the first failure; it doubles. */
  firstPauseMs?: number;
}

interface Waiting {
  event: WebhookEvent;
  time: number;
  onEnd: (isAccepted: boolean) => void;
}

export class Webhooks {
  readonly #options: Required<WebhooksOptions>;
  readonly #events: Waiting[] = [];
  readonly #abort = new AbortController();
  #work: Promise<void> | undefined;
  #isReported = false;

  constructor(options: WebhooksOptions) {
    this.#options = { now: Date.now, firstPauseMs: FIRST_PAUSE_MS, ...options };
  }

  /** Sends an event as soon as those before it are sent. Resolves to whether the receiver has accepted it. */
  send(event: WebhookEvent): Promise<boolean> {
    if (this.#events.length >= MAX_EVENTS) this.#events.shift()?.onEnd(false);
    const { promise, resolve: onEnd } = Promise.withResolvers<boolean>();
    this.#events.push({ event, time: this.#options.now(), onEnd });
    this.#work ??= this.#run();
    return promise;
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#work;
  }

  close(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    for (;;) {
      const [next] = this.#events;
      if (next === undefined || this.#abort.signal.aborted) {
        // In the same turn: an event that comes now starts the work again.
        this.#work = undefined;
        return;
      }
      next.onEnd(await this.#deliver(next.event, next.time));
      if (this.#events[0] === next) this.#events.shift();
    }
  }

  /** Returns whether the receiver has accepted the event. */
  async #deliver(event: WebhookEvent, time: number): Promise<boolean> {
    const { report, firstPauseMs } = this.#options;
    const { signal } = this.#abort;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !signal.aborted; attempt++) {
      const problem = await this.#post(event, time);
      if (problem === undefined) {
        if (this.#isReported) report("The webhook of alerts accepts events again.");
        this.#isReported = false;
        return true;
      }
      // A stop ended the request: nothing is wrong with the receiver.
      if (isAborted(signal)) return false;
      if (!this.#isReported)
        report(
          `The webhook of alerts does not accept events (${problem}); they are repeated.`,
          "warning",
        );
      this.#isReported = true;
      const pause = Math.min(firstPauseMs * 2 ** attempt, MAX_PAUSE_MS);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return false;
  }

  /** Returns why the receiver did not accept the event; undefined if it did, or there is none. */
  async #post({ type, identity, data }: WebhookEvent, time: number): Promise<string | undefined> {
    const target = this.#options.target();
    if (target === undefined) return undefined;
    const body = JSON.stringify({ type, timestamp: new Date(time).toISOString(), data });
    const id = `msg_${createHash("sha256").update(identity).digest("hex").slice(0, 32)}`;
    const sent = Math.floor(this.#options.now() / 1000);
    try {
      const response = await fetch(target.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": String(sent),
          ...(target.secret === undefined
            ? {}
            : { "webhook-signature": signature(target.secret, id, sent, body) }),
        },
        body,
        redirect: "error",
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#abort.signal]),
      });
      await response.body?.cancel();
      return response.ok ? undefined : `status ${String(response.status)}`;
    } catch (error) {
      const { cause, name } = error as Error & { cause?: NodeJS.ErrnoException };
      return cause?.code ?? name;
    }
  }
}

/** Returns `v1,` and the base64 of the HMAC. */
export function signature(secret: string, id: string, seconds: number, body: string): string {
  const key = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
  const text = `${id}.${String(seconds)}.${body}`;
  return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
}

/** A call, because the type checker takes the loop's condition to hold after an `await`, too. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
