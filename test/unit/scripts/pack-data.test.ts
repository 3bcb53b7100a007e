// scripts/pack-data.ts and pack-bytes.ts: what they pack is unpacked as the filter does it, and the module stays a module.
import binaryen from "assemblyscript/binaryen";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packBytes } from "../../../scripts/pack-bytes.ts";
import { packData } from "../../../scripts/pack-data.ts";

const PAGE = 65_536;
const TRAILER = 12;

/** Reads what filter/memory/packed-data.ts describes, with numbers of JavaScript. */
function unpack(packed: Buffer, length: number): Buffer {
  const slots = new Map<number, [number, number]>();
  const out: number[] = [];
  let [at, code, range] = [4, packed.length < 4 ? 0 : packed.readUInt32BE(0), 0xffffffff];
  const bit = (slot: number): number => {
    const [probability, seen] = slots.get(slot) ?? [2048, 0];
    const bound = Math.floor(range / 4096) * probability;
    const read = code < bound ? 1 : 0;
    code -= read === 1 ? 0 : bound;
    range = read === 1 ? bound : range - bound;
    while (range < 2 ** 24) {
      range *= 256;
      code = code * 256 + (packed[at++] ?? Number.NaN);
    }
    const step = Math.trunc(((read * 4095 - probability) * 2) / (seen * 4 + 5));
    slots.set(slot, [Math.max(probability + step, 1), Math.min(seen + 1, 15)]);
    return read;
  };
  const number = (first: number): number => {
    let more = 0;
    while (bit(first + more) === 1) more++;
    let value = 1;
    for (let left = more - 1; left >= 0; left--)
      value = value * 2 + bit(first + 32 + more * 32 + (value < 16 ? value : 16 + left));
    return value;
  };
  const literal = (): number => {
    const [before, second] = [out.at(-1) ?? 0, out.at(-2) ?? 0];
    const context = before === 0 ? 16 + (second >> 4) : before >> 4;
    let prefix = 1;
    while (prefix < 256) prefix = prefix * 2 + bit(16 + 5 * 1024 + context * 256 + prefix);
    return prefix - 256;
  };
  let [distance, wasMatch] = [0, 0];
  while (out.length < length) {
    const isMatch = bit(wasMatch * 4 + (out.length % 4));
    wasMatch = isMatch;
    if (isMatch === 0) {
      out.push(literal());
      continue;
    }
    const isRepeat = bit(8);
    const run = number(16 + isRepeat * 1024) + 2;
    if (isRepeat === 0) distance = number(16 + (2 + Math.min(run - 3, 2)) * 1024);
    for (let left = run; left > 0; left--) out.push(out.at(-distance) ?? Number.NaN);
  }
  expect(at).toBe(Math.max(packed.length, 4));
  return Buffer.from(out);
}

describe("packed bytes", () => {
  it("packed bytes unpack to what was packed, whatever repeats in it", () => {
    const run = fc.uint8Array({ maxLength: 40 });
    const repeated = fc
      .tuple(run, fc.nat(300))
      .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));
    fc.assert(
      fc.property(fc.array(fc.oneof(run, repeated), { maxLength: 6 }), (parts) => {
        const bytes = Buffer.concat(parts);
        expect(unpack(packBytes(bytes), bytes.length).equals(bytes)).toBe(true);
      }),
    );
  });

  it("a text that comes again after 70 KB is unpacked", () => {
    const text = Buffer.from("a text that comes again");
    const noise = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * at * 31) >> 7));
    const bytes = Buffer.concat([text, noise, text]);
    expect(unpack(packBytes(bytes), bytes.length).equals(bytes)).toBe(true);
  });

  it("packed bytes are fewer if runs repeat", () => {
    expect(packBytes(Buffer.from("max_tokens".repeat(100))).length).toBeLessThan(50);
  });
});

describe("a module with packed data", () => {
  const at = [10_000, 30_000] as const;
  const module = (pages: number) => {
    const text = `(module (memory (export "memory") ${String(pages)})
      (data (i32.const ${String(at[0])}) "${"first".repeat(30)}")
      (data (i32.const ${String(at[1])}) "second"))`;
    const parsed = binaryen.parseText(text);
    const bytes = Buffer.from(parsed.emitBinary());
    parsed.dispose();
    return bytes;
  };
  const memoryOf = (bytes: Buffer) => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)));
    return Buffer.from((exports.memory as WebAssembly.Memory).buffer);
  };

  it("a packed module has its data at the end of its memory, with place and length", () => {
    const whole = memoryOf(module(2));
    const memory = memoryOf(packData(module(2)));
    expect(memory.length).toBe(2 * PAGE);
    const trailer = memory.length - TRAILER;
    const [place, size, length] = [0, 4, 8].map((row) => memory.readUInt32LE(trailer + row));
    expect(place).toBe(at[0]);
    const end = at[1] + "second".length;
    expect(size).toBe(end - at[0]);
    const unpacked = unpack(memory.subarray(trailer - (length ?? 0), trailer), size ?? 0);
    expect(unpacked.equals(whole.subarray(at[0], end))).toBe(true);
    expect(memory.subarray(0, trailer - (length ?? 0)).every((byte) => byte === 0)).toBe(true);
  });

  it("a packed module has a page more if the packed bytes do not fit after the data", () => {
    expect(memoryOf(packData(module(1))).length).toBe(PAGE);
    const end = PAGE - 100;
    const text = `(module (memory (export "memory") 1)
      (data (i32.const ${String(end)}) "${"0123456789abcdefghijklmnopqrstuvwxyz".repeat(2)}"))`;
    const parsed = binaryen.parseText(text);
    const packed = packData(Buffer.from(parsed.emitBinary()));
    parsed.dispose();
    expect(memoryOf(packed).length).toBe(2 * PAGE);
  });

  it("a packed module is the same for the same module", () => {
    expect(packData(module(2)).equals(packData(module(2)))).toBe(true);
  });
});
