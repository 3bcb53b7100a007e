// A copy of a text that the collector frees: for names that come at run time, which outlive a callback and have no other owner.
import { PADDING, Span } from "./bytes";

export class HeldText {
  private readonly bytes: StaticArray<u8>;

  constructor(
    pointer: usize,
    public readonly length: u32,
  ) {
    this.bytes = new StaticArray<u8>(length + PADDING);
    memory.copy(this.pointer, pointer, length);
  }

  /** Where the text is, as long as this object is used. */
  get pointer(): usize {
    return changetype<usize>(this.bytes);
  }

  /** Points `span` at the text, and returns it. */
  view(span: Span): Span {
    span.pointer = this.pointer;
    span.length = this.length;
    return span;
  }

  toText(): string {
    return String.UTF8.decodeUnsafe(this.pointer, this.length);
  }
}
