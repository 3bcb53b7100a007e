// The filter's framer of AWS's binary event streams for tests: pieces of a stream in, events out.
import { startPart } from "./lab.ts";

interface EventStreamExports {
  memory: WebAssembly.Memory;
  padding: { value: number };
  allocate(length: number): number;
  free(pointer: number): void;
  begin(): void;
  push(pointer: number, length: number): void;
  end(): void;
  next(): number;
  hold(): void;
  isError(): number;
  dataPointer(): number;
  dataLength(): number;
  namePointer(): number;
  nameLength(): number;
  heldLength(): number;
  crc32(pointer: number, length: number): number;
}

export interface BinaryEvent {
  name: string;
  data: string;
  isError: boolean;
  /** The piece that completed it; the number of pieces for an event at the stream's end. */
  piece: number;
}

export interface BinaryStream {
  events: BinaryEvent[];
  /** The most bytes that were held between two calls. */
  mostHeld: number;
}

export class EventStreamFramer {
  readonly #wasm: EventStreamExports;

  private constructor(wasm: EventStreamExports) {
    this.#wasm = wasm;
  }

  static async load(): Promise<EventStreamFramer> {
    return new EventStreamFramer(await startPart("event_stream"));
  }

  /** Reads a whole stream. Each piece is in a separate block, which is overwritten after its call. */
  read(pieces: readonly Uint8Array[]): BinaryStream {
    const wasm = this.#wasm;
    const stream: BinaryStream = { events: [], mostHeld: 0 };
    wasm.begin();
    pieces.forEach((piece, index) => {
      const pointer = this.#place(piece);
      wasm.push(pointer, piece.length);
      this.#readEvents(stream, index);
      new Uint8Array(wasm.memory.buffer, pointer, piece.length).fill(0x0a);
      wasm.free(pointer);
    });
    wasm.end();
    this.#readEvents(stream, pieces.length);
    return stream;
  }

  crc32(bytes: Uint8Array): number {
    const pointer = this.#place(bytes);
    const crc = this.#wasm.crc32(pointer, bytes.length) >>> 0;
    this.#wasm.free(pointer);
    return crc;
  }

  #readEvents(stream: BinaryStream, piece: number): void {
    const wasm = this.#wasm;
    while (wasm.next() !== 0) {
      stream.events.push({
        name: this.#text(wasm.namePointer(), wasm.nameLength()),
        data: this.#text(wasm.dataPointer(), wasm.dataLength()),
        isError: wasm.isError() !== 0,
        piece,
      });
    }
    wasm.hold();
    stream.mostHeld = Math.max(stream.mostHeld, wasm.heldLength());
  }

  /** Returns a block with the bytes, and others after them that must not be read. */
  #place(bytes: Uint8Array): number {
    const pointer = this.#wasm.allocate(bytes.length);
    const padding = this.#wasm.padding.value;
    const block = new Uint8Array(this.#wasm.memory.buffer, pointer, bytes.length + padding);
    block.set(bytes);
    block.fill(0xff, bytes.length);
    return pointer;
  }

  #text(pointer: number, length: number): string {
    return Buffer.from(this.#wasm.memory.buffer, pointer, length).toString();
  }
}
