// The turns of a conversation, for dialects whose roles alternate: neighbours of one role are one turn.
import {
  BLOCK_NOTHING,
  BLOCK_REASONING,
  FLAG_CONTINUES,
  FLAG_IN_PLACE,
  FLAG_OPENAI,
  HubRequest,
  isSigned,
  ROLE_SYSTEM,
} from "./request";
import { RequestReport } from "./request-report";

/** Returns whether a block is written in its place: not a system text that moves to the top, nor one that was removed. */
export function isWritten(request: HubRequest, index: u32): bool {
  const block = request.block(index);
  if (block.role == ROLE_SYSTEM) return (block.flags & FLAG_IN_PLACE) != 0;
  return block.kind != BLOCK_NOTHING;
}

/** Returns the index of the first block at or behind `from` that is written. */
export function nextWritten(request: HubRequest, from: u32): u32 {
  while (from < request.blocks.count && !isWritten(request, from)) from++;
  return from;
}

/** Returns the index behind the last block of the message that begins at `from`: neighbours of one role are one message. */
export function runEnd(request: HubRequest, from: u32): u32 {
  const role = request.block(from).role;
  let to = from + 1;
  for (let i = to; i < request.blocks.count; i++) {
    if (!isWritten(request, i)) continue;
    if (request.block(i).role != role) break;
    to = i + 1;
  }
  return to;
}

/** Removes reasoning that Anthropic's models reject from the conversation: unsigned, or OpenAI's. */
export function dropUnsigned(request: HubRequest, report: RequestReport): void {
  const count = request.blocks.count;
  for (let i: u32 = 0; i < count; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_REASONING || (block.flags & FLAG_CONTINUES) != 0) continue;
    if (isSigned(request.block(lastPiece(request, i)))) continue;
    const paths = report.paths;
    report.drop((block.flags & FLAG_OPENAI) != 0 ? paths.redacted : paths.reasoning);
    for (let piece = i, last = lastPiece(request, i); piece <= last; piece++)
      request.block(piece).kind = BLOCK_NOTHING;
  }
}
/** Returns the index of the last piece of the reasoning block that begins at `index`. */
export function lastPiece(request: HubRequest, index: u32): u32 {
  while (index + 1 < request.blocks.count) {
    const next = request.block(index + 1);
    if (next.kind != BLOCK_REASONING || (next.flags & FLAG_CONTINUES) == 0) break;
    index++;
  }
  return index;
}
