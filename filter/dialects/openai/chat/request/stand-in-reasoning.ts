// The text that stands for reasoning which the client has not kept, for models that reject a message without any. It must be
// different in each message: with one text for all, DeepSeek V4 gives an empty response in 40 of 100 requests.
// @see https://github.com/Lingtai-AI/lingtai-kernel/issues/9; a blank text is rejected: https://github.com/NousResearch/hermes-agent/pull/18263
import { appendHexadecimal, hash64 } from "../../../../bytes/text/hash";
import { ByteBuffer } from "../../../../bytes/text/bytes";

/** Writes the text for a message with a tool call: the inside of a JSON string, from two of them. */
export function writeCallReasoning(
  name: usize,
  nameLength: u32,
  id: usize,
  idLength: u32,
  out: ByteBuffer,
): void {
  out.bytes(name, nameLength);
  out.byte(0x20);
  out.bytes(id, idLength);
}

/** Writes the text for a message without a call. */
export function writeTextReasoning(text: usize, length: u32, out: ByteBuffer): void {
  appendHexadecimal(hash64(text, length), out);
}
