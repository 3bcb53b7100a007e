// A build of the filter that logs how many bytes of a response were given to a framer, and to the scanner, and how many bytes of
// memory are used once a stream is gone. The counters are added to a copy of the sources: the filter itself has none.
import { compileVariant } from "./filter-variant.ts";
import type { Addition } from "./filter-variant.ts";

const COUNTERS = "filter/bytes/reads.ts";

/** What a function does first in the build. */
const ADDED: readonly Addition[] = [
  [
    "filter/bytes/sse/sse-framer.ts",
    "  push(pointer: usize, length: u32): void {",
    "noteFramed(length);",
    "import { noteFramed } from '../../bytes/reads';",
  ],
  [
    "filter/bytes/event-stream/event-stream-framer.ts",
    "  push(pointer: usize, length: u32): void {",
    "noteFramed(length);",
    "import { noteFramed } from '../../bytes/reads';",
  ],
  [
    "filter/bytes/json/scan.ts",
    "export function scan(tape: Tape, base: usize, length: u32): i32 {",
    "noteScanned(length);",
    "import { noteScanned } from '../../bytes/reads';",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_request_headers(id: u32, _count: u32, endsHere: u32): i32 {",
    "beginRequest();",
    "import { beginRequest } from './bytes/reads';",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_response_headers(id: u32, count: u32, endsHere: u32): i32 {",
    "beginResponse();",
    "import { beginResponse } from './bytes/reads';",
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
    "import { logMemory } from './bytes/reads';",
  ],
  [
    "filter/index.ts",
    "export function proxy_on_delete(id: u32): void {",
    "logReads();",
    "import { logReads } from './bytes/reads';",
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
  return compileVariant("counting", { [COUNTERS]: SOURCE }, ADDED);
}
