// What the running Envoy has to get after a change: not before it runs, and again later if Envoy does not accept it.

export interface Pauses {
  /** Between two attempts. Milliseconds. */
  firstMs: number;
  /** The pause doubles up to this. */
  maxMs: number;
}

export class Publication {
  readonly #pauses: Pauses;
  /** Undefined before Envoy runs, and after `stop`. */
  #publish: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pauses: Pauses) {
    this.#pauses = pauses;
  }

  /** Publishes what is new now; before `start`, nothing. */
  request(): void {
    void this.#attempt(this.#pauses.firstMs);
  }

  /**
   * Publishes what has changed until now, and each later change.
   * @param publish rejects if it has to be called again later
   */
  start(publish: () => Promise<void>): void {
    this.#publish = publish;
    this.request();
  }

  stop(): void {
    this.#publish = undefined;
    clearTimeout(this.#timer);
  }

  async #attempt(pauseMs: number): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#publish?.();
    } catch {
      if (this.#publish === undefined) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        void this.#attempt(Math.min(2 * pauseMs, this.#pauses.maxMs));
      }, pauseMs).unref();
    }
  }
}
