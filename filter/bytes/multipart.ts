// A `multipart/form-data` body: where the fields of one name are. A body that parsers could read in different ways is
// rejected, so that the provider reads the same fields.
// @see RFC 7578, RFC 2046 (section 5.1)
import { byteAt, isDigit, isLetter, startsWith, startsWithIgnoringCase } from "./text/at";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "./text/bytes";
import { find, findByte } from "./text/find";

const BOUNDARY = constant("boundary");
const DISPOSITION = constant("content-disposition:");
const FORM_DATA = constant("form-data");
const NAME = constant("name");
const HEAD_END = constant("\r\n\r\n");
const LINE_END = constant("\r\n");
const END = constant("--");

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const SEMICOLON: u32 = 0x3b;
const EQUALS: u32 = 0x3d;
const STAR: u32 = 0x2a;

/** RFC 2046 allows 70 bytes. */
const MAX_BOUNDARY: u32 = 200;
/** A form has one field of each name; some repeat a few. */
const MAX_FIELDS: i32 = 16;

/** A field's value: offsets in the body. */
class Field {
  start: u32 = 0;
  end: u32 = 0;
}

/** One form at a time: valid until the next `read`. */
export class Form {
  /** The fields of the name that was asked for. */
  fields: Field[] = [];
  count: i32 = 0;
  /** CRLF, two dashes and the boundary. */
  private delimiter: ByteBuffer = scratchBuffer();
  private delimiterSpan: Span = new Span(0, 0);
  /** The name of the part that was read last. */
  private name: Span = new Span(0, 0);

  constructor() {
    for (let i = 0; i < MAX_FIELDS; i++) this.fields.push(new Field());
  }

  /** Returns the delimiter between parts without the CRLF before it. */
  firstDelimiter(out: Span): Span {
    out.pointer = this.delimiter.pointer + 2;
    out.length = this.delimiter.length - 2;
    return out;
  }

  /** Reads the boundary of a content type. Returns false without exactly one that all parsers read alike. */
  readBoundary(type: Span): bool {
    let at: u32 = 0;
    for (let i: u32 = 0; i < type.length; i++) {
      if (!isParameter(type, i)) continue;
      if (at > 0) return false;
      at = i + BOUNDARY.length;
    }
    // Within another word (`xboundary=`) a search for the name finds it, and a parser does not.
    if (at == 0 || at >= type.length || !isBetween(type, at - BOUNDARY.length - 1)) return false;
    if (byteAt(type.pointer, at++) != EQUALS) return false;
    const isQuoted = at < type.length && byteAt(type.pointer, at) == QUOTE;
    if (isQuoted) at++;
    let end = at;
    while (end < type.length && isOfBoundary(byteAt(type.pointer, end))) end++;
    if (end == at || end - at > MAX_BOUNDARY) return false;
    this.delimiter.clear();
    this.delimiter.span(LINE_END);
    this.delimiter.span(END);
    this.delimiter.bytes(type.pointer + at, end - at);
    if (!isQuoted) return end == type.length || isBetween(type, end);
    return end < type.length && byteAt(type.pointer, end) == QUOTE;
  }

  /**
   * Finds the fields with a name in a body, which has PADDING bytes after it. `readBoundary` comes before it. Returns false
   * if the body is not a form that all parsers read alike.
   */
  read(pointer: usize, length: u32, name: Span): bool {
    this.count = 0;
    const delimiter = this.delimiter.view(this.delimiterSpan);
    const end = pointer + length;
    // The first delimiter has no CRLF before it.
    let at = pointer + delimiter.length - 2;
    if (
      at > end ||
      !sameBytes(pointer, delimiter.length - 2, delimiter.pointer + 2, delimiter.length - 2)
    )
      return false;
    while (!startsWith(at, <u32>(end - at), END)) {
      if (!startsWith(at, <u32>(end - at), LINE_END)) return false;
      const head = at;
      const headEnd = find(head, <u32>(end - head), HEAD_END);
      if (headEnd == 0 || !this.readName(head + 2, headEnd)) return false;
      const value = headEnd + HEAD_END.length;
      const valueEnd = find(value, <u32>(end - value), delimiter);
      if (valueEnd == 0) return false;
      if (sameBytes(this.name.pointer, this.name.length, name.pointer, name.length)) {
        if (this.count >= MAX_FIELDS) return false;
        const field = this.fields[this.count++];
        field.start = <u32>(value - pointer);
        field.end = <u32>(valueEnd - pointer);
      }
      at = valueEnd + delimiter.length;
    }
    return true;
  }

