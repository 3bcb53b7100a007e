// What all workers of an Envoy share: data (proxy_get_shared_data, proxy_set_shared_data) and metrics.

export interface Metric {
  id: number;
  kind: number;
  value: bigint;
}

export class SharedData {
  readonly #values = new Map<string, { bytes: Uint8Array; version: number }>();
  /** Current values of counters and gauges, by name. */
  readonly metrics = new Map<string, Metric>();
  #lastVersion = 0;
  /** Called after every read: simulates a write of a second worker before this one can write. */
  afterGet: ((key: string) => void) | undefined;

  get size(): number {
    return this.#values.size;
  }

  get(key: string): { bytes: Uint8Array; version: number } | undefined {
    const found = this.#values.get(key);
    this.afterGet?.(key);
    return found;
  }

  /** Returns false if the value no longer has that version. Version 0 sets it unconditionally, as in Envoy. */
  set(key: string, bytes: Uint8Array, version: number): boolean {
    const found = this.#values.get(key);
    if (found !== undefined && version !== 0 && version !== found.version) return false;
    this.#values.set(key, { bytes: bytes.slice(), version: ++this.#lastVersion });
    return true;
  }
}
