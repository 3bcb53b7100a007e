// Escaping and unescaping: between the raw bytes of a JSON string and plain UTF-8.
import { hexValue } from "../text/at";
import { ByteBuffer, scratchBuffer, Span } from "../text/bytes";
import { appendValidUtf8 } from "../text/valid-utf8";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const REPLACEMENT: u32 = 0xfffd;

/** Returns the value of four hexadecimal digits, which the scanner has checked. */
function hexUnit(pointer: usize): u32 {
  let unit: u32 = 0;
  for (let i: usize = 0; i < 4; i++) unit = (unit << 4) | (hexValue(load<u8>(pointer + i)) & 15);
  return unit;
}

/** Appends one code point as UTF-8. */
function putCodePoint(out: ByteBuffer, point: u32): void {
  if (point < 0x80) {
    out.byte(point);
  } else if (point < 0x800) {
    out.byte(0xc0 | (point >> 6));
    out.byte(0x80 | (point & 63));
  } else if (point < 0x10000) {
    out.byte(0xe0 | (point >> 12));
    out.byte(0x80 | ((point >> 6) & 63));
    out.byte(0x80 | (point & 63));
  } else {
    out.byte(0xf0 | (point >> 18));
    out.byte(0x80 | ((point >> 12) & 63));
    out.byte(0x80 | ((point >> 6) & 63));
    out.byte(0x80 | (point & 63));
  }
}

/** Returns the byte for which the letter of an escape stands, but for `u`. */
export function unescapedByte(letter: u32): u32 {
  if (letter == 0x6e) return 0x0a;
  if (letter == 0x74) return 0x09;
  if (letter == 0x72) return 0x0d;
  if (letter == 0x62) return 0x08;
  if (letter == 0x66) return 0x0c;
  return letter;
}

/**
 * Appends the plain UTF-8 text of a string's raw bytes, which the scanner has accepted. A lone surrogate becomes U+FFFD,
 * because UTF-8 cannot encode it.
 */
export function unescape(pointer: usize, length: u32, out: ByteBuffer): void {
  const end = pointer + length;
  let plain = pointer;
  while (pointer < end) {
    if (load<u8>(pointer) != BACKSLASH) {
      pointer++;
      continue;
    }
    out.bytes(plain, <u32>(pointer - plain));
    if (pointer + 1 >= end) return;
    const letter = load<u8>(pointer + 1);
    if (letter == 0x75 && pointer + 6 <= end) {
      let point = hexUnit(pointer + 2);
      pointer += 6;
      if ((point & 0xf800) == 0xd800) {
        let low: u32 = 0;
        if (
          point < 0xdc00 &&
          pointer + 6 <= end &&
          load<u8>(pointer) == BACKSLASH &&
          load<u8>(pointer + 1) == 0x75
        ) {
          low = hexUnit(pointer + 2);
        }
        if ((low & 0xfc00) == 0xdc00) {
          point = 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
          pointer += 6;
        } else {
          point = REPLACEMENT;
        }
      }
      putCodePoint(out, point);
    } else {
      out.byte(unescapedByte(letter));
      pointer += 2;
    }
    plain = pointer;
  }
  out.bytes(plain, <u32>(end - plain));
}

/** Returns whether the raw bytes of a scanned string can be cut here: not in an escape or a character. */
export function isBoundary(pointer: usize, length: u32, cut: u32): bool {
  if (cut >= length) return cut == length;
  let at: u32 = 0;
  while (at < cut) {
    if (load<u8>(pointer + at) != BACKSLASH) at++;
    else at += load<u8>(pointer + at, 1) == 0x75 ? 6 : 2;
  }
  return at == cut && (load<u8>(pointer + cut) & 0xc0) != 0x80;
}

const scratch = scratchBuffer();

/** Returns whether the raw bytes of a string, unescaped, equal `text`. */
export function unescapedEquals(pointer: usize, length: u32, text: Span): bool {
  // An escape has at most six bytes for one: a cheap check that rejects most strings.
  if (length < text.length || length > text.length * 6) return false;
  scratch.clear();
  unescape(pointer, length, scratch);
  return (
    scratch.length == text.length && memory.compare(scratch.pointer, text.pointer, text.length) == 0
  );
}

const HEX = memory.data<u8>([48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102]);

// Constants of the vector code; string.ts explains why they are loaded from memory.
const QUOTES = memory.data<u64>([0x2222222222222222, 0x2222222222222222]);
const BACKSLASHES = memory.data<u64>([0x5c5c5c5c5c5c5c5c, 0x5c5c5c5c5c5c5c5c]);
const CONTROLS = memory.data<u64>([0x1f1f1f1f1f1f1f1f, 0x1f1f1f1f1f1f1f1f]);

/** Appends valid UTF-8 text as the content of a JSON string, without quotes. The block has PADDING bytes after the text. */
export function escape(pointer: usize, length: u32, out: ByteBuffer): void {
  const end = pointer + length;
  let plain = pointer;
  while (pointer < end) {
    const bytes = v128.load(pointer);
    const places = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(bytes, v128.load(QUOTES)), i8x16.eq(bytes, v128.load(BACKSLASHES))),
        i8x16.eq(i8x16.min_u(bytes, v128.load(CONTROLS)), bytes),
      ),
    );
    if (places == 0) {
      pointer += 16;
      continue;
    }
    pointer += ctz(places);
    if (pointer >= end) break;
    out.bytes(plain, <u32>(pointer - plain));
    escapeByte(load<u8>(pointer), out);
    plain = ++pointer;
  }
  out.bytes(plain, <u32>(end - plain));
}

function escapeByte(byte: u32, out: ByteBuffer): void {
  out.byte(BACKSLASH);
  if (byte == QUOTE || byte == BACKSLASH) out.byte(byte);
  else if (byte == 0x0a) out.byte(0x6e);
  else if (byte == 0x0d) out.byte(0x72);
  else if (byte == 0x09) out.byte(0x74);
  else {
    out.byte(0x75);
    out.byte(0x30);
    out.byte(0x30);
    out.byte(load<u8>(HEX + (byte >> 4)));
    out.byte(load<u8>(HEX + (byte & 15)));
  }
}

const valid = scratchBuffer();

/** Appends bytes of the wire as the content of a JSON string, without quotes; a byte that is not UTF-8 becomes U+FFFD. */
export function escapeWire(pointer: usize, length: u32, out: ByteBuffer): void {
  valid.clear();
  appendValidUtf8(pointer, length, valid);
  escape(valid.pointer, valid.length, out);
}

/** Appends a string of the program as the content of a JSON string. For rare paths (error messages). */
export function escapeText(text: string, out: ByteBuffer): void {
  const plain = new ByteBuffer();
  plain.text(text);
  escape(plain.pointer, plain.length, out);
  plain.release();
}
