// Writes single blocks of an Anthropic request: texts, images, documents, tool uses, and the tools that a conversation
// calls without offering them.
// @see https://platform.claude.com/docs/en/api/messages/create
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  BLOCK_TEXT,
  HubRequest,
} from "../../../../hub/request/request";
import { calledTool, findCalledTools } from "../../../../hub/request/called-tools";
import { writeCallInput } from "../../../../hub/request/call-input";
import { RequestReport } from "../../../../hub/request/request-report";
import { writeCache, writeString } from "../../../../hub/request/request-writing";
import { unescape } from "../../../../bytes/json/text";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { ByteBuffer, constant, scratchBuffer } from "../../../../bytes/text/bytes";

const plainId = scratchBuffer();

/** Writes a text, an image or a document. */
export function writeContentBlock(block: Block, textLength: u32, out: ByteBuffer): void {
  if (block.kind == BLOCK_IMAGE_DATA || block.kind == BLOCK_DOCUMENT_DATA) {
    out.span(
      block.kind == BLOCK_IMAGE_DATA
        ? constant('{"type":"image","source":{"type":"base64","media_type":')
        : constant('{"type":"document","source":{"type":"base64","media_type":'),
    );
    writeString(block.name, block.nameLength, out);
    out.text(',"data":');
  } else if (block.kind == BLOCK_IMAGE_URL || block.kind == BLOCK_DOCUMENT_URL) {
    out.span(
      block.kind == BLOCK_IMAGE_URL
        ? constant('{"type":"image","source":{"type":"url","url":')
        : constant('{"type":"document","source":{"type":"url","url":'),
    );
  } else {
    out.text('{"type":"text","text":');
  }
  writeString(block.text, textLength, out);
  if (block.kind != BLOCK_TEXT) out.byte(0x7d);
  if (block.idLength > 0) {
    out.text(',"title":');
    writeString(block.id, block.idLength, out);
  }
  writeCache(block, out);
  out.byte(0x7d);
}

export function writeCall(block: Block, out: ByteBuffer, report: RequestReport): void {
  out.text('{"type":"tool_use","id":"');
  writeId(block.id, block.idLength, out);
  out.text('","name":');
  writeString(block.name, block.nameLength, out);
  out.text(',"input":');
  writeCallInput(block, out, report);
  writeCache(block, out);
  out.byte(0x7d);
}

/**
 * Writes an id. Anthropic requires ^[a-zA-Z0-9_-]+$; other models' ids have dots and colons. Any other byte becomes _ and two
 * hexadecimal digits, so that calls and results still match and different ids stay different.
 */
export function writeId(pointer: usize, length: u32, out: ByteBuffer): void {
  plainId.clear();
  unescape(pointer, length, plainId);
  for (let i: u32 = 0; i < plainId.length; i++) {
    const c = byteAt(plainId.pointer, i);
    if (isLetter(c) || isDigit(c) || c == 0x5f || c == 0x2d) {
      out.byte(c);
    } else {
      out.byte(0x5f);
      out.byte(hexDigit(c >> 4));
      out.byte(hexDigit(c & 15));
    }
  }
}

function hexDigit(value: u32): u32 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

export function isPlainText(block: Block): bool {
  return block.kind == BLOCK_TEXT && block.cacheLength == 0;
}

/** Declares each tool that the conversation calls. Returns whether there is one. */
export function declareCalledTools(request: HubRequest, out: ByteBuffer): bool {
  const count = findCalledTools(request);
  for (let i = 0; i < count; i++) {
    const call = calledTool(request, i);
    out.span(i == 0 ? constant(',"tools":[{"name":') : constant(',{"name":'));
    writeString(call.name, call.nameLength, out);
    out.text(',"input_schema":{"type":"object"}}');
  }
  if (count > 0) out.byte(0x5d);
  return count > 0;
}
