// The scanner of the filter for tests: bytes in, what the tape says out, at the very end of the module's memory.
import { isDeepStrictEqual } from "node:util";
import { startPart } from "./lab.ts";

export const NO_NODE = 0xffffffff;
export const NULL = 0;
export const TRUE = 1;
export const FALSE = 2;
export const NUMBER = 3;
export const STRING = 4;
export const ARRAY = 5;
export const OBJECT = 6;
const ESCAPED = 8;

export const OK = 0;
export const EMPTY = 1;
export const SYNTAX = 2;
export const END = 3;
export const DEPTH = 4;
export const SIZE = 5;
export const UTF8 = 6;
export const ESCAPE = 7;
export const CONTROL = 8;

export interface JsonExports {
  memory: WebAssembly.Memory & { grow(pages: number): number };
  padding: { value: number };
  allocate(length: number): number;
  free(pointer: number): void;
  scanText(pointer: number, length: number): number;
  scanRepeatedly(pointer: number, length: number, times: number): number;
  errorAt(): number;
  endOfString(pointer: number, end: number): number;
  entries(): number;
  count(): number;
  capacity(): number;
  kind(node: number): number;
  next(node: number): number;
  first(node: number): number;
  outerStart(node: number): number;
  outerEnd(node: number): number;
  member(object: number, name: number, length: number): number;
  equals(node: number, text: number, length: number): number;
  unescapeToOut(pointer: number, length: number): void;
  escapeToOut(pointer: number, length: number): void;
  clearEdits(): void;
  replace(start: number, end: number, text: number, length: number): void;
  insert(at: number, text: number, length: number): void;
  append(text: number, length: number): void;
  replaceAppended(start: number, end: number): void;
  insertAppended(at: number): void;
  areNoEdits(): number;
  prefixToOut(base: number): number;
  outPointer(): number;
  outLength(): number;
}

/** One entry of the tape. */
export interface Entry {
  start: number;
  end: number;
  next: number;
  kind: number;
  isEscaped: boolean;
}

export interface Scanned {
  code: number;
  /** Where a scan that failed stopped. */
  errorAt: number;
  tape: Entry[];
}

/** What stands after a text in memory: nothing of it may ever matter. Repeated to fill the padding. */
export type Behind = string | Uint8Array;

export class JsonScanner {
  readonly wasm: JsonExports;

  private constructor(wasm: JsonExports) {
    this.wasm = wasm;
  }

  static async load(): Promise<JsonScanner> {
    return new JsonScanner(await startPart("json"));
  }

  /**
   * Scans a text after which memory ends after the padding: reading further traps. Fails when a byte is left changed.
   */
  scan(text: Uint8Array, behind: Behind = "\xff"): Scanned {
    const { pointer, image } = this.placeAtEnd(text, behind);
    const code = this.wasm.scanText(pointer, text.length);
    const after = new Uint8Array(this.wasm.memory.buffer, pointer, image.length);
    if (!Buffer.from(after).equals(image)) throw new Error("the scan left a byte changed");
    return { code, errorAt: this.wasm.errorAt(), tape: this.tape() };
  }

  /** Writes a text and its padding at the end of memory, on pages that no allocation can have. */
  placeAtEnd(text: Uint8Array, behind: Behind = "\xff"): { pointer: number; image: Buffer } {
    const padding = this.wasm.padding.value;
    const image = Buffer.concat([text, Buffer.alloc(padding, behind, "latin1")]);
    if (
      this.endPages * 65536 < image.length ||
      this.memoryEnd !== this.wasm.memory.buffer.byteLength
    ) {
      this.endPages = Math.max(this.endPages, Math.ceil(image.length / 65536));
      this.wasm.memory.grow(this.endPages);
      this.memoryEnd = this.wasm.memory.buffer.byteLength;
    }
    const pointer = this.memoryEnd - image.length;
    new Uint8Array(this.wasm.memory.buffer, pointer, image.length).set(image);
    return { pointer, image };
  }

  tape(): Entry[] {
    const count = this.wasm.count();
    const words = new Uint32Array(this.wasm.memory.buffer, this.wasm.entries(), count * 4);
    return Array.from({ length: count }, (_, node) => {
      const [start = 0, end = 0, next = 0, kind = 0] = words.subarray(node * 4, node * 4 + 4);
      return { start, end, next, kind: kind & 7, isEscaped: (kind & ESCAPED) !== 0 };
    });
  }

  /** The value that a tape stands for, made of nothing but its spans of the text. */
  value(text: Uint8Array, tape: readonly Entry[]): unknown {
    const [value, next] = read(text, tape, 0);
    if (next !== tape.length) throw new Error(`${tape.length - next} entries are left over`);
    return value;
  }

