// A search of Anthropic's servers as it must come back: its call and its result, whose pages only Anthropic can read. It travels in
// other formats as signed reasoning, with the mark of a part (hub/reasoning-carrier.ts).
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
import { scan, SCAN_OK } from "../../../bytes/json/scan";
import { scratchTape, Tape } from "../../../bytes/json/tape";
import { escape, unescape } from "../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../bytes/text/bytes";
import {
  MEMBER_PART,
  memberOfMark,
  restOfMark,
  writeUnsignedMark,
} from "../../../hub/reasoning-carrier";
import { Block, BLOCK_SERVER_PART } from "../../../hub/request/request";
import { HostedCall } from "../../../hub/response/hosted-call";

const TYPE = constant("type");

const list = scratchBuffer();
const listTape = scratchTape();
const rest = new Span(0, 0);

/**
 * Appends the mark with the call, whose input is still as it came, and the block of its result, which has the same caller. Returns
 * whether that is the model: what code has called belongs to the code's call.
 */
export function writePair(
  origin: Span,
  call: HostedCall,
  tape: Tape,
  block: u32,
  out: ByteBuffer,
): bool {
  const caller = tape.member(block, constant("caller"));
  const isDirect = tape.equals(tape.member(caller, TYPE), constant("direct"));
  if (tape.isPresent(caller) && !isDirect) return false;
  writeUnsignedMark(MEMBER_PART, origin, out);
  out.text('.{\\"type\\":\\"server_tool_use\\",\\"id\\":\\"');
  escape(call.id.pointer, call.id.length, out);
  out.text('\\",\\"name\\":\\"web_search\\",\\"input\\":');
  if (call.input.length > 0) out.bytes(call.input.pointer, call.input.length);
  else out.text("{}");
  if (isDirect) out.text(',\\"caller\\":{\\"type\\":\\"direct\\"}');
  out.text("},");
  escape(tape.pointer(block), tape.size(block), out);
  return true;
}

/** Turns reasoning that is a pair of this provider into a part of it. */
export function keepPair(block: Block, origin: Span): void {
  if (memberOfMark(block.name, block.nameLength, origin) != MEMBER_PART) return;
  restOfMark(block.name, block.nameLength, rest);
  list.clear();
  list.byte(0x5b);
  unescape(rest.pointer, rest.length, list);
  list.byte(0x5d);
  list.reserve(0);
  if (scan(listTape, list.pointer, list.length) != SCAN_OK || !isPair(listTape)) return;
  block.kind = BLOCK_SERVER_PART;
  block.text = rest.pointer;
  block.textLength = rest.length;
}

function isPair(tape: Tape): bool {
  if (tape.isEmpty(0)) return false;
  const call = tape.first(0);
  const result = tape.next(call);
  const end = tape.next(0);
  return (
    result < end &&
    tape.next(result) == end &&
    tape.equals(tape.member(call, TYPE), constant("server_tool_use")) &&
    tape.equals(tape.member(result, TYPE), constant("web_search_tool_result"))
  );
}
