// The query of a path: where it begins, and which parameters hold a credential, to mask or to drop them.
import { hexValue } from "./at";
import { ByteBuffer, constant, sameBytes, scratchBuffer, Span } from "./bytes";

/**
 * Ends of parameter names, in lower case: `key`, `api_key`, `x-api-key`, `accessToken`, `X-Amz-Signature`. docs/securing.md
 * lists them too.
 */
const CREDENTIAL_NAMES: StaticArray<Span> = [
  constant("key"),
  constant("token"),
  constant("sig"),
  constant("signature"),
  constant("secret"),
  constant("password"),
  constant("passwd"),
  constant("credential"),
  constant("credentials"),
  constant("auth"),
  constant("authorization"),
  constant("bearer"),
  constant("jwt"),
];

const QUESTION: u32 = 0x3f;
const AMPERSAND: u32 = 0x26;
const SEMICOLON: u32 = 0x3b;
const EQUALS: u32 = 0x3d;
const PERCENT: u32 = 0x25;

const name = scratchBuffer();
const nameSpan = new Span(0, 0);
const NO_QUERY = new Span(0, 0);

/** Returns the size of a request target without its query, in bytes. */
export function lengthWithoutQuery(path: Span): u32 {
  for (let i: u32 = 0; i < path.length; i++) {
    if (load<u8>(path.pointer + i) == QUESTION) return i;
  }
  return path.length;
}

/** Appends a path and its query, if it has one, with `***` in place of each credential in the query. */
export function appendMaskedPath(path: Span, out: ByteBuffer): void {
  const length = lengthWithoutQuery(path);
  out.bytes(path.pointer, length);
  maskCredentials(path.pointer + length, path.length - length, out);
}

/** Appends a query, which begins with `?`, with `***` in place of each credential. */
export function maskCredentials(pointer: usize, length: u32, out: ByteBuffer): void {
  copyParameters(pointer, length, true, out);
}

/** Appends a query, which begins with `?`, without the parameters that hold a credential; nothing if no other is left. */
export function dropCredentials(pointer: usize, length: u32, out: ByteBuffer): void {
  copyParameters(pointer, length, false, out);
}

/** Appends a path and its query, if it has one, without the parameters that the query `own` has. */
export function dropParameters(path: Span, own: Span, out: ByteBuffer): void {
  const length = lengthWithoutQuery(path);
  out.bytes(path.pointer, length);
  copyParameters(path.pointer + length, path.length - length, false, out, own);
}

/** Parameters without a credential, and not in the query `own`, keep their bytes and the separator in front of them. */
function copyParameters(
  pointer: usize,
  length: u32,
  masks: bool,
  out: ByteBuffer,
  own: Span = NO_QUERY,
): void {
  if (length == 0) return;
  const end = pointer + length;
  let separator = QUESTION;
  for (let at = pointer + 1; at <= end;) {
    let equals: usize = 0;
    let stop = at;
    for (; stop < end; stop++) {
      const byte = <u32>load<u8>(stop);
      if (byte == AMPERSAND || byte == SEMICOLON || byte == QUESTION) break;
      if (byte == EQUALS && equals == 0) equals = stop;
    }
    const isCredential = equals != 0 && namesCredential(at, equals);
    if (masks || !(isCredential || isIn(own, at, equals == 0 ? stop : equals))) {
      out.byte(separator);
      out.bytes(at, <u32>((isCredential ? equals + 1 : stop) - at));
      if (isCredential) out.text("***");
      separator = stop < end ? <u32>load<u8>(stop) : 0;
    }
    at = stop + 1;
  }
}

/** Appends a part of a path, percent-decoded. */
export function decodePath(pointer: usize, length: u32, out: ByteBuffer): void {
  for (let i: u32 = 0; i < length; i++) {
    let byte = <u32>load<u8>(pointer + i);
    if (byte == PERCENT && length - i > 2) {
      const code = escapedByte(pointer + i);
      if (code < 256) {
        byte = code;
        i += 2;
      }
    }
    out.byte(byte);
  }
}

/** Returns whether a query, which begins with `?`, has a parameter with this name. */
export function hasParameter(pointer: usize, length: u32, word: Span): bool {
  for (let i: u32 = 0; i + word.length < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte != QUESTION && byte != AMPERSAND) continue;
    const after = i + 1 + word.length;
    const isEnd = after == length || load<u8>(pointer + after) == EQUALS;
    if (isEnd && sameBytes(pointer + i + 1, word.length, word.pointer, word.length)) return true;
  }
  return false;
}

/** Returns the byte of the escape `%41` at `pointer`; 256 or more if it is not one. */
function escapedByte(pointer: usize): u32 {
  const high = hexValue(load<u8>(pointer + 1));
  const low = hexValue(load<u8>(pointer + 2));
  return high < 16 && low < 16 ? high * 16 + low : 256;
}

/** Returns whether the percent-decoded name ends in a credential's name; trailing digits and brackets (`key2`, `token[]`) are ignored. */
export function namesCredential(start: usize, end: usize): bool {
  readName(start, end);
  let length = name.length;
  while (length > 0 && !isLowerCase(load<u8>(name.pointer + length - 1))) length--;
  for (let i = 0; i < CREDENTIAL_NAMES.length; i++) {
    const word = CREDENTIAL_NAMES[i];
    if (length < word.length) continue;
    const tail = name.pointer + (length - word.length);
    if (sameBytes(tail, word.length, word.pointer, word.length)) return true;
  }
  return false;
}

/** Sets `name` to a parameter's name, percent-decoded and in lower case. */
function readName(start: usize, end: usize): void {
  name.clear();
  decodePath(start, <u32>(end - start), name);
  for (let i: u32 = 0; i < name.length; i++)
    store<u8>(name.pointer + i, <u8>(load<u8>(name.pointer + i) | 0x20));
}

/** Returns whether a query, whose names are in lower case, has a parameter with this name in any spelling. */
function isIn(query: Span, start: usize, end: usize): bool {
  if (query.length == 0) return false;
  readName(start, end);
  return hasParameter(query.pointer, query.length, name.view(nameSpan));
}

function isLowerCase(byte: u32): bool {
  return byte - 0x61 < 26;
}
