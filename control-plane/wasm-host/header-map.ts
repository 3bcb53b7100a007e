// A header map with Envoy's rules: lower-case names, pseudo headers first, one entry for each well-known header.

export type HeaderPair = readonly [name: string, value: string];

/**
 * Headers for which Envoy has a fixed slot: adding one that exists appends to its value with a comma. All remaining
 * headers are kept as separate entries.
 */
const SINGLE_ENTRY = new Set(
  `:authority :method :path :scheme :status :protocol content-length content-type connection
   transfer-encoding upgrade via user-agent te expect forwarded keep-alive proxy-connection
   x-request-id x-forwarded-for x-forwarded-proto x-forwarded-host x-envoy-original-path
   date server location authorization`.split(/\s+/),
);

/** Characters that a header's value must never contain: with them a value could start a new header or message. */
const FORBIDDEN_VALUE = /[\0\r\n]/;

export class HeaderMap {
  #entries: [string, string][] = [];
  /**
   * Changes that Envoy would have rejected or that would have produced an invalid message; the exchange reports them.
   */
  readonly faults: string[] = [];

  static of(pairs: Iterable<HeaderPair>): HeaderMap {
    const map = new HeaderMap();
    for (const [name, value] of pairs) map.add(name, value);
    return map;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Returns the sum of the lengths of all names and values. */
  get byteSize(): number {
    return this.#entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  }

  /** Returns the first value with that name, as Envoy does for `proxy_get_header_map_value`. */
  get(name: string): string | undefined {
    const key = canonical(name);
    for (const entry of this.#entries) if (entry[0] === key) return entry[1];
    return undefined;
  }

  add(name: string, value: string): void {
    const key = canonical(name);
    this.#check(key, value);
    if (SINGLE_ENTRY.has(key)) {
      const present = this.#entries.find((entry) => entry[0] === key);
      if (present !== undefined) {
        present[1] = `${present[1]},${value}`;
        return;
      }
    }
    this.#insert(key, value);
  }

  /** Sets one entry with that value, and removes every other entry with that name. */
  replace(name: string, value: string): void {
    const key = canonical(name);
    this.#check(key, value);
    const slot = this.#entries.find((entry) => entry[0] === key && SINGLE_ENTRY.has(key));
    if (slot !== undefined) {
      slot[1] = value;
      return;
    }
    this.remove(key);
    this.#insert(key, value);
  }

  remove(name: string): void {
    const key = canonical(name);
    this.#entries = this.#entries.filter((entry) => entry[0] !== key);
  }

  replaceAll(pairs: Iterable<HeaderPair>): void {
    this.#entries = [];
    for (const [name, value] of pairs) this.add(name, value);
  }

  pairs(): HeaderPair[] {
    return this.#entries.map(([name, value]) => [name, value] as const);
  }

  #insert(key: string, value: string): void {
    if (!key.startsWith(":")) {
      this.#entries.push([key, value]);
      return;
    }
    const end = this.#entries.findIndex((entry) => !entry[0].startsWith(":"));
    this.#entries.splice(end === -1 ? this.#entries.length : end, 0, [key, value]);
  }

  #check(key: string, value: string): void {
    if (FORBIDDEN_VALUE.test(value))
      this.faults.push(`header ${key} got a value with a line break`);
    if (!/^:?[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) this.faults.push(`"${key}" is no header name`);
  }
}

/** Returns the name under which Envoy stores a header: the legacy `host` is `:authority`. */
function canonical(name: string): string {
  const key = name.toLowerCase();
  return key === "host" ? ":authority" : key;
}
