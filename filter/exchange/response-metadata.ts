// The `metadata` member that is inserted into the response of a language model: into the completion, or the first chunk of
// its stream.
import { ClientDialect } from "../dialects/client-dialect";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import { findByte } from "../bytes/text/find";

const OPEN_BRACE: u32 = 0x7b;

/** The member goes after the first opening brace of the client's bytes. */
export class ResponseMetadata {
  /** Such as `"metadata":{…},`. */
  private member: ByteBuffer = new ByteBuffer();
  isDone: bool = false;

  /** `value`: the JSON of the member. */
  constructor(client: ClientDialect, value: ByteBuffer) {
    this.member.byte(0x22);
    this.member.text(client.metadataMember);
    this.member.text('":');
    this.member.bytes(value.pointer, value.length);
    this.member.text(",");
  }

  /**
   * Returns the offset after the first brace of these bytes; 0 if there is none, or the member has been inserted. In a
   * stream the first brace is that of the first event's data, because comments of providers have none.
   */
  insertAt(pointer: usize, length: u32): u32 {
    if (this.isDone) return 0;
    const brace = findByte(pointer, pointer + length, OPEN_BRACE);
    if (brace == 0) return 0;
    this.isDone = true;
    return <u32>(brace - pointer) + 1;
  }

  span(out: Span): Span {
    return this.member.view(out);
  }

  release(): void {
    this.member.release();
  }
}
