// The tools that a conversation calls: some APIs require their declarations, also of a client that offers no tools.
import { sameBytes } from "../../bytes/text/bytes";
import { Block, BLOCK_TOOL_CALL, HubRequest } from "./request";

/** Tools above this number are not found: the provider then rejects the request and names them. */
const MAX_FOUND: i32 = 128;
const found = new StaticArray<u32>(MAX_FOUND);

/** Finds the first call of each tool. Returns their number. */
export function findCalledTools(request: HubRequest): i32 {
  let count = 0;
  for (let i: u32 = 0; i < request.blocks.count && count < MAX_FOUND; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_TOOL_CALL || isFound(request, block, count)) continue;
    unchecked((found[count++] = i));
  }
  return count;
}

/** Returns a call of `findCalledTools`, by its number from 0. */
export function calledTool(request: HubRequest, index: i32): Block {
  return request.block(unchecked(found[index]));
}

function isFound(request: HubRequest, call: Block, count: i32): bool {
  for (let i = 0; i < count; i++) {
    const other = calledTool(request, i);
    if (sameBytes(other.name, other.nameLength, call.name, call.nameLength)) return true;
  }
  return false;
}
