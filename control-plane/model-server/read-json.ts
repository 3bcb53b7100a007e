// JSON whose memory is known before it is read: an empty object has two bytes in a body, and many more as an object.

/** What a value takes at most, besides its text: an object of V8 with its place in a list. */
const BYTES_OF_A_VALUE = 200;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Returns the value. Throws a SyntaxError when it is no JSON.
 * @param hold is told the bytes that its values will take, and throws when they are too many
 */
export function readJson(bytes: Uint8Array, hold: (bytes: number) => void): unknown {
  hold(mostValues(bytes) * BYTES_OF_A_VALUE);
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}

/** At least as many as there are: what stands outside of strings and begins another one. */
function mostValues(bytes: Uint8Array): number {
  let count = 1;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA || byte === COLON) count += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) count += 1;
    at += 1;
  }
  return count;
}

/** Where the quotation mark is that ends the string; the last byte where none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
