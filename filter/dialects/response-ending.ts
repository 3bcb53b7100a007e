// What a response has shown of itself, so that the gateway can end it in its place: in the client's dialect, as the same response.
import { KIND_OBJECT, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";

/** More is not repeated. Bytes. */
const MAX_HEAD: u32 = 64 << 10;
const COLON: u32 = 0x3a;
const COMMA: u32 = 0x2c;

/** Members that show how far the response has come. */
const STATE: Span[] = [
  constant("choices"),
  constant("output"),
  constant("status"),
  constant("error"),
  constant("incomplete_details"),
  constant("completed_at"),
  constant("obfuscation"),
];
const USAGE = constant("usage");

export class ResponseEnding {
  /** The members of the response as JSON, with a comma after each. */
  head: ByteBuffer = new ByteBuffer();
  /** The number of the next event. */
  number: i64 = 0;
  /** The last choice that has begun. */
  lastChoice: u32 = 0;

  /** Keeps the members of an object that describes the response. */
  keep(tape: Tape, object: u32, withUsage: bool): void {
    const head = this.head;
    if (head.length > 0 || tape.kind(object) != KIND_OBJECT) return;
    const end = tape.next(object);
    for (let key = tape.first(object); key < end; key = tape.next(key + 1)) {
      const isState = tape.indexIn(key, STATE) >= 0 || (!withUsage && tape.equals(key, USAGE));
      const value = key + 1;
      const size = tape.outerEnd(value) - tape.outerStart(value);
      if (isState || size > MAX_HEAD - min(head.length, MAX_HEAD)) continue;
      head.bytes(tape.base + tape.outerStart(key), tape.size(key) + 2);
      head.byte(COLON);
      head.bytes(tape.base + tape.outerStart(value), size);
      head.byte(COMMA);
    }
  }

  release(): void {
    this.head.release();
  }
}
