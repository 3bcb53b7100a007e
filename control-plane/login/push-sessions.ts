// The sessions that have ended, for one Envoy: all of them when it starts, then each as it ends.
import { SESSIONS_KNOWN } from "../../contract/key-format.ts";
import { partsOf, pushKeys } from "../keys/push-keys.ts";
import { untilDone } from "../spend/push-to-envoy.ts";

/** Between two attempts at an Envoy that is starting, and at one that has responded before. */
const START_RETRY_MS = 20;
const RETRY_MS = 500;
/** Bytes of a row with its id. */
const ROW_BYTES = 64;

export interface EnvoySessionsOptions {
  /** Returns the ids of all that have ended. */
  all: () => Iterable<string>;
  /** Sends ids to Envoy. @param isAll whether they are all that there are */
  send: (ids: readonly string[], isAll: boolean) => Promise<void>;
  /** For reports: `ended logins`. */
  what: string;
  report: (line: string, level?: "warning") => void;
}

export class EnvoySessions {
  readonly #options: EnvoySessionsOptions;
  readonly #abort = new AbortController();
  /** What Envoy does not have yet. */
  #waiting: string[] = [];
  #isStarted = false;
  #work: Promise<void> | undefined;

  constructor(options: EnvoySessionsOptions) {
    this.#options = options;
  }

  /** Resolves when Envoy has had all, these too, or is no longer used. */
  push(ids: readonly string[] = []): Promise<void> {
    this.#waiting.push(...ids);
    this.#work ??= this.#run().finally(() => (this.#work = undefined));
    return this.#work;
  }

  close(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const retryMs = () => (this.#isStarted ? RETRY_MS : START_RETRY_MS);
    const { report, what } = this.#options;
    while ((this.#waiting.length > 0 || !this.#isStarted) && !signal.aborted)
      await untilDone(() => this.#send(), { signal, retryMs, what, report });
  }

  async #send(): Promise<void> {
    const { length } = this.#waiting;
    const { all, send } = this.#options;
    await send(this.#isStarted ? this.#waiting.slice(0, length) : [...all()], !this.#isStarted);
    this.#waiting.splice(0, length);
    this.#isStarted = true;
  }
}

/**
 * Returns how sessions of the login are sent: Envoy verifies tokens by itself, so without them a token would be valid until it
 * expires.
 */
export function loginsTo(socket: string): EnvoySessionsOptions["send"] {
  return async (ids, isAll) => {
    // The last one, so that none is missing when tokens are accepted.
    const rows = (isAll ? [...ids, SESSIONS_KNOWN] : ids).map((id) => [id, {}, ROW_BYTES] as const);
    for (const sessions of partsOf<Record<string, never>>(rows))
      await pushKeys(socket, { sessions });
  };
}
