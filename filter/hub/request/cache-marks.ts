// Marks what a provider should cache of a conversation, for APIs that cache only up to a mark. OpenAI's clients send no marks,
// because OpenAI caches by itself.
//
// Three marks of the four that Anthropic allows: after the system prompt, which other conversations share; at the end of the
// last request, where its own mark stood, so that it is found however many blocks have been added since (a mark finds entries
// at most 20 blocks before itself); and at the end of this request (docs/decisions/2026-11-27-cache-marks.md).
// @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
import { isBlank } from "../../bytes/json/blank";
import { constant } from "../../bytes/text/bytes";
import { AUTOMATIC_CACHING } from "./features";
import {
  Block,
  BLOCK_NOTHING,
  BLOCK_RESULT_END,
  BLOCK_TEXT,
  BLOCK_TOOL_RESULT,
  FLAG_IN_PLACE,
  HubRequest,
  NO_BLOCK,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
} from "./request";

/** What `cache_control` holds for the shortest time, five minutes. */
const MARK = constant('{"type":"ephemeral"}');

/**
 * Marks a conversation, unless the client has marked it. The blocks must be final: which are removed, and which system texts
 * stay in place. A single question is not marked: it would pay for a cache that nothing reads.
 * @param isAdding whether the gateway may add marks that the client has not asked for
 * @param hasToolMarks whether the model supports marks of tools
 * @returns whether all marks are the gateway's
 */
export function markConversation(request: HubRequest, isAdding: bool, hasToolMarks: bool): bool {
  const isAsked = request.tape.isObject(request.features.node(AUTOMATIC_CACHING));
  if (!isAsked && !(isAdding && isConversation(request))) return false;
  if (hasMark(request)) return false;
  const end = lastMarkable(request, request.blocks.count);
  if (end == NO_BLOCK) return false;
  if (!markSystem(request) && hasToolMarks) markTools(request);
  mark(request.block(end));
  const before = endOfLastRequest(request, end);
  if (before != NO_BLOCK) mark(request.block(before));
  return true;
}

/** Returns whether the prompt will come again, longer: it has tools, or a turn of the assistant. */
function isConversation(request: HubRequest): bool {
  if (request.tools.count > 0) return true;
  for (let i = request.blocks.count; i > 0; i--) {
    if (request.block(i - 1).role == ROLE_ASSISTANT) return true;
  }
  return false;
}

function hasMark(request: HubRequest): bool {
  for (let i: u32 = 0; i < request.tools.count; i++) {
    if (request.tool(i).cacheLength > 0) return true;
  }
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    if (request.block(i).cacheLength > 0) return true;
  }
  return false;
}

/** Marks the last system text that stands before the messages. Tools stand before it. Returns whether there is one. */
function markSystem(request: HubRequest): bool {
  for (let i = request.blocks.count; i > 0; i--) {
    const block = request.block(i - 1);
    if (block.role != ROLE_SYSTEM || !isTop(block)) continue;
    if (block.kind != BLOCK_TEXT || isBlank(block.text, block.textLength)) continue;
    mark(block);
    return true;
  }
  return false;
}

function markTools(request: HubRequest): void {
  for (let i = request.tools.count; i > 0; i--) {
    const tool = request.tool(i - 1);
    if (tool.isAllowed == 0) continue;
    tool.cache = MARK.pointer;
    tool.cacheLength = MARK.length;
    return;
  }
}

/** Returns the index of the last block before the last turn of the assistant in [0, end]; NO_BLOCK if there is none. */
function endOfLastRequest(request: HubRequest, end: u32): u32 {
  let i = end + 1;
  while (i > 0 && request.block(i - 1).role != ROLE_ASSISTANT) i--;
  while (i > 0 && (request.block(i - 1).role == ROLE_ASSISTANT || isTop(request.block(i - 1)))) i--;
  return lastMarkable(request, i);
}

/** Returns the index of the last block of the user in [0, end) that may have a mark; NO_BLOCK if there is none. */
function lastMarkable(request: HubRequest, end: u32): u32 {
  for (let i = end; i > 0; i--) {
    const block = request.block(i - 1);
    if (isTop(block) || block.role == ROLE_ASSISTANT || block.kind == BLOCK_NOTHING) continue;
    if (block.kind != BLOCK_RESULT_END) return i - 1;
    // The mark stands at the result, not inside of it.
    while (i > 1 && request.block(i - 1).kind != BLOCK_TOOL_RESULT) i--;
    return i - 1;
  }
  return NO_BLOCK;
}

/** Returns whether a block is a system text that moves to the top. */
function isTop(block: Block): bool {
  return block.role == ROLE_SYSTEM && (block.flags & FLAG_IN_PLACE) == 0;
}

function mark(block: Block): void {
  block.cache = MARK.pointer;
  block.cacheLength = MARK.length;
}
