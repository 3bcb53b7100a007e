// Writes single blocks of a request: texts, images, documents, tool calls, reasoning, and cache marks.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
import { appendShortId, writeHash } from "../../../../hub/request/call-id";
import { writeCallInput } from "../../../../hub/request/call-input";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_SEARCH_RESULT,
  FLAG_CITED,
  FLAG_PLAIN,
  NO_MESSAGE,
} from "../../../../hub/request/request";
import {
  FILE_IMAGE,
  FILE_VIDEO,
  fileTypeOf,
  fileTypeOfName,
} from "../../../../hub/request/file-types";
import { FAMILY_MISTRAL, FAMILY_NOVA } from "../../../../hub/request/request-report";
import { isBlank } from "../../../../bytes/json/blank";
import { byteAt, isDigit, isLetter, startsWith } from "../../../../bytes/text/at";
import { constant, Span } from "../../../../bytes/text/bytes";
import { contains } from "../../../../bytes/text/find";
import { ClaudeWriter } from "../../../anthropic/claude-writer";
import { writeDocumentName } from "./document-names";

/** Of `toolUseId`. Bytes. */
const MAX_ID: u32 = 64;
/** Of a request. */
const MAX_CACHE_POINTS: i32 = 4;

export abstract class ConverseBlocks extends ClaudeWriter {
  /** How many the request has so far. */
  protected cachePoints: i32 = 0;
  protected documents: i32 = 0;
  protected isClaude: bool = false;

  protected writeText(text: Span): void {
    this.writeTextBytes(text.pointer, text.length);
  }

  private writeTextBytes(pointer: usize, length: u32): void {
    this.separate();
    this.out.text('{"text":"');
    this.out.bytes(pointer, length);
    this.out.text('"}');
  }

  /** Writes a text, an image, a document, a search result or a video. */
  protected writeContentBlock(block: Block): void {
    const out = this.out;
    const kind = block.kind;
    const isImage = kind == BLOCK_IMAGE_DATA;
    const isUrl = kind == BLOCK_DOCUMENT_URL;
    if (kind == BLOCK_SEARCH_RESULT) {
      this.writeSearchResult(block);
      return;
    }
    if (!isImage && !isUrl && kind != BLOCK_DOCUMENT_DATA) {
      this.writeTextBytes(block.text, block.textLength);
      return;
    }
    let type = isUrl ? fileTypeOfName(block.text, block.textLength) : null;
    if (type === null) type = fileTypeOf(block.name, block.nameLength);
    if (type !== null && type.kind == FILE_VIDEO) {
      this.writeVideo(block, isUrl, type.format);
      return;
    }
    if (isUrl) {
      this.rejectMedia(block, "a file by a URL that does not name a video");
      return;
    }
    if (!isImage) this.documents++;
    if (type === null || type.format.length == 0 || (type.kind == FILE_IMAGE) != isImage) {
      this.rejectMedia(
        block,
        isImage
          ? "an image in another format than PNG, JPEG, GIF or WebP"
          : "a document in another format than PDF, text, Markdown, HTML, CSV, JSON, Word or Excel",
      );
      return;
    }
    if (!isImage && !this.isClaude && this.writeDocumentTexts(block)) return;
    this.begin(isImage ? constant('{"image":{"format":"') : constant('{"document":{"format":"'));
    out.span(type.format);
    if (!isImage) {
      out.text('","name":"');
      writeDocumentName(block, this.documents, out);
    }
    const isPlain = (block.flags & FLAG_PLAIN) != 0;
    out.span(isPlain ? constant('","source":{"text":"') : constant('","source":{"bytes":"'));
    out.bytes(block.text, block.textLength);
    out.text('"}');
    if (block.signatureLength > 0 && this.isClaude) {
      out.text(',"context":"');
      out.bytes(block.signature, block.signatureLength);
      out.byte(0x22);
    }
    this.writeCiting(block);
    out.text("}}");
  }

  /** Writes what models but Claude read as texts: the context, and a document of text. Returns whether that is all of it. */
  private writeDocumentTexts(block: Block): bool {
    if (block.signatureLength > 0) this.writeTextBytes(block.signature, block.signatureLength);
    if ((block.flags & FLAG_PLAIN) == 0) return false;
    if (!isBlank(block.id, block.idLength)) this.writeTextBytes(block.id, block.idLength);
    this.writeTextBytes(block.text, block.textLength);
    this.writeCiting(block);
    return true;
  }

