// The event framer of the filter for tests: pieces of a stream in, what every call made of them out.
import { startPart } from "./lab.ts";

interface SseExports {
  memory: WebAssembly.Memory & { grow(pages: number): number };
  padding: { value: number };
  allocate(length: number): number;
  free(pointer: number): void;
  begin(): void;
  push(pointer: number, length: number): void;
  next(): number;
  hold(): void;
  rawPointer(): number;
  rawLength(): number;
  dataPointer(): number;
  dataLength(): number;
  namePointer(): number;
  nameLength(): number;
  hasData(): number;
  isLateLf(): number;
  heldPointer(): number;
  heldLength(): number;
  readAll(pointer: number, length: number, piece: number): number;
}

/** What one call of `next` gave; text is bytes as latin1, so that nothing is hidden. */
export interface FramedEvent {
  raw: string;
  /** Undefined when there was no data line. */
  data: string | undefined;
  name: string;
  isLateLf: boolean;
  /** Which piece completed it. */
  piece: number;
}

export interface Framed {
  events: FramedEvent[];
  /** The unfinished event at the end. */
  held: string;
  /** The most bytes that were held between two calls. */
  mostHeld: number;
}

/** Bytes after a piece that would end lines, be fields or hide a line end if they were read. */
const TRAPS = ["\n", "\r", "x", "\n\ndata: trap\n\n", "\xef\xbb\xbf"];

export class Framer {
  readonly wasm: SseExports;
  private trap = 0;

  private constructor(wasm: SseExports) {
    this.wasm = wasm;
  }

  static async load(): Promise<Framer> {
    return new Framer(await startPart("sse"));
  }

  /** A stream whose bytes arrive in these pieces. Each stands in a block of its own, which is spoilt after its call. */
  read(pieces: readonly Uint8Array[]): Framed {
    const { wasm } = this;
    const framed: Framed = { events: [], held: "", mostHeld: 0 };
    wasm.begin();
    pieces.forEach((piece, index) => {
      const pointer = wasm.allocate(piece.length);
      this.fill(pointer, piece);
      wasm.push(pointer, piece.length);
      while (wasm.next() !== 0) framed.events.push(this.event(index));
      wasm.hold();
      framed.mostHeld = Math.max(framed.mostHeld, wasm.heldLength());
      new Uint8Array(wasm.memory.buffer, pointer, piece.length).fill(0x0a);
      wasm.free(pointer);
    });
    framed.held = this.latin1(wasm.heldPointer(), wasm.heldLength());
    return framed;
  }

  private event(piece: number): FramedEvent {
    const { wasm } = this;
    return {
      raw: this.latin1(wasm.rawPointer(), wasm.rawLength()),
      data: wasm.hasData() ? this.latin1(wasm.dataPointer(), wasm.dataLength()) : undefined,
      name: this.latin1(wasm.namePointer(), wasm.nameLength()),
      isLateLf: wasm.isLateLf() !== 0,
      piece,
    };
  }

  private fill(pointer: number, piece: Uint8Array): void {
    const padding = this.wasm.padding.value;
    const trap = TRAPS[this.trap++ % TRAPS.length];
    const block = new Uint8Array(this.wasm.memory.buffer, pointer, piece.length + padding);
    block.set(piece);
    block.set(Buffer.alloc(padding, trap, "latin1"), piece.length);
  }

  private latin1(pointer: number, length: number): string {
    return Buffer.from(this.wasm.memory.buffer, pointer, length).toString("latin1");
  }
}

/** Cuts bytes at these offsets. */
export function cut(bytes: Uint8Array, ...offsets: number[]): Uint8Array[] {
  const places = [0, ...offsets, bytes.length];
  return offsets.concat(bytes.length).map((end, index) => bytes.subarray(places[index], end));
}