  /** Reads the name of a part from its headers. Returns false without exactly one. */
  private readName(at: usize, end: usize): bool {
    let found = false;
    while (at < end) {
      const next = find(at, <u32>(end - at), LINE_END);
      const lineEnd = next == 0 ? end : next;
      const length = <u32>(lineEnd - at);
      // A line that continues the one before is obsolete, and read in two ways.
      if (length == 0 || byteAt(at) <= 0x20) return false;
      if (startsWithIgnoringCase(at, length, DISPOSITION)) {
        if (found || !this.readDisposition(at + DISPOSITION.length, lineEnd)) return false;
        found = true;
      }
      at = lineEnd + 2;
    }
    return found;
  }

  /** Reads `form-data; name="model"; filename="…"`. */
  private readDisposition(at: usize, end: usize): bool {
    at = afterSpace(at, end);
    if (!startsWithIgnoringCase(at, <u32>(end - at), FORM_DATA)) return false;
    at += FORM_DATA.length;
    let found = false;
    while ((at = afterSpace(at, end)) < end) {
      if (byteAt(at) != SEMICOLON) return false;
      at = afterSpace(at + 1, end);
      if (at >= end) break;
      const equals = findByte(at, end, EQUALS);
      if (equals == 0) return false;
      const isName = startsWithIgnoringCase(at, <u32>(equals - at), NAME);
      const value = equals + 1;
      const isQuoted = value < end && byteAt(value) == QUOTE;
      const valueEnd = isQuoted ? quoteEnd(value + 1, end) : tokenEnd(value, end);
      if (valueEnd == 0) return false;
      if (isName) {
        // Neither `name*=`, nor two names, nor one with escapes.
        if (found || <u32>(equals - at) != NAME.length) return false;
        this.name.pointer = isQuoted ? value + 1 : value;
        this.name.length = <u32>(valueEnd - this.name.pointer);
        if (findByte(this.name.pointer, valueEnd, BACKSLASH) != 0) return false;
        found = true;
      }
      at = isQuoted ? valueEnd + 1 : valueEnd;
    }
    return found;
  }
}

/**
 * Returns whether a parser may find a boundary at an offset of a content type: `boundary=`, `Boundary =`, `boundary*=`. Letters
 * follow the word in a boundary of browsers: `----WebKitFormBoundary7MA4`.
 */
function isParameter(type: Span, at: u32): bool {
  if (!startsWithIgnoringCase(type.pointer + at, type.length - at, BOUNDARY)) return false;
  const after = at + BOUNDARY.length;
  if (after >= type.length) return false;
  const byte = byteAt(type.pointer, after);
  return byte == EQUALS || byte == STAR || byte <= 0x20;
}

/** Returns whether the byte at an offset is between parameters; the offset is in the content type. */
function isBetween(type: Span, at: u32): bool {
  return byteAt(type.pointer, at) == SEMICOLON || byteAt(type.pointer, at) == 0x20;
}

/** RFC 2046, without comma and space, at which some parsers end it. */
function isOfBoundary(byte: u32): bool {
  if (isLetter(byte) || isDigit(byte)) return true;
  // ' ( ) + - . / : = ? _
  if (byte == 0x27 || byte == 0x28 || byte == 0x29 || byte == 0x2b || byte == EQUALS) return true;
  return (byte >= 0x2d && byte <= 0x2f) || byte == 0x3a || byte == 0x3f || byte == 0x5f;
}

function afterSpace(at: usize, end: usize): usize {
  while (at < end && (byteAt(at) == 0x20 || byteAt(at) == 0x09)) at++;
  return at;
}

/** Returns the address of the closing quote, 0 if there is none. Behind a backslash it is one for browsers alone. */
function quoteEnd(at: usize, end: usize): usize {
  const quote = findByte(at, end, QUOTE);
  return quote == 0 || byteAt(quote - 1) == BACKSLASH ? 0 : quote;
}

function tokenEnd(at: usize, end: usize): usize {
  while (at < end && byteAt(at) != SEMICOLON && byteAt(at) > 0x20) at++;
  return at;
}
