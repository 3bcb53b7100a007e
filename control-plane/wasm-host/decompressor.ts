// Envoy's `decompressor` filters on a response: they sit between the router and the filter in the listener.
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import { DECOMPRESSOR } from "../../contract/words.ts";
import { HeaderMap } from "./header-map.ts";

const DECODERS: Record<string, (bytes: Uint8Array) => Buffer> = {
  gzip: (bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
  br: (bytes) => brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

export class Decompressor {
  readonly #decode: (bytes: Uint8Array) => Buffer;
  #compressed = Buffer.alloc(0);
  #made = 0;

  private constructor(decode: (bytes: Uint8Array) => Buffer) {
    this.#decode = decode;
  }

  /** Returns the decompressor for a response with these headers, and changes the headers as Envoy does. */
  static for(headers: HeaderMap): Decompressor | undefined {
    const decode = DECODERS[headers.get("content-encoding") ?? ""];
    if (decode === undefined) return undefined;
    headers.remove("content-length");
    headers.remove("content-encoding");
    return new Decompressor(decode);
  }

  /** Returns the bytes that can be decompressed now. Corrupt data is no error: from there on the result is empty. */
  push(bytes: Uint8Array): Uint8Array {
    this.#compressed = Buffer.concat([this.#compressed, bytes]);
    let all: Buffer;
    try {
      all = this.#decode(this.#compressed);
    } catch {
      return new Uint8Array(0);
    }
    const made = all.subarray(this.#made);
    this.#made = all.length;
    return made;
  }

  /** Returns the trailers that it adds in the same call as the last bytes. */
  trailers(): HeaderMap {
    const name = `x-envoy-decompressor-${DECOMPRESSOR}`;
    return HeaderMap.of([
      [`${name}-compressed-bytes`, String(this.#compressed.length)],
      [`${name}-uncompressed-bytes`, String(this.#made)],
    ]);
  }
}
