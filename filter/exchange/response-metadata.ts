// Puts a `metadata` member into the response of a language model: into the completion, or the first chunk of its stream.
import { ByteBuffer, Span } from "../bytes/text/bytes";

const OPEN_BRACE: u32 = 0x7b;

/** Works on the client's bytes as they leave: the member goes behind the first opening brace that comes. */
export class ResponseMetadata {
  /** `"metadata":{…},` */
  private member: ByteBuffer = new ByteBuffer();
  isDone: bool = false;

  /** `value`: the JSON of the member. */
  constructor(value: ByteBuffer) {
    this.member.text('"metadata":');
    this.member.bytes(value.pointer, value.length);
    this.member.text(",");
  }

  /**
   * Offset behind the first brace of these bytes, 0 when there is none or it has been seen before. In a stream the
   * first brace is that of the first event's data, because comments of providers hold none.
   */
  insertAt(pointer: usize, length: u32): u32 {
    if (this.isDone) return 0;
    for (let i: u32 = 0; i < length; i++) {
      if (load<u8>(pointer + i) != OPEN_BRACE) continue;
      this.isDone = true;
      return i + 1;
    }
    return 0;
  }

  span(out: Span): Span {
    out.pointer = this.member.pointer;
    out.length = this.member.length;
    return out;
  }

  release(): void {
    this.member.release();
  }
}
