// Reads and writes the guest's linear memory. Every value that the host returns is in a block that the guest allocated.
import type { GuestExports } from "./wasm-abi.ts";
import type { HeaderPair } from "./header-map.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Header values are bytes. In TypeScript they are strings of one character per byte (as in Node's HTTP), so that no
 * byte is lost; names are ASCII anyway.
 */
export function bytesFromLatin1(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

export class GuestMemory {
  readonly #guest: GuestExports;
  #buffer: ArrayBuffer | undefined;
  #bytes = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));

  constructor(guest: GuestExports) {
    this.#guest = guest;
  }

  /** Returns the size of the guest's memory in bytes; it never shrinks. */
  get size(): number {
    return this.#guest.memory.buffer.byteLength;
  }

  /**
   * Returns a copy of `size` bytes. Throws RangeError outside the memory, for which Envoy returns InvalidMemoryAccess.
   */
  bytes(pointer: number, size: number): Uint8Array {
    this.#refresh();
    this.#check(pointer, size);
    return this.#bytes.slice(pointer >>> 0, (pointer >>> 0) + (size >>> 0));
  }

  text(pointer: number, size: number): string {
    this.#refresh();
    this.#check(pointer, size);
    return decoder.decode(this.#bytes.subarray(pointer >>> 0, (pointer >>> 0) + (size >>> 0)));
  }

  latin1(pointer: number, size: number): string {
    return Buffer.from(this.bytes(pointer, size)).toString("latin1");
  }

  setWord(pointer: number, value: number): void {
    this.#refresh();
    this.#check(pointer, 4);
    this.#view.setUint32(pointer >>> 0, value, true);
  }

  setBigWord(pointer: number, value: bigint): void {
    this.#refresh();
    this.#check(pointer, 8);
    this.#view.setBigUint64(pointer >>> 0, value, true);
  }

  write(pointer: number, bytes: Uint8Array): void {
    this.#refresh();
    this.#check(pointer, bytes.length);
    this.#bytes.set(bytes, pointer >>> 0);
  }

  /** Copies to a block that the guest allocates. An empty value has no block: its pointer is 0. */
  give(bytes: Uint8Array, pointerTo: number, sizeTo: number): void {
    let pointer = 0;
    if (bytes.length > 0) {
      pointer = this.#guest.proxy_on_memory_allocate(bytes.length) >>> 0;
      if (pointer === 0) throw new RangeError("the guest allocated nothing");
      this.write(pointer, bytes);
    }
    this.setWord(pointerTo, pointer);
    this.setWord(sizeTo, bytes.length);
  }

  /** Reads the binary layout of header pairs: count, then both sizes of each, then both texts of each with a NUL. */
  readPairs(pointer: number, size: number): HeaderPair[] {
    if (size === 0) return [];
    const bytes = this.bytes(pointer, size);
    const view = new DataView(bytes.buffer);
    if (size < 4) throw new RangeError("pairs are cut");
    const count = view.getUint32(0, true);
    let at = 4 + count * 8;
    const next = (length: number): string => {
      if (at + length + 1 > size) throw new RangeError("pairs are cut");
      if (bytes[at + length] !== 0) throw new RangeError("a pair's text has no NUL at its end");
      const text = Buffer.from(bytes.subarray(at, at + length)).toString("latin1");
      at += length + 1;
      return text;
    };
    const pairs: HeaderPair[] = [];
    for (let index = 0; index < count; index++) {
      const nameSize = view.getUint32(4 + index * 8, true);
      const valueSize = view.getUint32(8 + index * 8, true);
      const name = next(nameSize);
      pairs.push([name, next(valueSize)]);
    }
    return pairs;
  }

  #refresh(): void {
    const buffer = this.#guest.memory.buffer;
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  #check(pointer: number, size: number): void {
    if ((pointer >>> 0) + (size >>> 0) > this.#bytes.length)
      throw new RangeError("outside the guest's memory");
  }
}

/** Returns the binary layout of the pairs: the reverse of `readPairs`. */
export function packPairs(pairs: readonly HeaderPair[]): Uint8Array {
  if (pairs.length === 0) return new Uint8Array(0);
  const texts = pairs.map(
    ([name, value]) => [encoder.encode(name), bytesFromLatin1(value)] as const,
  );
  const size = texts.reduce((sum, [name, value]) => sum + 8 + name.length + value.length + 2, 4);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, pairs.length, true);
  let at = 4 + pairs.length * 8;
  texts.forEach(([name, value], index) => {
    view.setUint32(4 + index * 8, name.length, true);
    view.setUint32(8 + index * 8, value.length, true);
    bytes.set(name, at);
    at += name.length + 1;
    bytes.set(value, at);
    at += value.length + 1;
  });
  return bytes;
}
