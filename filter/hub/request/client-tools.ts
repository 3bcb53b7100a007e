// The tools of a request whose names or kinds differ between client and provider: the writer of the response restores what
// the client declared. A provider gets functions only, in one flat list.
import { ByteBuffer, sameBytes } from "../../bytes/text/bytes";
import { byteAt } from "../../bytes/text/at";

export const KIND_FUNCTION: u32 = 0;
/** Its input is a text instead of JSON. */
export const KIND_CUSTOM: u32 = 1;
/** A computer, whose calls have a list of actions; before that, one action. */
export const KIND_COMPUTER: u32 = 2;
export const KIND_PREVIEW: u32 = 3;

/** A tool as its client declared it. Escaped texts, valid until the next `add`. */
export class ClientTool {
  name: usize = 0;
  nameLength: u32 = 0;
  /** The namespace, empty if there is none. */
  space: usize = 0;
  spaceLength: u32 = 0;
  /** KIND_ */
  kind: u32 = KIND_FUNCTION;

  get isCustom(): bool {
    return this.kind == KIND_CUSTOM;
  }
}

/** Bytes before the texts of an entry: three lengths of four bytes, and the kind. */
const HEAD: u32 = 13;

const found = new ClientTool();

export class ClientTools {
  /** One entry after the other: lengths of the three texts, the kind, the texts. */
  private entries: ByteBuffer = new ByteBuffer();

  get isEmpty(): bool {
    return this.entries.length == 0;
  }

  /** Adds a tool. `wire`: the name that providers get; all texts escaped. */
  add(
    wire: usize,
    wireLength: u32,
    name: usize,
    nameLength: u32,
    space: usize,
    spaceLength: u32,
    kind: u32,
  ): void {
    const entries = this.entries;
    if (entries.reserve(HEAD + wireLength + nameLength + spaceLength) == 0) return;
    writeLength(entries, wireLength);
    writeLength(entries, nameLength);
    writeLength(entries, spaceLength);
    entries.byte(kind);
    entries.bytes(wire, wireLength);
    entries.bytes(name, nameLength);
    entries.bytes(space, spaceLength);
  }

  /** Returns the tool by the name that providers get, or null. Valid until the next call. */
  find(wire: usize, wireLength: u32): ClientTool | null {
    const start = this.entries.pointer;
    let at: u32 = 0;
    while (at + HEAD <= this.entries.length) {
      const length = readLength(start + at);
      const nameLength = readLength(start + at + 4);
      const spaceLength = readLength(start + at + 8);
      const texts = start + at + HEAD;
      if (sameBytes(texts, length, wire, wireLength)) {
        found.name = texts + length;
        found.nameLength = nameLength;
        found.space = texts + length + nameLength;
        found.spaceLength = spaceLength;
        found.kind = byteAt(start + at, 12);
        return found;
      }
      at += HEAD + length + nameLength + spaceLength;
    }
    return null;
  }

  clear(): void {
    this.entries.clear();
  }

  release(): void {
    this.entries.release();
  }
}

function writeLength(out: ByteBuffer, length: u32): void {
  for (let shift: u32 = 0; shift < 32; shift += 8) out.byte((length >> shift) & 0xff);
}

function readLength(at: usize): u32 {
  return byteAt(at, 0) | (byteAt(at, 1) << 8) | (byteAt(at, 2) << 16) | (byteAt(at, 3) << 24);
}
