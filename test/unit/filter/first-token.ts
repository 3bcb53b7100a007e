// The filter's look at the beginning of a response, for tests: pieces in, what is to be done with it out.
import { startPart } from "./lab.ts";

interface FirstTokenExports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(pointer: number): void;
  begin(dialect: number, isStreaming: number): void;
  push(pointer: number, length: number, isLast: number, seconds: number): number;
  status(): number;
}

const VERDICTS = ["looks on", "answers", "fails"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Piece {
  bytes: Uint8Array;
  /** When it came, in seconds. */
  at?: number;
}

export interface Looked {
  verdict: Verdict;
  /** How many pieces it took. */
  pieces: number;
  /** Of the error; 0 when there is none. */
  status: number;
}

export class FirstTokenLook {
  readonly #exports: FirstTokenExports;

  private constructor(exports: FirstTokenExports) {
    this.#exports = exports;
  }

  static async load(): Promise<FirstTokenLook> {
    return new FirstTokenLook(await startPart("first_token"));
  }

  /** Gives it pieces until it has made up its mind. The last one ends the response unless `isOpen`. */
  read(
    dialect: "chat" | "messages" | "responses",
    isStreaming: boolean,
    pieces: Piece[],
    isOpen = false,
  ): Looked {
    const wasm = this.#exports;
    wasm.begin(["chat", "messages", "responses"].indexOf(dialect), Number(isStreaming));
    for (const [index, { bytes, at = 100 }] of pieces.entries()) {
      const pointer = wasm.allocate(bytes.length);
      new Uint8Array(wasm.memory.buffer).set(bytes, pointer);
      const isLast = !isOpen && index === pieces.length - 1;
      const verdict = VERDICTS[wasm.push(pointer, bytes.length, Number(isLast), at)] ?? "looks on";
      wasm.free(pointer);
      if (verdict !== "looks on") return { verdict, pieces: index + 1, status: wasm.status() };
    }
    return { verdict: "looks on", pieces: pieces.length, status: wasm.status() };
  }
}
