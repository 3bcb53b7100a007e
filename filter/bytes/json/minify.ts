// White space between the tokens of a JSON text.
import { ByteBuffer } from "../text/bytes";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** Removes the white space outside of strings, so that the text is one line. Any bytes are accepted. */
export function minify(json: ByteBuffer): void {
  const end = json.pointer + json.length;
  let to = json.pointer;
  let isInString = false;
  for (let from = json.pointer; from < end; from++) {
    const byte = <u32>load<u8>(from);
    if (!isInString && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09)) continue;
    if (byte == QUOTE) isInString = !isInString;
    store<u8>(to++, <u8>byte);
    if (isInString && byte == BACKSLASH && from + 1 < end) store<u8>(to++, load<u8>(++from));
  }
  json.length = <u32>(to - json.pointer);
}
