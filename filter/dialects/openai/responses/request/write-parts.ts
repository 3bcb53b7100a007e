// Writes content parts of a request: texts, images, documents.
// @see https://platform.openai.com/docs/guides/images-vision
// @see https://platform.openai.com/docs/guides/pdf-files
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_TEXT,
} from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { writeString } from "../../../../hub/request/request-writing";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { contains } from "../../../../bytes/text/find";
import { separate } from "../../write-values";

const TEXT = constant('{"type":"input_text","text":');
const DEFAULT_FILE_NAME = constant("document.pdf");

/** More marks in one request are rejected. */
const MAX_MARKS: i32 = 4;
let marks = 0;

/** Before the first part of a request. */
export function beginParts(): void {
  marks = 0;
}

/** Returns whether a block has a cache mark that can be written; else the mark is dropped. */
export function isMarked(block: Block, limits: RequestLimits, report: RequestReport): bool {
  if (block.cacheLength == 0) return false;
  if (limits.supportsCacheControl && marks < MAX_MARKS) return true;
  report.drop(report.paths.cache);
  return false;
}

export function writeTextPart(text: Span, out: ByteBuffer): void {
  if (text.length == 0) return;
  separate(out);
  out.span(TEXT);
  writeString(text.pointer, text.length, out);
  out.byte(0x7d);
}

/** Appends a part to a list. */
export function writePart(
  block: Block,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  separate(out);
  if (block.kind == BLOCK_TEXT) {
    out.span(TEXT);
    writeString(block.text, block.textLength, out);
  } else if (block.kind == BLOCK_DOCUMENT_URL) {
    out.text('{"type":"input_file","file_url":"');
    out.bytes(block.text, block.textLength);
    out.byte(0x22);
  } else if (block.kind == BLOCK_DOCUMENT_DATA) {
    writeFile(block, out);
  } else {
    writeImage(block, out);
  }
  if (isMarked(block, limits, report)) {
    marks++;
    out.span(
      contains(block.cache, block.cacheLength, constant('"1h"'))
        ? constant(',"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}')
        : constant(',"prompt_cache_breakpoint":{"mode":"explicit"}'),
    );
  }
  out.byte(0x7d);
}

function writeFile(block: Block, out: ByteBuffer): void {
  out.text('{"type":"input_file","filename":');
  if (block.idLength > 0) writeString(block.id, block.idLength, out);
  else writeString(DEFAULT_FILE_NAME.pointer, DEFAULT_FILE_NAME.length, out);
  out.text(',"file_data":"');
  writeData(block, out);
}

function writeImage(block: Block, out: ByteBuffer): void {
  out.text('{"type":"input_image","image_url":"');
  if (block.kind == BLOCK_IMAGE_DATA) {
    writeData(block, out);
  } else {
    out.bytes(block.text, block.textLength);
    out.byte(0x22);
  }
  // An image's `id` is its detail.
  if (block.idLength == 0) return;
  out.text(',"detail":');
  writeString(block.id, block.idLength, out);
}

function writeData(block: Block, out: ByteBuffer): void {
  out.text("data:");
  out.bytes(block.name, block.nameLength);
  out.text(";base64,");
  out.bytes(block.text, block.textLength);
  out.byte(0x22);
}
