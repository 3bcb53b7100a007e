// The names of tools that OpenAI and Amazon Bedrock accept: `^[a-zA-Z0-9_-]{1,64}$`. Most others accept the same or more.
import { byteAt, isDigit, isLetter } from "../../bytes/text/at";
import { ByteBuffer } from "../../bytes/text/bytes";
import { appendHexadecimal } from "../../bytes/text/hash";

/** Bytes. OpenAI: "string too long. Expected a string with maximum length 64". */
export const MAX_TOOL_NAME: u32 = 64;
/** What is kept of a name that gets a hash: the hash has 16 digits. Bytes. */
export const MAX_STEM: u32 = MAX_TOOL_NAME - 17;

/** Returns whether a name has at most `limit` bytes, and no characters but those that every provider accepts. */
export function isToolName(pointer: usize, length: u32, limit: u32): bool {
  if (length == 0 || length > limit) return false;
  for (let i: u32 = 0; i < length; i++) {
    if (!isNameByte(byteAt(pointer, i))) return false;
  }
  return true;
}

/** Appends the beginning of a name, with `_` for other characters, and a hash. */
export function appendHashedName(pointer: usize, length: u32, hash: u64, out: ByteBuffer): void {
  for (let i: u32 = 0; i < min(length, MAX_STEM); i++) {
    const byte = byteAt(pointer, i);
    out.byte(isNameByte(byte) ? byte : 0x5f);
  }
  out.byte(0x5f);
  appendHexadecimal(hash, out);
}

function isNameByte(byte: u32): bool {
  return isLetter(byte) || isDigit(byte) || byte == 0x5f || byte == 0x2d;
}
