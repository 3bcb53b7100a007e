// Parses JSON with a memory limit that is checked before parsing: an empty object has two bytes in a body, and many
// more as an object.
import { announcedSize } from "./admission.ts";

/** Maximum size of a value without its text: an object of V8 with its position in a list. */
const BYTES_OF_A_VALUE = 200;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/**
 * Returns the value of an admitted request's body. Rejects with a SyntaxError if it is not JSON.
 * @param hold reserves the bytes beyond those that the head announced, and throws if they are not available
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

/** Returns an upper bound of the number of values: the characters outside of strings that start a further value. */
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

/** Returns the index of the closing quotation mark; the end of the bytes if it is missing. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
