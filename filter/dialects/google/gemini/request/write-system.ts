// Writes the system texts: in order, the configured prompt first, an instruction that replaces an output format last.
import { BLOCK_TEXT, HubRequest, ROLE_SYSTEM } from "../../../../hub/request/request";
import { ByteBuffer, Span } from "../../../../bytes/text/bytes";
import { writeTextPart } from "./write-parts";

export function hasSystem(request: HubRequest, prompt: Span, instruction: Span): bool {
  if (prompt.length > 0 || instruction.length > 0) return true;
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    if (request.block(i).role == ROLE_SYSTEM) return true;
  }
  return false;
}

/** Writes the parts: the inside of a list. */
export function writeSystemParts(
  request: HubRequest,
  prompt: Span,
  instruction: Span,
  out: ByteBuffer,
): void {
  if (prompt.length > 0) writeTextPart(prompt.pointer, prompt.length, out);
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (block.role == ROLE_SYSTEM && block.kind == BLOCK_TEXT)
      writeTextPart(block.text, block.textLength, out);
  }
  if (instruction.length > 0) writeTextPart(instruction.pointer, instruction.length, out);
}
