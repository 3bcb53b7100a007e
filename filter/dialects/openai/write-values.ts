// Pieces of a request that both APIs write in the same way.
import { Block, BLOCK_TEXT, FLAG_ERROR, FLAG_STRING, HubRequest } from "../../hub/request/request";
import { MemberTable } from "../../hub/request/member-table";
import { RequestLimits, RequestReport } from "../../hub/request/request-report";
import { BLANK_LINE, writeString, writeValue } from "../../hub/request/request-writing";
import { NO_NODE } from "../../bytes/json/tape";
import { escape } from "../../bytes/json/text";
import { byteAt, startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../bytes/text/bytes";

const INVALID_JSON = constant('{"INVALID_JSON":"');
const ERROR = constant("error");
export const ERROR_PREFIX = constant("Error: ");

/** Writes a comma, unless the list has just been opened. */
export function separate(out: ByteBuffer): void {
  if (out.length > 0 && byteAt(out.pointer, out.length - 1) != 0x5b) out.byte(0x2c);
}

/** Writes the members of the request itself that ask for features, with the client's values. */
export function writeFeatures(
  request: HubRequest,
  table: MemberTable,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  for (let i = 0; i < table.count; i++) {
    const name = table.at(i).name;
    const feature = table.at(i).featureOf();
    const node = feature === null ? NO_NODE : request.features.node(feature);
    if (node == NO_NODE) continue;
    if (limits.isRefused(name)) {
      report.dropForModel(name);
      continue;
    }
    out.byte(0x2c);
    writeString(name.pointer, name.length, out);
    out.byte(0x3a);
    writeValue(request.tape, node, out);
  }
}

/** Writes the name of the response's schema, `otherwise` if the client gave none, and the schema. */
export function writeSchema(request: HubRequest, otherwise: Span, out: ByteBuffer): void {
  if (request.schemaName == NO_NODE) out.span(otherwise);
  else writeValue(request.tape, request.schemaName, out);
  out.text(',"schema":');
  writeValue(request.tape, request.schema, out);
}

/**
 * Writes the texts of the tool result in [index, end), joined by empty lines: the inside of a JSON string. That of a tool that
 * failed begins with `Error: `, unless it mentions an error. Returns the number of texts.
 */
export function writeResultTexts(request: HubRequest, index: u32, end: u32, out: ByteBuffer): u32 {
  const isError = (request.block(index).flags & FLAG_ERROR) != 0;
  let texts: u32 = 0;
  for (let i = index + 1; i < end; i++) {
    const block = request.block(i);
    if (block.kind != BLOCK_TEXT) continue;
    if (texts++ > 0) out.span(BLANK_LINE);
    else if (isError && !mentionsError(block)) out.span(ERROR_PREFIX);
    out.bytes(block.text, block.textLength);
  }
  if (texts == 0 && isError) out.span(ERROR_PREFIX);
  return texts;
}

/** Returns whether a text begins with the word error, in any case. */
export function mentionsError(block: Block): bool {
  if (block.textLength < ERROR.length) return false;
  for (let i: u32 = 0; i < ERROR.length; i++) {
    if ((byteAt(block.text, i) | 0x20) != byteAt(ERROR.pointer, i)) return false;
  }
  return true;
}

/** Writes the input as a string. Arguments that the gateway wrapped, because they were not JSON, are unwrapped. */
export function writeArguments(block: Block, out: ByteBuffer): void {
  const length = block.textLength;
  const head = INVALID_JSON.length;
  if (length == 0) {
    out.text("{}");
  } else if ((block.flags & FLAG_STRING) != 0) {
    out.bytes(block.text, length);
  } else if (
    length > head + 2 &&
    startsWith(block.text, length, INVALID_JSON) &&
    isOneString(block, head)
  ) {
    out.bytes(block.text + head, length - head - 2);
  } else {
    escape(block.text, length, out);
  }
}

/** Returns whether the block is one string from `start` to the closing `"}`. */
function isOneString(block: Block, start: u32): bool {
  const last = block.textLength - 2;
  let i = start;
  while (i < last && byteAt(block.text, i) != 0x22) i += byteAt(block.text, i) == 0x5c ? 2 : 1;
  return i == last;
}
