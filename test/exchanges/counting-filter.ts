// A build of the filter that logs how many bytes of a response were given to a framer, and to the scanner, and how many bytes of
// memory are used once a stream is gone. The counters are added to a copy of the sources: the filter itself has none.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { compileFilter } from "../../scripts/build-filter.ts";

const ROOT = join(import.meta.dirname, "../..");
const COUNTERS = "filter/bytes/reads.ts";

/** What a function does first in the build, and what it needs for that: a name of COUNTERS, or a variable. */
const ADDED: readonly [file: string, line: string, added: string, needs: string][] = [
  [
    "filter/bytes/sse/sse-framer.ts",
    "  push(pointer: usize, length: u32): void {",
    "noteFramed(length);",
    "noteFramed",
  ],
  [
    "filter/bytes/event-stream/event-stream-framer.ts",
    "  push(pointer: usize, length: u32): void {",
    "noteFramed(length);",
    "noteFramed",
  ],
  [
    "filter/bytes/json/scan.ts",
    "export function scan(tape: Tape, base: usize, length: u32): i32 {",
    "noteScanned(length);",
    "noteScanned",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_request_headers(id: u32, _count: u32, endsHere: u32): i32 {",
    "beginRequest();",
    "beginRequest",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_response_headers(id: u32, count: u32, endsHere: u32): i32 {",
    "beginResponse();",
    "beginResponse",
  ],
  [
    "filter/memory/garbage.ts",
    "export function startCounting(left: usize): void {",
    "leftBytes = left;",
    "export let leftBytes: usize = 0;",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_context_create(id: u32, rootId: u32): void {",
    "collect(); logMemory();",
    "logMemory",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_delete(id: u32): void {",
    "logReads();",
    "logReads",
  ],
];

const SOURCE = `
import { logError } from "../host/host";
import { heldBytes } from "../memory/blocks";
import { leftBytes } from "../memory/garbage";
export function logMemory(): void {
  logError("memory " + (heldBytes() + <isize>leftBytes).toString());
}
let framed: u32 = 0;
let scanned: u32 = 0;
let isRequest: bool = true;
export function noteFramed(length: u32): void { framed += length; }
export function noteScanned(length: u32): void { scanned += length; }
export function beginRequest(): void { isRequest = true; }
/** The head of a response passes an attempt, then the listener. */
export function beginResponse(): void {
  if (isRequest) { framed = 0; scanned = 0; }
  isRequest = false;
}
export function logReads(): void {
  logError("reads " + framed.toString() + " " + scanned.toString());
}
`;

export interface Reads {
  framed: number;
  scanned: number;
}

/** Returns what the last line of a log of the build has counted, from the last head of a response on. */
export function readsOf(logs: readonly { message: string }[]): Reads {
  const line = logs.findLast(({ message }) => message.startsWith("reads "));
  const [, framed, scanned] = line?.message.split(" ") ?? [];
  return { framed: Number(framed), scanned: Number(scanned) };
}

/** Returns the bytes of blocks and objects that were in use when the last stream began: all before it have been deleted. */
export function usedMemory(logs: readonly { message: string }[]): number {
  const line = logs.findLast(({ message }) => message.startsWith("memory "));
  return Number(line?.message.split(" ")[1]);
}

/** Compiles the build unless it is there. Returns its file. */
export function compileCountingFilter(): string {
  const hash = createHash("sha256").update(SOURCE).update(JSON.stringify(ADDED));
  for (const file of globSync(["filter/**/*.ts", "contract/*.ts", "asconfig.json"], {
    cwd: ROOT,
  }).sort())
    hash.update(file).update(readFileSync(join(ROOT, file)));
  const built = join(ROOT, `build/test/counting-${hash.digest("hex").slice(0, 16)}.wasm`);
  if (existsSync(built)) return built;
  const copy = `${built}.${String(process.pid)}`;
  mkdirSync(copy, { recursive: true });
  try {
    for (const part of ["filter", "contract", "asconfig.json", "scripts/constant-bytes.ts"])
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    writeFileSync(join(copy, COUNTERS), SOURCE);
    for (const [file, ...more] of ADDED) addTo(copy, file, ...more);
    compileFilter(copy, join(copy, "filter.wasm"));
    renameSync(join(copy, "filter.wasm"), built);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return built;
}

function addTo(root: string, file: string, line: string, added: string, needs: string): void {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  if (!source.includes(`${line}\n`)) throw new Error(`${file} has no line "${line}"`);
  const up = "../".repeat(file.split("/").length - 2) || "./";
  const head = needs.startsWith("export") ? needs : `import { ${needs} } from "${up}bytes/reads";`;
  writeFileSync(path, `${head}\n` + source.replace(`${line}\n`, `${line}\n${added}\n`));
}
