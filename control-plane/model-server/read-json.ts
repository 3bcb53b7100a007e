// JSON whose memory is known before it is read: an empty object has two bytes in a body, and many more as an object.
import { announcedSize } from "./admission.ts";

/** What a value takes at most, besides its text: an object of V8 with its place in a list. */
const BYTES_OF_A_VALUE = 200;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/**
 * Returns the value of an admitted request's body. Rejects with a SyntaxError when it is no JSON.
 * @param hold is told the bytes that the body takes beyond what its head said, and throws when they are too many
 */
export async function readJson(request: Request, hold: (bytes: number) => void): Promise<unknown> {
  const isCounted = announcedSize(request.headers) !== undefined;
  const bytes = isCounted
    ? new Uint8Array(await request.arrayBuffer())
    : await readCounting(request, hold);
  hold(mostValues(bytes) * BYTES_OF_A_VALUE);
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}

async function readCounting({ body }: Request, hold: (bytes: number) => void): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (body === null) return new Uint8Array();
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    hold(piece.byteLength);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
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

/** Where the quotation mark is that ends the string; behind the last byte where none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
