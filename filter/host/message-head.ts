// The head of a request or a response, read from the host in one call.
//
// One header costs two crossings of the host boundary, its own and the one back for a block: about 10,000 instructions
// in Envoy, and 3,000 when it is absent. All of them together cost 12,000 (callgrind, case a16 of bench/).
import { freeBlock } from "../memory/blocks";
import { escapeWire } from "../bytes/json/text";
import {
  ByteBuffer,
  constant,
  sameBytes,
  sameSpan,
  scratchBuffer,
  Span,
} from "../bytes/text/bytes";
import { mask, mayHold } from "../bytes/text/mask";
import { namesCredential } from "../bytes/text/query";
import { removeHeader, setHeader, takeHeaders } from "./host";
import { NameRules } from "./header-rules";

/** A header to find. */
export class Wanted {
  /** Its value in the head that was read last, empty if it is absent. */
  value: Span = new Span(0, 0);
  constructor(
    public name: Span,
    /** Its bit in `present`; 0 for a header of which only the value is read. */
    public bit: u32,
    /** The next header whose name has the same length. */
    public next: Wanted | null,
  ) {}
}

const MAX_NAME: u32 = 63;
const BITS = 32;

const COOKIE = constant("cookie");
const COLON: u32 = 0x3a;
const COMMA: u32 = 0x2c;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;

const masked = scratchBuffer();
const nameSpan = new Span(0, 0);
const valueSpan = new Span(0, 0);

/** Only at module level: its spans are never freed. */
export class Head {
  /** Bits of the headers that are in the head that was read last, also with an empty value. */
  present: u32 = 0;
  /** Bits of those that it has more than once. */
  repeated: u32 = 0;
  /** Names of its headers to which the rules apply, each once. */
  private foreign: Span[] = [];
  private foreignCount: i32 = 0;
  private block: Span = new Span(0, 0);
  private all: Wanted[] = [];
  /** By the length of the name, which alone excludes most other headers. */
  private byLength: StaticArray<Wanted | null> = new StaticArray<Wanted | null>(MAX_NAME + 1);

  /**
   * @param map a header map of host.ts
   * @param rules which headers stay on their side of the gateway
   */
  constructor(
    private map: i32,
    private rules: NameRules,
  ) {}

  /** Registers a header, once; its name has at most MAX_NAME bytes. Its value is valid until the next `read`. */
  want(name: Span): Wanted {
    for (let i = 0; i < this.all.length; i++) {
      if (sameSpan(this.all[i].name, name)) return this.all[i];
    }
    const place = this.all.length;
    const header = new Wanted(name, place < BITS ? 1 << place : 0, this.byLength[name.length]);
    this.all.push(header);
    this.byLength[name.length] = header;
    return header;
  }

  /** Reads the head of the current stream, and frees the one before with its values. */
  read(): void {
    const all = this.all;
    const block = this.block;
    for (let i = 0; i < all.length; i++) unchecked(all[i]).value.length = 0;
    this.present = 0;
    this.repeated = 0;
    this.foreignCount = 0;
    freeBlock(block.pointer);
    takeHeaders(this.map, block);
    // Count, sizes of each name and value, then both with a NUL after (specification, "Serialized map").
    const count = <usize>(block.length < 4 ? 0 : load<u32>(block.pointer));
    let text = block.pointer + 4 + count * 8;
    for (let i: usize = 0; i < count; i++) {
      const nameLength = load<u32>(block.pointer + i * 8, 4);
      const valueLength = load<u32>(block.pointer + i * 8, 8);
      if (nameLength <= MAX_NAME) this.keep(text, nameLength, valueLength);
      if (this.rules.matches(text, nameLength)) this.keepForeign(text, nameLength);
      text += nameLength + valueLength + 2;
    }
  }

  /** Whether the head that was read last has headers to which the rules apply. */
  get hasForeign(): bool {
    return this.foreignCount > 0;
  }

