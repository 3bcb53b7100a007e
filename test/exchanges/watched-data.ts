// Shared data of workers, with what the filter has measured of targets (filter/balance/measurements.ts).
import { SharedData } from "../../control-plane/wasm-host/wasm-shared-data.ts";

interface Averages {
  first: number;
  perToken: number;
  tokens: number;
  cached: number;
}

export class WatchedData extends SharedData {
  readonly #lists = new Map<string, Float64Array>();

  override set(key: string, bytes: Uint8Array, version: number): boolean {
    const isSet = super.set(key, bytes, version);
    if (isSet && key.startsWith("gateway_target"))
      this.#lists.set(key, new Float64Array(bytes.slice().buffer));
    return isSet;
  }

  /** Open requests of all targets. */
  get open(): number {
    return [...this.#lists.values()].reduce((sum, list) => sum + (list[1] ?? 0), 0);
  }

  /** The averages of the only target that was measured: of complete responses, or of streams. */
  averages(isStream: boolean): Averages {
    const [list] = [...this.#lists.values()].filter((one) => (one[isStream ? 8 : 3] ?? 0) > 0);
    const [, first = 0, perToken = 0, tokens = 0, cached = 0] = list?.slice(isStream ? 8 : 3) ?? [];
    return { first, perToken, tokens, cached };
  }

  /** Bytes of all lists. */
  get bytes(): number {
    return [...this.#lists.values()].reduce((sum, list) => sum + list.byteLength, 0);
  }
}