  /** Writes that the model cites from a document or search result; only Claude does. */
  private writeCiting(block: Block): void {
    if ((block.flags & FLAG_CITED) == 0) return;
    if (this.isClaude) this.out.text(',"citations":{"enabled":true}');
    else this.report.dropForModel(constant("messages[].content[].citations"));
  }

  /** Writes a search result for Claude; for other models its texts. */
  private writeSearchResult(block: Block): void {
    const tape = this.tape;
    const out = this.out;
    if (this.isClaude) {
      this.begin(constant('{"searchResult":{"source":"'));
      out.bytes(block.text, block.textLength);
      out.text('","title":"');
      out.bytes(block.name, block.nameLength);
      out.text('","content":[');
    } else {
      if (!isBlank(block.name, block.nameLength)) this.writeTextBytes(block.name, block.nameLength);
      if (!isBlank(block.text, block.textLength)) this.writeTextBytes(block.text, block.textLength);
    }
    const list = block.content;
    for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
      const text = tape.member(item, constant("text"));
      if (tape.isString(text) && !isBlank(tape.pointer(text), tape.size(text)))
        this.writeTextBytes(tape.pointer(text), tape.size(text));
    }
    if (this.isClaude) out.byte(0x5d);
    this.writeCiting(block);
    if (this.isClaude) out.text("}}");
  }

  /** Writes a video for Nova, which alone sees videos: in base64, or of S3. */
  private writeVideo(block: Block, isUrl: bool, format: Span): void {
    const out = this.out;
    const isStored = startsWith(block.text, block.textLength, constant("s3://"));
    if (this.limits.family != FAMILY_NOVA || (isUrl && !isStored)) {
      this.rejectMedia(block, "a video for another model than Nova, or by another URL than s3://");
      return;
    }
    this.begin(constant('{"video":{"format":"'));
    out.span(format);
    out.span(
      isUrl ? constant('","source":{"s3Location":{"uri":"') : constant('","source":{"bytes":"'),
    );
    out.bytes(block.text, block.textLength);
    out.span(isUrl ? constant('"}}}}') : constant('"}}}'));
  }

  private rejectMedia(block: Block, what: string): void {
    const report = this.report;
    let path = report.paths.messages.toText();
    if (block.message != NO_MESSAGE) path += "[" + block.message.toString() + "]";
    report.reject(path, "has " + what + ", which " + report.api + " does not support. Convert it.");
  }

  protected writeCall(block: Block): void {
    this.begin(constant('{"toolUse":{"toolUseId":"'));
    this.writeToolId(block);
    this.out.text('","name":"');
    this.out.bytes(block.name, block.nameLength);
    this.out.text('","input":');
    writeCallInput(block, this.out, this.report);
    this.out.text("}}");
  }

  /** Writes the reasoning at `index` with its pieces. Returns the index of the last one. */
  protected writeReasoning(index: u32): u32 {
    this.begin(constant('{"reasoningContent":{"reasoningText":{"text":"'));
    const last = this.writeSignedText(index);
    this.out.text('"}}}');
    return last;
  }

  protected writeRedacted(block: Block): void {
    this.begin(constant('{"reasoningContent":{"redactedContent":"'));
    this.out.bytes(block.text, block.textLength);
    this.out.text('"}}');
  }

  /** Writes the id of a call, the inside of a JSON string. One that the API rejects becomes a hash, also in the result. */
  protected writeToolId(block: Block): void {
    const pointer = block.id;
    const length = block.idLength;
    if (this.limits.family == FAMILY_MISTRAL) appendShortId(pointer, length, this.out);
    else if (isToolId(pointer, length)) this.out.bytes(pointer, length);
    else writeHash(pointer, length, this.out);
  }

  /**
   * Writes a cache mark (`cache_control` as JSON, or nothing) as a block after the one that the client has marked; drops `path`
   * if there are too many.
   * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
   */
  protected writeCachePoint(mark: usize, length: u32, path: Span): void {
    if (length == 0) return;
    if (!this.limits.supportsCacheControl) {
      this.report.dropForModel(path);
    } else if (this.cachePoints == MAX_CACHE_POINTS) {
      this.report.drop(path);
    } else {
      this.cachePoints++;
      this.out.span(
        this.isClaude && contains(mark, length, constant('"1h"'))
          ? constant(',{"cachePoint":{"type":"default","ttl":"1h"}}')
          : constant(',{"cachePoint":{"type":"default"}}'),
      );
    }
  }

  protected writeBlockCache(block: Block): void {
    this.writeCachePoint(block.cache, block.cacheLength, this.report.paths.cache);
  }
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
