// Replaces the names of tools that a provider rejects, in the tools, the calls and the choice. The client gets its own names
// back: the request's notes have them, and the writers of responses restore them.
import { NO_NODE } from "../../bytes/json/tape";
import { scratchBuffer, Span } from "../../bytes/text/bytes";
import { hash64 } from "../../bytes/text/hash";
import { BLOCK_TOOL_CALL, HubRequest } from "./request";
import { byteAt, isDigit } from "../../bytes/text/at";
import { appendHashedName, isToolName, MAX_STEM } from "./tool-name";

const UNDERSCORE: u32 = 0x5f;
const HYPHEN: u32 = 0x2d;

const hashed = scratchBuffer();
const fitted = new Span(0, 0);

/** Whether the provider's names begin with a letter or `_`. */
let needsLetter: bool = false;

/**
 * Fits all names of a request. `limit`: the longest that the provider accepts, in bytes, at least 64. `beginsWithLetter`: whether
 * it rejects a digit or `-` at the beginning.
 */
export function fitToolNames(request: HubRequest, limit: u32, beginsWithLetter: bool): void {
  needsLetter = beginsWithLetter;
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    if (!fit(request, tool.name, tool.nameLength, limit)) continue;
    // One that its reader has noted in a namespace has a name that fits.
    request.notes.tools.add(
      fitted.pointer,
      fitted.length,
      tool.name,
      tool.nameLength,
      0,
      0,
      tool.isCustom,
    );
    tool.name = fitted.pointer;
    tool.nameLength = fitted.length;
  }
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_TOOL_CALL) continue;
    if (!fit(request, block.name, block.nameLength, limit)) continue;
    block.name = fitted.pointer;
    block.nameLength = fitted.length;
  }
  const chosen = request.chosenTool;
  if (chosen != NO_NODE) {
    if (!fit(request, request.tape.pointer(chosen), request.tape.size(chosen), limit)) return;
    request.chosenTool = NO_NODE;
  } else if (
    request.chosenNameLength == 0 ||
    !fit(request, request.chosenName, request.chosenNameLength, limit)
  ) {
    return;
  }
  request.chosenName = fitted.pointer;
  request.chosenNameLength = fitted.length;
}

/** Returns whether a name had to be replaced; then `fitted` is the one that the provider gets. */
function fit(request: HubRequest, name: usize, length: u32, limit: u32): bool {
  const isBegun = !needsLetter || hasBeginning(name, length);
  if (isBegun && isToolName(name, length, limit)) return false;
  hashed.clear();
  if (!isBegun) hashed.byte(UNDERSCORE);
  // The underscore takes the place of the stem's last byte.
  const kept = isBegun ? length : min(length, MAX_STEM - 1);
  appendHashedName(name, kept, hash64(name, length), hashed);
  fitted.pointer = request.keep(hashed);
  fitted.length = hashed.length;
  return fitted.pointer != 0;
}

/** Returns whether a name, or what its hashed form begins with, is neither a digit nor `-`. */
function hasBeginning(name: usize, length: u32): bool {
  const first = length == 0 ? 0 : byteAt(name, 0);
  return first != HYPHEN && !isDigit(first);
}
