// Limits how often an address may try something in a minute.
const WINDOW_S = 60;
/** Addresses that are counted by themselves; further ones share a count. */
const MAX_ADDRESSES = 10_000;
const OTHERS = "";

export class Attempts {
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  readonly #now: () => number;
  #window = 0;

  /** @param most attempts of an address in a minute @param now seconds since 1970 */
  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Whether the address has used up its attempts of this minute. */
  isExhausted(address = OTHERS): boolean {
    return (this.#current().get(this.#keyOf(address)) ?? 0) >= this.#most;
  }

  count(address = OTHERS): void {
    const counts = this.#current();
    const key = this.#keyOf(address);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  #keyOf(address: string): string {
    const isKnown = this.#counts.has(address) || this.#counts.size < MAX_ADDRESSES;
    return isKnown ? address : OTHERS;
  }

  #current(): Map<string, number> {
    const window = Math.floor(this.#now() / WINDOW_S);
    if (window !== this.#window) this.#counts.clear();
    this.#window = window;
    return this.#counts;
  }
}
