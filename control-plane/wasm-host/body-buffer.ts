// The body of an in-flight message, with the operations of Envoy's buffers that a filter can call.
import { Result } from "./wasm-abi.ts";

const EMPTY = new Uint8Array(0);

export class BodyBuffer {
  #bytes: Uint8Array = EMPTY;
  #start = 0;
  #end = 0;

  constructor(bytes: Uint8Array = EMPTY) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  get size(): number {
    return this.#end - this.#start;
  }

  /** Returns a view, valid until the buffer changes. */
  view(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Returns a copy of all bytes, and empties the buffer. */
  take(): Uint8Array {
    const bytes = this.view().slice();
    this.#bytes = EMPTY;
    this.#start = 0;
    this.#end = 0;
    return bytes;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const size = this.size;
    if (this.#end + bytes.length > this.#bytes.length || this.#bytes === EMPTY) {
      const grown = new Uint8Array(Math.max(64, (size + bytes.length) * 2));
      grown.set(this.view());
      this.#bytes = grown;
      this.#start = 0;
      this.#end = size;
    }
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  drain(length: number): void {
    this.#start += Math.min(length, this.size);
  }

  prepend(bytes: Uint8Array): void {
    const joined = new Uint8Array(bytes.length + this.size);
    joined.set(bytes);
    joined.set(this.view(), bytes.length);
    this.#bytes = joined;
    this.#start = 0;
    this.#end = joined.length;
  }

  /**
   * Implements `proxy_set_buffer_bytes` and returns a `Result`: start 0 removes `length` bytes and prepends, a start at
   * or after the end appends, any other start is rejected.
   */
  set(start: number, length: number, bytes: Uint8Array): number {
    if (start === 0) {
      this.drain(length);
      this.prepend(bytes);
      return Result.ok;
    }
    if (start < this.size) return Result.badArgument;
    this.append(bytes);
    return Result.ok;
  }
}
