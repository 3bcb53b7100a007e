// Finds values with the filter's finder, in whole texts and in texts that come in parts.
import { GUARD_KINDS } from "../../../../contract/guard-kinds.ts";
import { startPart } from "../lab.ts";

interface FinderExports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(pointer: number): void;
  start(kinds: bigint): void;
  next(base: number, from: number, end: number, isFinal: boolean): number;
  goesOn(base: number, from: number, end: number, isFinal: boolean): number;
  kind(): number;
  begin(): number;
  stop(): number;
  open(): number;
  isUnfinished(): number;
}

export interface Found {
  kind: string;
  value: string;
}

export interface GuardFinder {
  /** Finds these kinds from now on. */
  use(kinds: readonly string[]): void;
  find(text: string | Uint8Array): Found[];
  /** Finds in a text that comes in parts, each a number of bytes, and what was held in between at most. */
  findInParts(text: string, parts: readonly number[]): { found: Found[]; held: number };
}

/** As streams have to keep it: CONTEXT_BYTES of filter/guards/finder.ts. */
const CONTEXT = 64;

export async function startFinder(): Promise<GuardFinder> {
  const wasm = await startPart<FinderExports>("guards");
  const all = GUARD_KINDS.reduce((bits, _, index) => bits | (1n << BigInt(index)), 0n);
  wasm.start(all);

  function withBytes<Result>(bytes: Uint8Array, run: (pointer: number) => Result): Result {
    const pointer = wasm.allocate(bytes.length);
    new Uint8Array(wasm.memory.buffer).set(bytes, pointer);
    const result = run(pointer);
    wasm.free(pointer);
    return result;
  }

  const foundIn = (bytes: Uint8Array): Found => ({
    kind: GUARD_KINDS[wasm.kind()] ?? "",
    value: new TextDecoder().decode(bytes.subarray(wasm.begin(), wasm.stop())),
  });

  return {
    use(kinds) {
      wasm.start(
        kinds.reduce((bits, kind) => bits | (1n << BigInt(GUARD_KINDS.indexOf(kind))), 0n),
      );
    },

    find(text) {
      const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
      return withBytes(bytes, (pointer) => {
        const found: Found[] = [];
        for (let at = 0; wasm.next(pointer, at, bytes.length, true) !== 0; at = wasm.stop())
          found.push(foundIn(bytes));
        return found;
      });
    },

    findInParts(text, parts) {
      const bytes = new TextEncoder().encode(text);
      const found: Found[] = [];
      /** What is kept of the text begins here, and what is not released yet. */
      let base = 0;
      let from = 0;
      let end = 0;
      let held = 0;
      let unfinished: Found | undefined;
      for (const part of [...parts, bytes.length]) {
        end = Math.min(end + part, bytes.length);
        const isFinal = end === bytes.length;
        const kept = bytes.subarray(base, end);
        withBytes(kept, (pointer) => {
          const length = kept.length;
          let at = from - base;
          for (;;) {
            if (unfinished !== undefined) {
              const stop = wasm.goesOn(pointer, at, length, isFinal);
              unfinished.value += new TextDecoder().decode(kept.subarray(at, stop));
              at = stop;
              if (wasm.isUnfinished() !== 0) break;
              unfinished = undefined;
            }
            if (wasm.next(pointer, at, length, isFinal) === 0) {
              at = wasm.open();
              break;
            }
            const one = foundIn(kept);
            found.push(one);
            at = wasm.stop();
            if (wasm.isUnfinished() !== 0) unfinished = one;
            if (unfinished !== undefined && at === length) break;
          }
          from = base + at;
        });
        held = Math.max(held, end - from);
        base = Math.max(0, from - CONTEXT);
        if (isFinal) break;
      }
      return { found, held };
    },
  };
}
