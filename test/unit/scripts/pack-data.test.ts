// scripts/pack-data.ts: what it packs is unpacked as LZ4 describes it, and the module stays a module.
import binaryen from "assemblyscript/binaryen";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packBytes, packData } from "../../../scripts/pack-data.ts";

const PAGE = 65_536;
const TRAILER = 8;

/** A reader of LZ4's blocks by their description, not by the filter's code. */
function unpack(packed: Buffer): Buffer {
  const out: number[] = [];
  let at = 0;
  const next = () => packed[at++] ?? 0;
  const long = (first: number) => {
    let length = first;
    for (let more = first === 15 ? 255 : 0; more === 255; length += more) more = next();
    return length;
  };
  while (at < packed.length) {
    const token = next();
    for (let left = long(token >> 4); left > 0; left--) out.push(next());
    if (at === packed.length) break;
    const distance = next() + next() * 256;
    for (let left = long(token & 15) + 4; left > 0; left--)
      out.push(out[out.length - distance] ?? Number.NaN);
  }
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
        expect(unpack(packBytes(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });

  it("no match refers to anything that is more than 64 KB back", () => {
    const text = Buffer.from("a text that comes again");
    const noise = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * at * 31) >> 7));
    const bytes = Buffer.concat([text, noise, text]);
    expect(unpack(packBytes(bytes)).equals(bytes)).toBe(true);
  });

  it("packed bytes are fewer if runs repeat", () => {
    expect(packBytes(Buffer.from("max_tokens".repeat(100))).length).toBeLessThan(50);
  });
});

describe("a module with packed data", () => {
  const at = [20_000, 60_000] as const;
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
    const [place, length] = [memory.readUInt32LE(trailer), memory.readUInt32LE(trailer + 4)];
    expect(place).toBe(at[0]);
    const unpacked = unpack(memory.subarray(trailer - length, trailer));
    expect(unpacked.equals(whole.subarray(at[0], at[1] + "second".length))).toBe(true);
    expect(memory.subarray(0, trailer - length).every((byte) => byte === 0)).toBe(true);
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
