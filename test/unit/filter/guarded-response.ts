// The filter's guards of responses for tests: a stream in the client's dialect in pieces, or a whole body, as the client gets it.
import { startPart } from "./lab.ts";

interface GuardedExports {
  memory: WebAssembly.Memory;
  padding: { value: number };
  allocate(length: number): number;
  free(pointer: number): void;
  forget(): void;
  issue(name: number, nameLength: number, value: number, valueLength: number): void;
  begin(dialect: number, action: number): void;
  push(pointer: number, length: number, isLast: number): number;
  whole(pointer: number, length: number): number;
  outputPointer(): number;
  outputLength(): number;
}

/** In the order of the filter's list. */
export const DIALECTS = ["openai_chat", "anthropic_messages", "openai_responses"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Placeholders become values, or what a policy does that finds all kinds. */
const ACTIONS = ["restore", "block", "mask", "monitor"] as const;
export type Action = (typeof ACTIONS)[number];

export class GuardedResponse {
  readonly #wasm: GuardedExports;

  private constructor(wasm: GuardedExports) {
    this.#wasm = wasm;
  }

  static async load(): Promise<GuardedResponse> {
    return new GuardedResponse(await startPart("guarded"));
  }

  /** Sets the placeholders that the exchange has issued, with their values. */
  issue(placeholders: Readonly<Record<string, string>>): void {
    this.#wasm.forget();
    for (const [name, value] of Object.entries(placeholders)) {
      const [one, other] = [this.#place(Buffer.from(name)), this.#place(Buffer.from(value))];
      this.#wasm.issue(one, Buffer.byteLength(name), other, Buffer.byteLength(value));
      this.#wasm.free(one);
      this.#wasm.free(other);
    }
  }

  /** Each piece is in a separate block, which is overwritten after its call. */
  stream(dialect: Dialect, pieces: readonly Uint8Array[], action: Action = "restore"): Buffer {
    const wasm = this.#wasm;
    wasm.begin(DIALECTS.indexOf(dialect), ACTIONS.indexOf(action) - 1);
    const out: Buffer[] = [];
    pieces.forEach((piece, index) => {
      const pointer = this.#place(piece);
      const kept = wasm.push(pointer, piece.length, index === pieces.length - 1 ? 1 : 0);
      out.push(Buffer.from(piece.subarray(0, kept)), this.#output());
      new Uint8Array(wasm.memory.buffer, pointer, piece.length).fill(0x0a);
      wasm.free(pointer);
    });
    return Buffer.concat(out);
  }

  whole(dialect: Dialect, body: Uint8Array, action: Action = "restore"): Buffer {
    const wasm = this.#wasm;
    wasm.begin(DIALECTS.indexOf(dialect), ACTIONS.indexOf(action) - 1);
    const pointer = this.#place(body);
    const replaced = wasm.whole(pointer, body.length);
    const out = Buffer.concat([this.#output(), body.subarray(replaced)]);
    wasm.free(pointer);
    return out;
  }

  #output(): Buffer {
    const wasm = this.#wasm;
    const length = wasm.outputLength();
    return Buffer.from(new Uint8Array(wasm.memory.buffer, wasm.outputPointer(), length));
  }

  #place(bytes: Uint8Array): number {
    const wasm = this.#wasm;
    const pointer = wasm.allocate(bytes.length);
    const target = new Uint8Array(wasm.memory.buffer, pointer, bytes.length + wasm.padding.value);
    target.set(bytes);
    target.fill(0, bytes.length);
    return pointer;
  }
}