  /** Removes those headers from Envoy's map, except for one. */
  removeForeign(kept: Span): void {
    for (let i = 0; i < this.foreignCount; i++) {
      const name = unchecked(this.foreign[i]);
      if (!sameSpan(name, kept)) removeHeader(this.map, name);
    }
  }

  /** Appends the names of those headers, each with a NUL after it. */
  copyForeign(out: ByteBuffer): void {
    for (let i = 0; i < this.foreignCount; i++) {
      const name = unchecked(this.foreign[i]);
      out.bytes(name.pointer, name.length + 1);
    }
  }

  /** Masks secrets in the values, also in Envoy's map, and then reads the head again. */
  mask(secrets: Span[]): void {
    const block = this.block;
    if (!mayHold(block.pointer, block.length, secrets)) return;
    let isChanged = false;
    const count = <usize>load<u32>(block.pointer);
    let text = block.pointer + 4 + count * 8;
    for (let i: usize = 0; i < count; i++) {
      const nameLength = load<u32>(block.pointer + i * 8, 4);
      const valueLength = load<u32>(block.pointer + i * 8, 8);
      const value = text + nameLength + 1;
      if (mask(value, valueLength, secrets, masked)) {
        setHeader(
          this.map,
          span(nameSpan, text, nameLength),
          span(valueSpan, masked.pointer, masked.length),
        );
        isChanged = true;
      }
      text += nameLength + valueLength + 2;
    }
    if (isChanged) this.read();
  }

  /** Appends all headers but pseudo ones as a JSON list of [name, value], with `***` for credentials and `redacted` ones. */
  writeJson(redacted: Span[], out: ByteBuffer): void {
    const block = this.block;
    const count = <usize>(block.length < 4 ? 0 : load<u32>(block.pointer));
    let text = block.pointer + 4 + count * 8;
    let separator = OPEN_BRACKET;
    for (let i: usize = 0; i < count; i++) {
      const nameLength = load<u32>(block.pointer + i * 8, 4);
      const valueLength = load<u32>(block.pointer + i * 8, 8);
      const value = text + nameLength + 1;
      if (nameLength > 0 && load<u8>(text) != COLON) {
        out.byte(separator);
        separator = COMMA;
        out.text('["');
        escapeWire(text, nameLength, out);
        out.text('","');
        if (isSecret(text, nameLength, redacted)) out.text("***");
        else escapeWire(value, valueLength, out);
        out.text('"]');
      }
      text += nameLength + valueLength + 2;
    }
    if (separator == OPEN_BRACKET) out.byte(OPEN_BRACKET);
    out.byte(CLOSE_BRACKET);
  }

  private keep(name: usize, nameLength: u32, valueLength: u32): void {
    let header = unchecked(this.byLength[nameLength]);
    while (header !== null) {
      if (sameBytes(name, nameLength, header.name.pointer, header.name.length)) {
        header.value.pointer = name + nameLength + 1;
        header.value.length = valueLength;
        this.repeated |= this.present & header.bit;
        this.present |= header.bit;
        return;
      }
      header = header.next;
    }
  }

  private keepForeign(name: usize, length: u32): void {
    const count = this.foreignCount;
    for (let i = 0; i < count; i++) {
      const known = unchecked(this.foreign[i]);
      if (sameBytes(name, length, known.pointer, known.length)) return;
    }
    // Envoy accepts 100 headers at most.
    if (count == this.foreign.length) this.foreign.push(new Span(0, 0));
    span(unchecked(this.foreign[count]), name, length);
    this.foreignCount = count + 1;
  }
}

function isSecret(name: usize, length: u32, redacted: Span[]): bool {
  if (namesCredential(name, name + length)) return true;
  if (sameBytes(name, length, COOKIE.pointer, COOKIE.length)) return true;
  for (let i = 0; i < redacted.length; i++) {
    if (sameBytes(name, length, redacted[i].pointer, redacted[i].length)) return true;
  }
  return false;
}

function span(out: Span, pointer: usize, length: u32): Span {
  out.pointer = pointer;
  out.length = length;
  return out;
}
