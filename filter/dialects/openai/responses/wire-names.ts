// The names of tools as providers get them: one flat list of functions, without namespaces.
// Why: docs/decisions/2026-11-22-responses-clients.md
import { HubRequest } from "../../../hub/request/request";
import { appendHashedName, isToolName, MAX_TOOL_NAME } from "../../../hub/request/tool-name";
import { NO_NODE, Tape } from "../../../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../../../bytes/text/bytes";
import { hash64 } from "../../../bytes/text/hash";

/** The namespace whose tools are plain ones (https://github.com/openai/codex). */
const DEFAULT_SPACE = constant("functions");

const joined = scratchBuffer();
const flat = scratchBuffer();
const wire = new Span(0, 0);

/** Returns the node of a namespace; NO_NODE if it is none, empty or the default one. */
export function spaceOf(tape: Tape, node: u32): u32 {
  if (!tape.isString(node) || tape.size(node) == 0) return NO_NODE;
  return tape.equals(node, DEFAULT_SPACE) ? NO_NODE : node;
}

/**
 * Returns the wire name of a tool: `<namespace>__<name>`. A name that is too long or has other characters ends in a hash.
 * The same names give the same wire name, in the tools, the choice and the calls. Valid until the next call; the bytes live
 * as long as the request.
 */
export function wireName(tape: Tape, space: u32, name: u32, request: HubRequest): Span {
  wire.pointer = tape.pointer(name);
  wire.length = tape.size(name);
  if (space == NO_NODE && isToolName(wire.pointer, wire.length, MAX_TOOL_NAME)) return wire;
  joined.clear();
  if (space != NO_NODE) {
    joined.bytes(tape.pointer(space), tape.size(space));
    joined.text("__");
  }
  joined.span(wire);
  let text = joined;
  joined.view(wire);
  if (!isToolName(wire.pointer, wire.length, MAX_TOOL_NAME)) {
    // The separator could be part of either name.
    let hash = hash64(tape.pointer(name), tape.size(name));
    if (space != NO_NODE) hash = hash64(tape.pointer(space), tape.size(space), hash);
    flat.clear();
    appendHashedName(wire.pointer, wire.length, hash, flat);
    text = flat;
  }
  wire.pointer = request.keep(text);
  wire.length = wire.pointer == 0 ? 0 : text.length;
  return wire;
}
