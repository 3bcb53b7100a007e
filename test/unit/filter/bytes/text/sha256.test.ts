// SHA-256 by the filter and by node:crypto.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { startPart } from "../../lab.ts";

interface Sha {
  memory: WebAssembly.Memory;
  place(): number;
  sha256(pointer: number, length: number, out: number): void;
}

let lab: Sha;
let place: number;
let out: number;

beforeAll(async () => {
  lab = await startPart<Sha>("sha256");
  place = lab.place();
  out = lab.place();
});

function digestOf(text: Uint8Array): string {
  new Uint8Array(lab.memory.buffer, place, text.length).set(text);
  lab.sha256(place, text.length, out);
  return Buffer.from(lab.memory.buffer, out, 32).toString("hex");
}

function expected(text: Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

it("the digest of a text of any length up to four blocks is that of node:crypto", () => {
  for (let length = 0; length <= 260; length++) {
    const text = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 0xff);
    expect(digestOf(text)).toBe(expected(text));
  }
});

it("the digest of any bytes is that of node:crypto", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 900 }), (text) => digestOf(text) === expected(text)),
    { numRuns: 500 },
  );
});
