// Writes single blocks of a request: texts, images, documents, tool calls, and reasoning.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
import { appendShortId, writeHash } from "../../../../hub/request/call-id";
import { writeCallInput } from "../../../../hub/request/call-input";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_IMAGE_DATA,
  HubRequest,
  NO_MESSAGE,
} from "../../../../hub/request/request";
import {
  FAMILY_MISTRAL,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { appendHashedName, isToolName } from "../../../../hub/request/tool-name";
import { lastPiece } from "../../../../hub/request/turns";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { hash64 } from "../../../../bytes/text/hash";
import { writeDocumentName } from "./document-names";
import { DOCUMENT_FORMATS, formatOf, IMAGE_FORMATS } from "./media-formats";

/** Of `toolUseId`. Bytes. */
const MAX_ID: u32 = 64;

export function writeText(pointer: usize, length: u32, out: ByteBuffer): void {
  out.text('{"text":"');
  out.bytes(pointer, length);
  out.text('"}');
}

/** Writes a text, an image or a document. `number`: of the document, from 1. */
export function writeContentBlock(
  block: Block,
  number: i32,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const isImage = block.kind == BLOCK_IMAGE_DATA;
  if (!isImage && block.kind != BLOCK_DOCUMENT_DATA) {
    writeText(block.text, block.textLength, out);
    return;
  }
  const format = formatOf(isImage ? IMAGE_FORMATS : DOCUMENT_FORMATS, block);
  if (format === null) {
    rejectMedia(block, isImage, report);
    return;
  }
  out.span(isImage ? constant('{"image":{"format":"') : constant('{"document":{"format":"'));
  out.span(format);
  if (!isImage) {
    out.text('","name":"');
    writeDocumentName(block, number, out);
  }
  out.text('","source":{"bytes":"');
  out.bytes(block.text, block.textLength);
  out.text('"}}}');
}

function rejectMedia(block: Block, isImage: bool, report: RequestReport): void {
  let path = report.paths.messages.toText();
  if (block.message != NO_MESSAGE) path += "[" + block.message.toString() + "]";
  const formats = isImage
    ? "an image in another format than PNG, JPEG, GIF or WebP"
    : "a document in another format than PDF, text, Markdown, HTML, CSV, Word or Excel";
  report.reject(
    path,
    "has " + formats + ", which " + report.api + " does not support. Convert it.",
  );
}

export function writeCall(
  block: Block,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  out.text('{"toolUse":{"toolUseId":"');
  writeToolId(block.id, block.idLength, limits, out);
  out.text('","name":"');
  writeToolName(block.name, block.nameLength, out);
  out.text('","input":');
  writeCallInput(block, out, report);
  out.text("}}");
}

/** Writes the reasoning at `index` with its pieces. Returns the index of the last one. */
export function writeReasoning(request: HubRequest, index: u32, out: ByteBuffer): u32 {
  const last = lastPiece(request, index);
  out.text('{"reasoningContent":{"reasoningText":{"text":"');
  for (let i = index; i <= last; i++) out.bytes(request.block(i).text, request.block(i).textLength);
  out.text('","signature":"');
  out.bytes(request.block(last).name, request.block(last).nameLength);
  out.text('"}}}');
  return last;
}

export function writeRedacted(block: Block, out: ByteBuffer): void {
  out.text('{"reasoningContent":{"redactedContent":"');
  out.bytes(block.text, block.textLength);
  out.text('"}}');
}

/** Writes the name of a tool, the inside of a JSON string: as the client's, or with a hash. */
export function writeToolName(pointer: usize, length: u32, out: ByteBuffer): void {
  if (isToolName(pointer, length)) out.bytes(pointer, length);
  else appendHashedName(pointer, length, hash64(pointer, length), out);
}

/** Writes the id of a call, the inside of a JSON string. One that the API rejects becomes a hash, also in the result. */
export function writeToolId(
  pointer: usize,
  length: u32,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  if (limits.family == FAMILY_MISTRAL) appendShortId(pointer, length, out);
  else if (isToolId(pointer, length)) out.bytes(pointer, length);
  else writeHash(pointer, length, out);
}

function isToolId(pointer: usize, length: u32): bool {
  if (length == 0 || length > MAX_ID) return false;
  for (let i: u32 = 0; i < length; i++) {
    const byte = byteAt(pointer, i);
    const isSign = byte == 0x5f || byte == 0x2d || byte == 0x2e || byte == 0x3a;
    if (!isLetter(byte) && !isDigit(byte) && !isSign) return false;
  }
  return true;
}