  /**
   * Throws unless the scan accepts and says what JSON.parse does; `what` names the text. (`expect` is too slow to be called
   * a million times.) A text that is nested too deep for us is passed over: other tests count the depth.
   */
  agree(text: Uint8Array, behind: Behind, what?: unknown): void {
    const scanned = this.scan(text, behind);
    if (scanned.code === DEPTH) return;
    const expected = parseStrictly(text);
    const found = scanned.code === OK ? this.value(text, scanned.tape) : undefined;
    const isFailureWhole = scanned.tape.length === 0 && scanned.errorAt <= text.length;
    if (isDeepStrictEqual(found, expected) && (scanned.code === OK || isFailureWhole)) return;
    const plain = Buffer.from(text).toString();
    const isAcceptedByBoth = found !== undefined && expected !== undefined;
    if (isAcceptedByBoth && NAME_THAT_V8_MISTAKES.test(plain)) return;
    throw new Error(
      `${JSON.stringify({ what, plain, behind })}: code ${scanned.code} at ${scanned.errorAt}, ` +
        `value ${JSON.stringify(found)}, JSON.parse ${JSON.stringify(expected)}`,
    );
  }

  unescape(raw: Uint8Array): Buffer {
    this.withBytes(raw, (pointer) => {
      this.wasm.unescapeToOut(pointer, raw.length);
    });
    return this.out();
  }

  escape(text: Uint8Array): Buffer {
    this.withBytes(text, (pointer) => {
      this.wasm.escapeToOut(pointer, text.length);
    });
    return this.out();
  }

  out(): Buffer {
    const { memory } = this.wasm;
    return Buffer.from(
      new Uint8Array(memory.buffer, this.wasm.outPointer(), this.wasm.outLength()).slice(),
    );
  }

  /** Calls `use` with the address of a copy of these bytes, and frees it afterwards. */
  withBytes<T>(bytes: Uint8Array, use: (pointer: number) => T): T {
    const pointer = this.wasm.allocate(bytes.length);
    new Uint8Array(this.wasm.memory.buffer, pointer, bytes.length).set(bytes);
    try {
      return use(pointer);
    } finally {
      this.wasm.free(pointer);
    }
  }

  private endPages = 1;
  private memoryEnd = 0;
}

/**
 * A member whose name is one escaped character: V8 13.6 (Node 24) takes it for the backslash itself after an object that
 * had a member named so: JSON.parse('{"\\\\":1}'), then JSON.parse('{"\\u0061":1}') gives {"\\": 1}.
 */
const NAME_THAT_V8_MISTAKES = /"\\(?:u[0-9a-fA-F]{4}|[^u])"\s*:/;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** JSON.parse on bytes: also refuses what is not UTF-8. Answers undefined when it refuses (no JSON text says that). */
export function parseStrictly(text: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The value at a node, and the node after it. Fails on a tape that does not hold together. */
function read(text: Uint8Array, tape: readonly Entry[], node: number): [unknown, number] {
  const entry = tape[node];
  if (entry === undefined) throw new Error(`the tape has no entry ${node}`);
  const raw = decoder.decode(text.subarray(entry.start, entry.end));
  if (entry.kind < ARRAY && entry.next !== node + 1) throw new Error("a leaf has children");
  if (entry.kind === STRING) return [readString(raw, entry), node + 1];
  if (entry.kind < STRING) return [JSON.parse(raw), node + 1];
  if (!raw.startsWith(entry.kind === ARRAY ? "[" : "{"))
    throw new Error("a container starts elsewhere");
  if (!raw.endsWith(entry.kind === ARRAY ? "]" : "}"))
    throw new Error("a container ends elsewhere");
  const items: unknown[] = [];
  let at = node + 1;
  while (at < entry.next) {
    const [item, behind] = read(text, tape, at);
    items.push(item);
    at = behind;
  }
  if (at !== entry.next) throw new Error("a container ends inside a value");
  if (entry.kind === ARRAY) return [items, at];
  if (items.length % 2 !== 0) throw new Error("a member has no value");
  const members = Array.from({ length: items.length / 2 }, (_, index) => {
    return [items[index * 2] as string, items[index * 2 + 1]] as const;
  });
  // Defines own members, `__proto__` too; the last of several with one name wins.
  return [Object.fromEntries(members), at];
}

function readString(raw: string, entry: Entry): string {
  if (entry.isEscaped !== raw.includes("\\")) throw new Error("a string is flagged wrongly");
  return JSON.parse(`"${raw}"`) as string;
}
