// Packs the data of a WebAssembly module, which its first code unpacks (filter/memory/packed-data.ts): 69 KB become 28.
//
// The form is that of LZ4's blocks. The packer is written here because the same sources have to give the same bytes on every machine,
// with any version of Node. https://webassembly.github.io/spec/core/binary/modules.html
const DATA = 11;
const DATA_COUNT = 12;
const MEMORY = 5;
const HEADER = 8;
const PAGE = 65_536;
/** See filter/memory/packed-data.ts. */
const TRAILER = 8;
const I32_CONST = 0x41;
const END = 0x0b;

const MIN_MATCH = 4;
/** Longer runs take several matches. Without it, a run of zeros would be compared with itself at each of its places. */
const MAX_MATCH = 128;
/** The last bytes of a block are literals (LZ4_Block_format.md, "End of block conditions"). */
const LAST_LITERALS = 5;
const MAX_DISTANCE = 0xffff;
/** Candidates that are compared at each place. */
const MAX_CANDIDATES = 2048;

interface Section {
  id: number;
  content: Buffer;
}

/** Returns the module with packed data. It must have one memory, and data of constant places only. */
export function packData(module: Buffer): Buffer {
  const sections = readSections(module);
  const { start, image } = readImage(contentOf(sections, DATA));
  const packed = packBytes(image);
  const end = Math.ceil((start + image.length + packed.length + TRAILER) / PAGE) * PAGE;
  const memory = withPages(contentOf(sections, MEMORY), end / PAGE);
  const trailer = Buffer.alloc(TRAILER);
  trailer.writeUInt32LE(start, 0);
  trailer.writeUInt32LE(packed.length, 4);
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

/** Packs bytes as one block of LZ4, in the fewest bytes that matches of at most 64 KB distance allow. */
export function packBytes(bytes: Buffer): Buffer {
  const matches = longestMatches(bytes);
  // Backwards: the fewest bytes from each place to the end, without those of long runs of literals.
  const cost = new Float64Array(bytes.length + 1);
  const taken = new Uint32Array(bytes.length + 1);
  for (let at = bytes.length - 1; at >= 0; at--) {
    cost[at] = (cost[at + 1] ?? 0) + 1;
    for (let length = matches[at]?.length ?? 0; length >= MIN_MATCH; length--) {
      const all = (cost[at + length] ?? 0) + 3 + longBytes(length - MIN_MATCH);
      if (all >= (cost[at] ?? 0)) continue;
      cost[at] = all;
      taken[at] = length;
    }
  }
  const out: number[] = [];
  let literals = 0;
  for (let at = 0; at < bytes.length;) {
    const length = taken[at] ?? 0;
    if (length === 0) at++;
    else {
      put(out, bytes.subarray(literals, at), length, matches[at]?.distance ?? 0);
      at += length;
      literals = at;
    }
  }
  put(out, bytes.subarray(literals), 0, 0);
  return Buffer.from(out);
}

/** Writes literals and the match after them; the end has no match. */
function put(out: number[], literals: Buffer, length: number, distance: number): void {
  const extra = length === 0 ? 0 : length - MIN_MATCH;
  out.push((Math.min(literals.length, 15) << 4) | Math.min(extra, 15));
  putLong(out, literals.length);
  for (const byte of literals) out.push(byte);
  if (length === 0) return;
  out.push(distance & 0xff, distance >> 8);
  putLong(out, extra);
}

function putLong(out: number[], length: number): void {
  if (length < 15) return;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) out.push(255);
  out.push(rest);
}

function longBytes(length: number): number {
  return length < 15 ? 0 : 1 + Math.floor((length - 15) / 255);
}

/** For each place, the longest run that stands before it already; the nearest of equal ones. */
function longestMatches(bytes: Buffer): ({ length: number; distance: number } | undefined)[] {
  const places = new Map<number, number[]>();
  const end = bytes.length - LAST_LITERALS;
  return Array.from({ length: bytes.length }, (_, at) => {
    if (at + MIN_MATCH > end) return undefined;
    const first = bytes.readUInt32LE(at);
    const before = places.get(first) ?? [];
    const limit = Math.min(end - at, MAX_MATCH);
    let [length, distance] = [0, 0];
    for (const from of before.slice(-MAX_CANDIDATES).reverse()) {
      if (at - from > MAX_DISTANCE) break;
      let same = MIN_MATCH;
      while (same < limit && bytes[from + same] === bytes[at + same]) same++;
      if (same > length) [length, distance] = [same, at - from];
      if (length === limit) break;
    }
    places.set(first, before);
    before.push(at);
    return length === 0 ? undefined : { length, distance };
  });
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
