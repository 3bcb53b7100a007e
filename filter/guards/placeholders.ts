// The placeholders of one exchange: `<EMAIL_7Q2K4M>`, by a keyed hash of the value, so that the same value has the same placeholder
// in every turn and in every worker, which keeps prompt caches and makes what a model writes again readable. Nothing in them needs an
// escape, not even in a JSON string inside of a JSON string, and their length depends on the kind alone.
import { byteAt, isDigit, isLetter, startsWith } from "../bytes/text/at";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "../bytes/text/bytes";
import { IssuedPlaceholders } from "./response/issued-placeholders";
import { DIGEST_BYTES, sha256 } from "../bytes/text/sha256";

/** More values than that in one request are not masked: it is handled by `on_failure`. */
const MAX_ISSUED: i32 = 4096;
/** Characters of the hash: five bits each. */
const ID_LENGTH: u32 = 6;
const ID_MASK: u32 = (1 << (ID_LENGTH * 5)) - 1;
/** Without those that people take for others. */
const ALPHABET = constant("0123456789ABCDEFGHJKLMNPQRSTUVWX");

const LESS: u32 = 0x3c;
const GREATER: u32 = 0x3e;
const UNDERSCORE: u32 = 0x5f;

const hashed = scratchBuffer();
const digest = scratchBuffer();
const written = scratchBuffer();
const value = new Span(0, 0);

class Issued {
  constructor(
    public name: Span,
    public id: u32,
    /** Where the value is in `values`. */
    public start: u32,
    public length: u32,
  ) {}
}

/** Released by its owner. */
export class Placeholders extends IssuedPlaceholders {
  private list: Issued[] = [];
  private issued: Issued | null = null;
  private values: ByteBuffer = new ByteBuffer();

  get count(): i32 {
    return this.list.length;
  }

  /**
   * Appends the placeholder of a value. Returns false if there are too many, or there is no memory.
   * @param key of the hash @param name of the kind, written in capitals
   */
  write(key: Span, name: Span, pointer: usize, length: u32, out: ByteBuffer): bool {
    const id = this.idOf(key, name, pointer, length);
    if (this.issued === null) {
      const start = this.values.length;
      this.values.bytes(pointer, length);
      if (this.list.length >= MAX_ISSUED || this.values.length - start != length) return false;
      this.list.push(new Issued(name, id, start, length));
    }
    writePlaceholder(name, id, out);
    return true;
  }

  /** Returns whether a value has a placeholder already. */
  has(key: Span, name: Span, pointer: usize, length: u32): bool {
    this.idOf(key, name, pointer, length);
    return this.issued !== null;
  }

  match(pointer: usize, length: u32): i32 {
    for (let i = 0; i < this.list.length; i++) {
      const text = textOf(unchecked(this.list[i]));
      if (startsWith(pointer, length, text.view(value))) return i;
    }
    return -1;
  }

  isBeginning(pointer: usize, length: u32): bool {
    for (let i = 0; i < this.list.length; i++) {
      const text = textOf(unchecked(this.list[i]));
      if (length < text.length && sameBytes(text.pointer, length, pointer, length)) return true;
    }
    return false;
  }

  lengthOf(index: i32): u32 {
    return index < this.list.length ? textOf(this.list[index]).length : 0;
  }

  writeValue(index: i32, out: ByteBuffer): void {
    if (index >= this.list.length) return;
    const issued = this.list[index];
    out.bytes(this.values.pointer + issued.start, issued.length);
  }

  release(): void {
    this.values.release();
    this.list = [];
    this.issued = null;
  }

  /** Returns the number of a value's placeholder, and sets `issued` to it; null if the value has none yet. */
  private idOf(key: Span, name: Span, pointer: usize, length: u32): u32 {
    let id = hashOf(key, name, pointer, length);
    let issued = this.find(id);
    while (issued !== null && !this.isOf(issued, name, pointer, length)) {
      id = (id + 1) & ID_MASK;
      issued = this.find(id);
    }
    this.issued = issued;
    return id;
  }

  private find(id: u32): Issued | null {
    for (let i = 0; i < this.list.length; i++) {
      if (unchecked(this.list[i]).id == id) return unchecked(this.list[i]);
    }
    return null;
  }

  private isOf(issued: Issued, name: Span, pointer: usize, length: u32): bool {
    const own = this.values.pointer + issued.start;
    return issued.name === name && sameBytes(own, issued.length, pointer, length);
  }
}

/** Appends the placeholder of a kind whose values do not come back: `<EMAIL>`. */
export function writeKindPlaceholder(name: Span, out: ByteBuffer): void {
  out.byte(LESS);
  writeName(name, out);
  out.byte(GREATER);
}

function writePlaceholder(name: Span, id: u32, out: ByteBuffer): void {
  out.byte(LESS);
  writeName(name, out);
  out.byte(UNDERSCORE);
  for (let shift = (ID_LENGTH - 1) * 5; ; shift -= 5) {
    out.byte(byteAt(ALPHABET.pointer, (id >> shift) & 31));
    if (shift == 0) break;
  }
  out.byte(GREATER);
}

/** Capitals, digits and `_` in place of anything else. */
function writeName(name: Span, out: ByteBuffer): void {
  for (let i: u32 = 0; i < name.length; i++) {
    const byte = byteAt(name.pointer, i);
    if (isLetter(byte)) out.byte(byte & 0xdf);
    else out.byte(isDigit(byte) ? byte : UNDERSCORE);
  }
}

/** Returns the text of a placeholder, until the next call. */
function textOf(issued: Issued): ByteBuffer {
  written.clear();
  writePlaceholder(issued.name, issued.id, written);
  return written;
}

function hashOf(key: Span, name: Span, pointer: usize, length: u32): u32 {
  hashed.clear();
  hashed.span(key);
  hashed.span(name);
  hashed.byte(0);
  hashed.bytes(pointer, length);
  digest.clear();
  const out = digest.reserve(DIGEST_BYTES);
  if (out == 0) return 0;
  sha256(hashed.pointer, hashed.length, out);
  let id: u32 = 0;
  for (let i: u32 = 0; i < 4; i++) id = (id << 8) | byteAt(out, i);
  return id & ID_MASK;
}
