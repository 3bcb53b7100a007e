// A list of headers in the binary form of the host.
import { ByteBuffer, Span } from "../bytes/text/bytes";

/** Spans are not copied: they must stay valid until `serialise`. One list serves many calls. */
export class HeaderPairs {
  bytes: ByteBuffer = new ByteBuffer();
  private names: Span[] = [];
  private values: Span[] = [];

  add(name: Span, value: Span): void {
    this.names.push(name);
    this.values.push(value);
  }

  /** Fills `bytes` and clears the list: count, sizes of each name and value, then both with a NUL after (specification, "Serialized map"). */
  serialise(): void {
    const count = this.names.length;
    this.bytes.clear();
    this.word(count);
    for (let i = 0; i < count; i++) {
      this.word(this.names[i].length);
      this.word(this.values[i].length);
    }
    for (let i = 0; i < count; i++) {
      this.bytes.span(this.names[i]);
      this.bytes.byte(0);
      this.bytes.span(this.values[i]);
      this.bytes.byte(0);
    }
    this.names.length = 0;
    this.values.length = 0;
  }

  private word(value: u32): void {
    store<u32>(this.bytes.reserve(4), value);
    this.bytes.length += 4;
  }
}
