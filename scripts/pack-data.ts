// Packs the data of a WebAssembly module, which its first code unpacks (filter/memory/packed-data.ts): 140 KB become 28.
// https://webassembly.github.io/spec/core/binary/modules.html
import { MODEL_BYTES, packBytes } from "./pack-bytes.ts";

const DATA = 11;
const DATA_COUNT = 12;
const MEMORY = 5;
const HEADER = 8;
const PAGE = 65_536;
/** See filter/memory/packed-data.ts. */
const TRAILER = 12;
const I32_CONST = 0x41;
const END = 0x0b;

interface Section {
  id: number;
  content: Buffer;
}

/** Returns the module with packed data. It must have one memory, and data of constant places only. */
export function packData(module: Buffer): Buffer {
  const sections = readSections(module);
  const { start, image } = readImage(contentOf(sections, DATA));
  const packed = packBytes(image);
  const end =
    Math.ceil((start + image.length + MODEL_BYTES + packed.length + TRAILER) / PAGE) * PAGE;
  const memory = withPages(contentOf(sections, MEMORY), end / PAGE);
  const trailer = Buffer.alloc(TRAILER);
  trailer.writeUInt32LE(start, 0);
  trailer.writeUInt32LE(image.length, 4);
  trailer.writeUInt32LE(packed.length, 8);
  const bytes = Buffer.concat([packed, trailer]);
  const place = memory.pages * PAGE - bytes.length;
  const data = Buffer.from([1, 0, I32_CONST, ...signed(place), END, ...unsigned(bytes.length)]);
  const changed = new Map([
    [MEMORY, memory.content],
    [DATA, Buffer.concat([data, bytes])],
    [DATA_COUNT, Buffer.from([1])],
  ]);
  return Buffer.concat([
    module.subarray(0, HEADER),
    ...sections.flatMap(({ id, content }) => {
      const now = changed.get(id) ?? content;
      return [Buffer.from([id, ...unsigned(now.length)]), now];
    }),
  ]);
}

/** Puts the segments together to the bytes from the first to the last of them. */
function readImage(content: Buffer): { start: number; image: Buffer } {
  const reader = new Reader(content);
  const segments = Array.from({ length: reader.unsigned() }, () => {
    if (reader.byte() !== 0 || reader.byte() !== I32_CONST)
      throw new Error("A data segment of the filter has no constant place.");
    const place = reader.signed();
    reader.byte();
    return { place, bytes: reader.bytes(reader.unsigned()) };
  });
  const start = Math.min(...segments.map(({ place }) => place));
  const image = Buffer.alloc(
    Math.max(...segments.map((one) => one.place + one.bytes.length)) - start,
  );
  for (const { place, bytes } of segments) bytes.copy(image, place - start);
  return { start, image };
}

/** Returns the section of the memory with at least so many pages at first. */
function withPages(content: Buffer, atLeast: number): { pages: number; content: Buffer } {
  const reader = new Reader(content);
  const [count, limits, first] = [reader.byte(), reader.byte(), reader.unsigned()];
  const pages = Math.max(first, atLeast);
  const rest = reader.bytes(content.length - reader.at);
  return { pages, content: Buffer.from([count, limits, ...unsigned(pages), ...rest]) };
}

function readSections(module: Buffer): Section[] {
  const reader = new Reader(module);
  reader.bytes(HEADER);
  const sections: Section[] = [];
  while (reader.at < module.length)
    sections.push({ id: reader.byte(), content: reader.bytes(reader.unsigned()) });
  return sections;
}

function contentOf(sections: Section[], id: number): Buffer {
  const found = sections.find((section) => section.id === id);
  if (found === undefined) throw new Error(`The filter has no section ${String(id)}.`);
  return found.content;
}

/** Reads the numbers of a module (LEB128). */
class Reader {
  at = 0;
  private readonly content: Buffer;

  constructor(content: Buffer) {
    this.content = content;
  }

  byte(): number {
    return this.content[this.at++] ?? 0;
  }

  bytes(length: number): Buffer {
    this.at += length;
    return this.content.subarray(this.at - length, this.at);
  }

  unsigned(): number {
    return this.number().value;
  }

  signed(): number {
    const { value, bits, last } = this.number();
    return (last & 0x40) === 0 ? value : value - 2 ** bits;
  }

  private number(): { value: number; bits: number; last: number } {
    for (let value = 0, bits = 0; ;) {
      const last = this.byte();
      value += (last & 0x7f) * 2 ** bits;
      bits += 7;
      if (last < 0x80) return { value, bits, last };
    }
  }
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** For a value that is not negative. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
