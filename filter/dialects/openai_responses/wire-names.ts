// The names of tools as providers get them: one flat list of functions, without namespaces.
// Why: docs/decisions/2026-11-22-responses-client-requests.md
import { HubRequest } from "../../hub/request";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { byteAt, isDigit, isLetter } from "../../bytes/text/at";
import { constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { appendHexadecimal, hash64 } from "../../bytes/text/hash";

/** OpenAI's chat completions accept `^[a-zA-Z0-9_-]{1,64}$`; others accept the same or more. Bytes. */
const MAX_NAME: u32 = 64;
/** What is kept of a name that gets a hash: the hash has 16 digits. Bytes. */
const MAX_STEM: u32 = MAX_NAME - 17;

/** The namespace whose tools are plain ones (https://github.com/openai/codex). */
const DEFAULT_SPACE = constant("functions");
const SEPARATOR = constant("__");

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
  if (space == NO_NODE && isName(wire)) return wire;
  joined.clear();
  if (space != NO_NODE) {
    joined.bytes(tape.pointer(space), tape.size(space));
    joined.span(SEPARATOR);
  }
  joined.span(wire);
  let text = joined;
  if (!isName(joined.view(wire))) {
    // The separator could be part of either name.
    let hash = hash64(tape.pointer(name), tape.size(name));
    if (space != NO_NODE) hash = hash64(tape.pointer(space), tape.size(space), hash);
    shorten(wire, hash);
    text = flat;
  }
  wire.pointer = request.keep(text);
  wire.length = wire.pointer == 0 ? 0 : text.length;
  return wire;
}

/** Writes the beginning of a name, with `_` for other characters, and a hash into `flat`. */
function shorten(name: Span, hash: u64): void {
  flat.clear();
  for (let i: u32 = 0; i < min(name.length, MAX_STEM); i++) {
    const byte = byteAt(name.pointer, i);
    flat.byte(isNameByte(byte) ? byte : 0x5f);
  }
  flat.byte(0x5f);
  appendHexadecimal(hash, flat);
}

function isName(text: Span): bool {
  if (text.length == 0 || text.length > MAX_NAME) return false;
  for (let i: u32 = 0; i < text.length; i++) {
    if (!isNameByte(byteAt(text.pointer, i))) return false;
  }
  return true;
}

function isNameByte(byte: u32): bool {
  return isLetter(byte) || isDigit(byte) || byte == 0x5f || byte == 0x2d;
}
