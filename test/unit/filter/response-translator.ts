// The response translation of the filter, for tests: bytes in, bytes out, and an error if the code ever aborts.
import { startPart } from "./lab.ts";

export const OPENAI = 0;
export const ANTHROPIC = 1;
export const RESPONSES = 2;
export const CONVERSE = 3;
export const GEMINI = 4;

interface Exports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(pointer: number): void;
  start(from: number, to: number, wantsUsage: number, created: bigint): void;
  push(pointer: number, length: number): void;
  end(): void;
  complete(pointer: number, length: number): number;
  finishResponse(): void;
  error(from: number, to: number, status: number, pointer: number, length: number): void;
  fail(status: number, pointer: number, length: number): void;
  clearNotes(): void;
  passSeconds(count: number): void;
  addTool(pointer: number, wire: number, name: number, space: number, isCustom: number): void;
  setEcho(pointer: number, length: number): void;
  outPointer(): number;
  outLength(): number;
  clearOut(): void;
  droppedTotal(): number;
  droppedCount(kind: number): number;
  usageOf(part: number): bigint;
  faultStatus(): number;
  errorStatus(): number;
  collect(): void;
}

export interface Direction {
  from: number;
  to: number;
  /** Whether a chat client asked for usage. Default yes. */
  wantsUsage?: boolean;
  /** Tools that the client declared otherwise than the provider knows them. */
  tools?: readonly ClientTool[];
  /** Members of the request that the response repeats. */
  echo?: string;
  /** Seconds between two pieces of a stream. Default 0. */
  pace?: number;
}

export interface ClientTool {
  wire: string;
  name: string;
  space?: string;
  isCustom?: boolean;
}

export interface StreamResult {
  /** All bytes for the client. */
  text: string;
  /** What each call of `push` gave, and last what `end` gave. */
  calls: string[];
  dropped: number;
  faultStatus: number;
  usage: {
    freshInput: number;
    cacheRead: number;
    cacheWrite: number;
    output: number;
    reasoning: number;
  };
}

export interface CompleteResult {
  status: number;
  text: string;
  dropped: number;
}

const CREATED = 1741569952n;

export class Responses {
  private readonly exports: Exports;

  private constructor(exports: Exports) {
    this.exports = exports;
  }

  static async load(): Promise<Responses> {
    return new Responses(await startPart("translate_response"));
  }

  /** A stream whose bytes arrive in these pieces. */
  stream(direction: Direction, pieces: readonly Uint8Array[]): StreamResult {
    const wasm = this.exports;
    this.start(direction, direction.wantsUsage !== false);
    const calls: string[] = [];
    const bytes: Uint8Array[] = [];
    for (const piece of pieces) {
      this.withBytes(piece, (pointer) => {
        wasm.push(pointer, piece.length);
      });
      bytes.push(this.takeOut());
      calls.push(decode(bytes.at(-1)));
      wasm.passSeconds(direction.pace ?? 0);
    }
    wasm.end();
    bytes.push(this.takeOut());
    calls.push(decode(bytes.at(-1)));
    const result = {
      text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(bytes)),
      calls,
      dropped: wasm.droppedTotal(),
      faultStatus: wasm.faultStatus(),
      usage: {
        freshInput: Number(wasm.usageOf(0)),
        cacheRead: Number(wasm.usageOf(1)),
        cacheWrite: Number(wasm.usageOf(2)),
        output: Number(wasm.usageOf(3)),
        reasoning: Number(wasm.usageOf(4)),
      },
    };
    wasm.finishResponse();
    wasm.collect();
    return result;
  }

  /** As `stream`, but only the client's bytes, put together: for tests that cut a stream in thousands of ways. */
  streamText(direction: Direction, pieces: readonly Uint8Array[]): string {
    const wasm = this.exports;
    this.start(direction, direction.wantsUsage !== false);
    for (const piece of pieces) {
      this.withBytes(piece, (pointer) => {
        wasm.push(pointer, piece.length);
      });
    }
    wasm.end();
    wasm.finishResponse();
    if (++this.uncollected % 64 === 0) wasm.collect();
    return decode(this.takeOut());
  }

  private uncollected = 0;

  complete(direction: Direction, body: string | Uint8Array): CompleteResult {
    const wasm = this.exports;
    this.start(direction, false);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const status = this.withBytes(bytes, (pointer) => wasm.complete(pointer, bytes.length));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(this.takeOut());
    const dropped = wasm.droppedTotal();
    wasm.finishResponse();
    wasm.collect();
    return { status, text, dropped };
  }

  /** A stream that ends with a fault of the gateway before its first byte. */
  failedStream(direction: Direction, status: number, message: string): string {
    const wasm = this.exports;
    this.start(direction, true);
    const bytes = new TextEncoder().encode(message);
    this.withBytes(bytes, (pointer) => {
      wasm.fail(status, pointer, bytes.length);
    });
    wasm.finishResponse();
    return decode(this.takeOut());
  }

  error(direction: Direction, status: number, body: string | Uint8Array): string {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    this.withBytes(bytes, (pointer) => {
      this.exports.error(direction.from, direction.to, status, pointer, bytes.length);
    });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(this.takeOut());
    this.exports.collect();
    return text;
  }

  /** The status that the last `error` gets. */
  get errorStatus(): number {
    return this.exports.errorStatus();
  }

  /** Microseconds for one stream whose bytes arrive at once; the best of `rounds`. */
  measure(direction: Direction, bytes: Uint8Array, rounds: number): number {
    const wasm = this.exports;
    const pointer = wasm.allocate(bytes.length);
    let best = Infinity;
    for (let round = 0; round < rounds; round++) {
      new Uint8Array(wasm.memory.buffer, pointer, bytes.length).set(bytes);
      wasm.start(direction.from, direction.to, 1, CREATED);
      const before = performance.now();
      wasm.push(pointer, bytes.length);
      wasm.end();
      best = Math.min(best, (performance.now() - before) * 1000);
      wasm.clearOut();
      wasm.finishResponse();
      wasm.collect();
    }
    wasm.free(pointer);
    return best;
  }

  memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  private start(direction: Direction, wantsUsage: boolean): void {
    const wasm = this.exports;
    wasm.clearNotes();
    for (const { wire, name, space = "", isCustom = false } of direction.tools ?? []) {
      const [wireBytes, nameBytes, spaceBytes] = [wire, name, space].map((text) =>
        Buffer.from(JSON.stringify(text).slice(1, -1)),
      ) as [Buffer, Buffer, Buffer];
      this.withBytes(Buffer.concat([wireBytes, nameBytes, spaceBytes]), (pointer) => {
        const lengths = [wireBytes.length, nameBytes.length, spaceBytes.length] as const;
        wasm.addTool(pointer, ...lengths, isCustom ? 1 : 0);
      });
    }
    const echo = Buffer.from(direction.echo ?? "");
    this.withBytes(echo, (pointer) => {
      wasm.setEcho(pointer, echo.length);
    });
    wasm.start(direction.from, direction.to, wantsUsage ? 1 : 0, CREATED);
  }

  private withBytes<T>(bytes: Uint8Array, use: (pointer: number) => T): T {
    const pointer = this.exports.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes);
    const result = use(pointer);
    this.exports.free(pointer);
    return result;
  }

  private takeOut(): Uint8Array {
    const length = this.exports.outLength();
    const view = new Uint8Array(this.exports.memory.buffer, this.exports.outPointer(), length);
    const bytes = Uint8Array.from(view);
    this.exports.clearOut();
    return bytes;
  }
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
