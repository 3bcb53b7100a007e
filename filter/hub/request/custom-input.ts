// The input of a custom tool, which is a text. A provider gets a function with one argument instead: {"input": "…"}.
import { SCAN_OK, scan } from "../../bytes/json/scan";
import { NO_NODE, scratchTape } from "../../bytes/json/tape";
import { unescape } from "../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer } from "../../bytes/text/bytes";

const plain = scratchBuffer();
const tape = scratchTape();

/**
 * Appends the text that a call's arguments hold. Both are the inside of a JSON string. Arguments of another shape are
 * appended as they are: the tool's own error message helps the model more than a lost call.
 */
export function unwrapInput(pointer: usize, length: u32, out: ByteBuffer): void {
  plain.clear();
  unescape(pointer, length, plain);
  const isJson = plain.length > 0 && scan(tape, plain.pointer, plain.length) == SCAN_OK;
  const input = isJson ? tape.member(tape.root(), constant("input")) : NO_NODE;
  if (tape.isString(input)) out.bytes(tape.pointer(input), tape.size(input));
  else out.bytes(pointer, length);
  tape.reset();
}
