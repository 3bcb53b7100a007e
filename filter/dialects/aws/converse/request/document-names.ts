// The names of documents: letters, digits, hyphens, parentheses, brackets and single spaces, each name once in a request.
// They are the same in every turn of a conversation, or the provider's prompt cache would be lost.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
import { Block } from "../../../../hub/request/request";
import { unescape } from "../../../../bytes/json/text";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { ByteBuffer, scratchBuffer } from "../../../../bytes/text/bytes";

const HYPHEN: u32 = 0x2d;
const SPACE: u32 = 0x20;
/** The limit is 200, with the number. Bytes. */
const MAX_NAME: u32 = 180;

const plain = scratchBuffer();

/** Writes the name of a document, the inside of a JSON string. `number`: its place among the request's documents, from 1. */
export function writeDocumentName(document: Block, number: i32, out: ByteBuffer): void {
  const start = out.length;
  plain.clear();
  unescape(document.id, document.idLength, plain);
  let last: u32 = SPACE;
  for (let i: u32 = 0; i < plain.length && out.length - start < MAX_NAME; i++) {
    const byte = nameByte(byteAt(plain.pointer, i));
    const isRepeated = byte == last && (byte == SPACE || byte == HYPHEN);
    if (!isRepeated) out.byte(byte);
    last = byte;
  }
  if (last == SPACE && out.length > start) out.length--;
  if (out.length == start) out.text("document");
  // A first document whose name ends as a numbered one could have the name of a later one.
  if (number == 1 && !isDigit(byteAt(out.pointer, out.length - 1))) return;
  out.byte(HYPHEN);
  out.integer(number);
}

function nameByte(byte: u32): u32 {
  const isSign = byte == 0x28 || byte == 0x29 || byte == 0x5b || byte == 0x5d;
  if (isLetter(byte) || isDigit(byte) || isSign) return byte;
  return byte == SPACE || byte - 0x09 < 5 ? SPACE : HYPHEN;
}
