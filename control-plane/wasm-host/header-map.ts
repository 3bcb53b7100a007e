// A header map with Envoy's rules: lower-case names, pseudo headers first, one entry for the well-known ones.

export type HeaderPair = readonly [name: string, value: string];

/**
 * Headers that Envoy keeps in a slot of their own: adding one that is there appends to its value with a comma.
 * All others are kept as separate entries.
 */
const SINGLE_ENTRY = new Set(
  `:authority :method :path :scheme :status :protocol content-length content-type connection
   transfer-encoding upgrade via user-agent te expect forwarded keep-alive proxy-connection
   x-request-id x-forwarded-for x-forwarded-proto x-forwarded-host x-envoy-original-path
   date server location authorization`.split(/\s+/),
);

/** What a header's value must never hold: it would let a value start a header or a message of its own. */
const FORBIDDEN_VALUE = /[\0\r\n]/;

export class HeaderMap {
  #entries: [string, string][] = [];
  /** Things that Envoy would have refused or that would have broken the wire; the exchange reports them. */
  readonly faults: string[] = [];

  static of(pairs: Iterable<HeaderPair>): HeaderMap {
    const map = new HeaderMap();
    for (const [name, value] of pairs) map.add(name, value);
    return map;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Sum of the lengths of all names and values. */
  get byteSize(): number {
    return this.#entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  }

  /** The first value of that name, as Envoy answers `proxy_get_header_map_value`. */
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

  /** One entry with that value: every other entry of that name is gone. */
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

  removeWhere(test: (name: string) => boolean): void {
    this.#entries = this.#entries.filter((entry) => !test(entry[0]));
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

/** Envoy keeps the legacy `host` as `:authority`. */
function canonical(name: string): string {
  const key = name.toLowerCase();
  return key === "host" ? ":authority" : key;
}
