// Which function of the filter a piece of code is that V8 has compiled.
//
// V8 lays a module's code out behind a table of jumps, a slot for each function in the order of the module. Calls between
// functions go through it, so callgrind knows most functions by the address of their slot; what Envoy calls it knows by the
// address that the slot jumps to.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const PAGE = 4096;
/** Bytes of a slot, and of the jump in it: opcode and distance from the next instruction (x86-64). */
const SLOT = 8;
const JUMP = 5;
const JUMP_OPCODE = 0xe9;

/** Names by address, both in callgrind's form. Empty where the code of the process `pid` does not have V8's layout. */
export function namesByAddress(
  pid: number,
  addresses: Iterable<string>,
  names: string[],
): Map<string, string> {
  const found = new Map<string, string>();
  const start = codeStart(pid, [...addresses].map(Number));
  if (start === undefined) return found;
  const table = readMemory(pid, start, names.length * SLOT);
  for (const [at, name] of names.entries()) {
    const slot = at * SLOT;
    if (table[slot] !== JUMP_OPCODE) return new Map();
    const target = start + slot + JUMP + table.readInt32LE(slot + 1);
    for (const address of [start + slot, target]) found.set(hexadecimal(address), name);
  }
  return found;
}

/** The first page of the memory without a file that has the most of these addresses. */
function codeStart(pid: number, addresses: number[]): number | undefined {
  const maps = readFileSync(`/proc/${String(pid)}/maps`, "utf8");
  let best: number[] = [];
  for (const [, from = "", to = ""] of maps.matchAll(/^(\w+)-(\w+) \S+ \S+ \S+ 0 *$/gm)) {
    const inside = addresses.filter(
      (one) => one >= Number.parseInt(from, 16) && one < Number.parseInt(to, 16),
    );
    if (inside.length > best.length) best = inside;
  }
  return best.length === 0 ? undefined : Math.floor(Math.min(...best) / PAGE) * PAGE;
}

function readMemory(pid: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(`/proc/${String(pid)}/mem`, "r");
  try {
    readSync(file, bytes, 0, length, from);
  } finally {
    closeSync(file);
  }
  return bytes;
}

function hexadecimal(address: number): string {
  return `0x${address.toString(16).padStart(16, "0")}`;
}
