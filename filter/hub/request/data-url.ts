// Reads a data: URL (RFC 2397), and which kind of URL a text is.
import { byteAt, startsWithIgnoringCase } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";

const DATA = constant("data:");
const BASE64 = constant(";base64");
/** A common misspelling of image/jpeg. */
const JPG = constant("image/jpg");
const JPEG = constant("image/jpeg");

export class DataUrl {
  isData: bool = false;
  isBase64: bool = false;
  isWeb: bool = false;
  isImage: bool = false;
  mediaType: Span = new Span(0, 0);
  data: Span = new Span(0, 0);

  read(pointer: usize, length: u32): void {
    this.isData = startsWithIgnoringCase(pointer, length, DATA);
    this.isWeb =
      startsWithIgnoringCase(pointer, length, constant("https://")) ||
      startsWithIgnoringCase(pointer, length, constant("http://"));
    this.isBase64 = false;
    this.isImage = false;
    if (!this.isData) return;
    const comma = indexOf(pointer, length, 0x2c);
    if (comma == length) return;
    const head = pointer + DATA.length;
    const headLength = comma - DATA.length;
    this.isBase64 =
      headLength >= BASE64.length &&
      startsWithIgnoringCase(head + headLength - BASE64.length, BASE64.length, BASE64);
    this.mediaType.pointer = head;
    this.mediaType.length = indexOf(head, headLength, 0x3b);
    this.data.pointer = pointer + comma + 1;
    this.data.length = length - comma - 1;
    this.isImage = startsWithIgnoringCase(head, this.mediaType.length, constant("image/"));
    if (isSame(this.mediaType, JPG)) {
      this.mediaType.pointer = JPEG.pointer;
      this.mediaType.length = JPEG.length;
    }
  }
}

function isSame(span: Span, text: Span): bool {
  return span.length == text.length && startsWithIgnoringCase(span.pointer, span.length, text);
}

/** Returns the offset of a byte, or `length`. */
function indexOf(pointer: usize, length: u32, byte: u32): u32 {
  let i: u32 = 0;
  while (i < length && byteAt(pointer, i) != byte) i++;
  return i;
}
