// Keeps one access token fresh: requests it at half of its lifetime, and again after a failure. While a new one cannot be
// had, the old one stays until it expires.
import { withoutSecrets } from "../report/secrets.ts";

export interface MintedToken {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Requests a token. Rejects with the reason. */
export type Mint = () => Promise<MintedToken>;

export interface TokenState {
  /** Milliseconds since 1970; absent: there is no valid token. */
  validUntil?: number;
  /** Why the last request for one failed; absent after a success. */
  lastError?: string;
}

export interface RefresherEvents {
  /** Receives the token; empty if there is no valid one any more. */
  write: (token: string) => void;
  /** The state has changed. */
  onChange: (state: TokenState) => void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The longest timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Refresher {
  readonly #mint: Mint;
  readonly #events: RefresherEvents;
  #state: TokenState = {};
  #failures = 0;
  #refresh: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Resolves when the first request has ended, whatever its outcome. */
  readonly hasTried: Promise<void>;

  constructor(mint: Mint, events: RefresherEvents) {
    this.#mint = mint;
    this.#events = events;
    this.hasTried = this.#request();
  }

  get state(): TokenState {
    return this.#state;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#refresh);
    clearTimeout(this.#expiry);
  }

  async #request(): Promise<void> {
    try {
      const { token, expiresAt } = await this.#mint();
      if (this.#isStopped) return;
      this.#events.write(token);
      this.#failures = 0;
      this.#become({ validUntil: expiresAt });
      const rest = expiresAt - Date.now();
      // Half of the lifetime, so that an identity provider may fail for as long.
      this.#plan(rest / 2);
      clearTimeout(this.#expiry);
      this.#expiry = timer(rest, () => {
        this.#expire();
      });
    } catch (error) {
      if (this.#isStopped) return;
      this.#plan(Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS));
      this.#failures += 1;
      this.#become({ ...this.#state, lastError: reasonOf(error) });
    }
  }

  #plan(pauseMs: number): void {
    this.#refresh = timer(Math.max(pauseMs, FIRST_PAUSE_MS), () => void this.#request());
  }

  /** The provider would reject it, as if the client's key were wrong. */
  #expire(): void {
    this.#events.write("");
    const { lastError } = this.#state;
    this.#become(lastError === undefined ? {} : { lastError });
  }

  #become(state: TokenState): void {
    this.#state = state;
    this.#events.onChange(state);
  }
}

function timer(pauseMs: number, work: () => void): NodeJS.Timeout {
  return setTimeout(work, Math.min(Math.max(pauseMs, 0), MAX_TIMER_MS)).unref();
}

const MAX_REASON = 300;

/** Returns one line without what could be a secret. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = withoutSecrets(text.replaceAll(/\s+/g, " ").trim());
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}
