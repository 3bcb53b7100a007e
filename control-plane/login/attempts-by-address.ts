// Limits how often an address may try something in a time.
import { isIPv6 } from "node:net";

const MINUTE_S = 60;
/** Addresses that are counted by themselves; further ones share a count. */
const MAX_ADDRESSES = 10_000;
const OTHERS = "";

export class Attempts {
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  readonly #now: () => number;
  readonly #seconds: number;
  #window = 0;

  /** @param most attempts of an address in the time @param now seconds since 1970 @param seconds the time */
  constructor(most: number, now: () => number, seconds = MINUTE_S) {
    this.#most = most;
    this.#now = now;
    this.#seconds = seconds;
  }

  /** Whether the address has used up its attempts of this time. */
  isExhausted(address = OTHERS): boolean {
    return (this.#current().get(this.#keyOf(address)) ?? 0) >= this.#most;
  }

  count(address = OTHERS): void {
    const counts = this.#current();
    const key = this.#keyOf(address);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  #keyOf(address: string): string {
    const network = networkOf(address);
    const isKnown = this.#counts.has(network) || this.#counts.size < MAX_ADDRESSES;
    return isKnown ? network : OTHERS;
  }

  #current(): Map<string, number> {
    const window = Math.floor(this.#now() / this.#seconds);
    if (window !== this.#window) this.#counts.clear();
    this.#window = window;
    return this.#counts;
  }
}

/** Returns the address, or of IPv6 the network of 64 bits, all of which one client may have. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [start = [], end = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - start.length - end.length)).fill("0");
  const network = [...start, ...zeros, ...end].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
