// The data that all workers of an Envoy share (proxy_get_shared_data, proxy_set_shared_data).

export class SharedData {
  readonly #values = new Map<string, { bytes: Uint8Array; version: number }>();
  #lastVersion = 0;
  /** Called behind every read: what another worker does before this one can write. */
  afterGet: ((key: string) => void) | undefined;

  get size(): number {
    return this.#values.size;
  }

  get(key: string): { bytes: Uint8Array; version: number } | undefined {
    const found = this.#values.get(key);
    this.afterGet?.(key);
    return found;
  }

  /** False when the value is no longer of that version. Version 0 sets it whatever it was, as Envoy does. */
  set(key: string, bytes: Uint8Array, version: number): boolean {
    const found = this.#values.get(key);
    if (found !== undefined && version !== 0 && version !== found.version) return false;
    this.#values.set(key, { bytes: bytes.slice(), version: ++this.#lastVersion });
    return true;
  }
}
