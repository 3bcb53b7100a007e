// Writes parts of a chat completions request: content parts and tool calls.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_IMAGE_DATA,
  BLOCK_TEXT,
  FLAG_CUSTOM,
} from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { writeCache, writeString } from "../../../../hub/request/request-writing";
import { appendShortId, writeCallId } from "../../../../hub/request/call-id";
import { writeEscapedCustomInput } from "../../../../hub/request/custom-tools";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { separate, writeArguments } from "../../write-values";

const TEXT_PART = constant('{"type":"text","text":');
const DEFAULT_FILE_NAME = constant("document.pdf");

/** "string too long. Expected a string with maximum length 40". */
const MAX_CALL_ID: u32 = 40;

/** Returns whether a block has a cache mark and the target supports it; else the mark is dropped. */
export function isMarkedBlock(block: Block, limits: RequestLimits, report: RequestReport): bool {
  if (block.cacheLength == 0) return false;
  if (limits.supportsCacheControl) return true;
  report.drop(report.paths.cache);
  return false;
}

export function writeTextPart(text: Span, out: ByteBuffer): void {
  if (text.length == 0) return;
  separate(out);
  out.span(TEXT_PART);
  writeString(text.pointer, text.length, out);
  out.byte(0x7d);
}

/** Appends a part to a list: a text, an image or a file. */
export function writePart(block: Block, withCache: bool, out: ByteBuffer): void {
  separate(out);
  if (block.kind == BLOCK_TEXT) {
    out.span(TEXT_PART);
    writeString(block.text, block.textLength, out);
  } else {
    if (block.kind == BLOCK_DOCUMENT_DATA) {
      out.text('{"type":"file","file":{"filename":');
      if (block.idLength > 0) writeString(block.id, block.idLength, out);
      else writeString(DEFAULT_FILE_NAME.pointer, DEFAULT_FILE_NAME.length, out);
      out.text(',"file_data":"');
    } else {
      out.text('{"type":"image_url","image_url":{"url":"');
    }
    if (block.kind == BLOCK_DOCUMENT_DATA || block.kind == BLOCK_IMAGE_DATA) {
      out.text("data:");
      out.bytes(block.name, block.nameLength);
      out.text(";base64,");
    }
    out.bytes(block.text, block.textLength);
    out.text('"}');
  }
  if (withCache) writeCache(block, out);
  out.byte(0x7d);
}

/** Writes the id of a call, also in its result. */
export function writeId(block: Block, limits: RequestLimits, out: ByteBuffer): void {
  if (limits.supportsLongCallIds) {
    writeCallId(block.id, block.idLength, MAX_CALL_ID, out);
    return;
  }
  out.byte(0x22);
  appendShortId(block.id, block.idLength, out);
  out.byte(0x22);
}

export function writeCall(block: Block, limits: RequestLimits, out: ByteBuffer): void {
  separate(out);
  out.text('{"id":');
  writeId(block, limits, out);
  out.text(',"type":"function","function":{"name":');
  writeString(block.name, block.nameLength, out);
  out.text(',"arguments":"');
  if ((block.flags & FLAG_CUSTOM) != 0) writeEscapedCustomInput(block, out);
  else writeArguments(block, out);
  out.text('"}}');
}
