// The headers of a frame: each has a name, a type and a value.
import { constant, sameBytes, Span } from "../text/bytes";

const TYPE_BYTES: u32 = 6;
const TYPE_STRING: u32 = 7;
const TYPES: u32 = 10;
/** Bytes of a value of each type: true, false, integers of 1, 2, 4 and 8 bytes, bytes and string (own length), time, UUID. */
const SIZES = memory.data<u8>([0, 0, 1, 2, 4, 8, 0, 0, 8, 16]);

/** The values of the last frame's headers that matter; all others are skipped. The values are borrowed from the frame. */
export class FrameHeaders {
  /** `event`, `exception` or `error`. */
  messageType: Span = new Span(0, 0);
  /** The type of the event or of the exception, or the code of the error. */
  name: Span = new Span(0, 0);
  errorMessage: Span = new Span(0, 0);

  /** Reads the headers of a frame. Returns false if they are malformed. */
  read(pointer: usize, length: u32): bool {
    this.messageType.length = 0;
    this.name.length = 0;
    this.errorMessage.length = 0;
    const end = pointer + length;
    while (pointer < end) {
      const nameLength = <u32>load<u8>(pointer);
      const name = pointer + 1;
      // At least four bytes follow the headers: no load below leaves the frame.
      if (name + nameLength >= end) return false;
      const type = <u32>load<u8>(name + nameLength);
      if (type >= TYPES) return false;
      let value = name + nameLength + 1;
      let size = <u32>load<u8>(SIZES + type);
      if (type == TYPE_BYTES || type == TYPE_STRING) {
        size = <u32>bswap(load<u16>(value));
        value += 2;
      }
      if (value + size > end) return false;
      if (type == TYPE_STRING) this.set(name, nameLength, value, size);
      pointer = value + size;
    }
    return true;
  }

  private set(name: usize, nameLength: u32, value: usize, size: u32): void {
    const span = this.spanOf(name, nameLength);
    if (span === null) return;
    span.pointer = value;
    span.length = size;
  }

  private spanOf(name: usize, length: u32): Span | null {
    if (isName(name, length, constant(":message-type"))) return this.messageType;
    if (isName(name, length, constant(":error-message"))) return this.errorMessage;
    return isName(name, length, constant(":event-type")) ||
      isName(name, length, constant(":exception-type")) ||
      isName(name, length, constant(":error-code"))
      ? this.name
      : null;
  }
}

function isName(pointer: usize, length: u32, name: Span): bool {
  return sameBytes(pointer, length, name.pointer, name.length);
}
