// The sessions of the login that have ended, for one Envoy: all of them when it starts, then each as it ends. Envoy verifies tokens by
// itself, so without them a token would be valid until it expires.
import { SESSIONS_KNOWN } from "../../contract/key-format.ts";
import { partsOf, pushKeys } from "../keys/push-keys.ts";
import { untilDone } from "../spend/push-to-envoy.ts";

/** Between two attempts at an Envoy that is starting, and at one that has responded before. */
const START_RETRY_MS = 20;
const RETRY_MS = 500;
/** Bytes of a row with its id. */
const ROW_BYTES = 64;

export interface EnvoySessionsOptions {
  socket: string;
  /** Returns the ids of all that have ended. */
  all: () => Iterable<string>;
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
    const { report } = this.#options;
    while ((this.#waiting.length > 0 || !this.#isStarted) && !signal.aborted)
      await untilDone(() => this.#send(), { signal, retryMs, what: "ended logins", report });
  }

  async #send(): Promise<void> {
    const { length } = this.#waiting;
    // The last one, so that none is missing when tokens are accepted.
    const ids = this.#isStarted
      ? this.#waiting.slice(0, length)
      : [...this.#options.all(), SESSIONS_KNOWN];
    const rows = ids.map((id) => [id, {}, ROW_BYTES] as const);
    for (const sessions of partsOf<Record<string, never>>(rows))
      await pushKeys(this.#options.socket, { sessions });
    this.#waiting.splice(0, length);
    this.#isStarted = true;
  }
}
