// Writes single blocks of an Anthropic request: texts, images, documents, tool uses, reasoning.
// @see https://platform.claude.com/docs/en/api/messages/create
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_SERVER_PART,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
} from "../../../../hub/request/request";
import { writeCallInput } from "../../../../hub/request/call-input";
import { writeString } from "../../../../hub/request/request-writing";
import { FILE_TEXT, fileTypeOf } from "../../../../hub/request/file-types";
import { escape, unescape } from "../../../../bytes/json/text";
import { decodeBase64 } from "../../../../bytes/text/base64";
import { appendValidUtf8 } from "../../../../bytes/text/valid-utf8";
import { byteAt, isDigit, isLetter } from "../../../../bytes/text/at";
import { ByteBuffer, constant, scratchBuffer } from "../../../../bytes/text/bytes";
import { ClaudeWriter } from "../../claude-writer";

const plainId = scratchBuffer();
/** A file of text, decoded, and as far as it is UTF-8. */
const bytes = scratchBuffer();
const text = scratchBuffer();

export abstract class AnthropicBlocks extends ClaudeWriter {
  /** Writes a text, an image or a document. */
  protected writeContentBlock(block: Block): void {
    const out = this.out;
    const kind = block.kind;
    const isImage = kind == BLOCK_IMAGE_DATA || kind == BLOCK_IMAGE_URL;
    if (isImage || kind == BLOCK_DOCUMENT_DATA || kind == BLOCK_DOCUMENT_URL) {
      this.begin(isImage ? constant('{"type":"image"') : constant('{"type":"document"'));
      if (kind == BLOCK_DOCUMENT_DATA && isTextFile(block)) {
        this.writeTextSource(block);
      } else if (kind == BLOCK_IMAGE_DATA || kind == BLOCK_DOCUMENT_DATA) {
        out.text(',"source":{"type":"base64","media_type":');
        writeString(block.name, block.nameLength, out);
        out.text(',"data":');
        writeString(block.text, block.textLength, out);
      } else {
        out.text(',"source":{"type":"url","url":');
        writeString(block.text, block.textLength, out);
      }
    } else {
      this.begin(constant('{"type":"text","text":'));
      writeString(block.text, block.textLength, out);
    }
    if (kind != BLOCK_TEXT) out.byte(0x7d);
    if (block.idLength > 0) {
      out.text(',"title":');
      writeString(block.id, block.idLength, out);
    }
    this.writeCache(block.cache, block.cacheLength);
    out.byte(0x7d);
  }

  /** Writes the source of a file of text, which Anthropic accepts as text alone, without the brace after it. */
  private writeTextSource(block: Block): void {
    const out = this.out;
    bytes.clear();
    text.clear();
    const isBase64 = decodeBase64(block.text, block.textLength, bytes);
    if (isBase64) appendValidUtf8(bytes.pointer, bytes.length, text);
    if (!isBase64 || text.length != bytes.length) {
      const paths = this.report.paths;
      const path = paths.messages.toText() + "[" + block.message.toString() + "]";
      this.report.reject(path, "has a file of text that is not UTF-8 in base64. Convert it.");
      return;
    }
    out.text(',"source":{"type":"text","media_type":"text/plain","data":"');
    escape(text.pointer, text.length, out);
    out.byte(0x22);
  }

  /** Writes the block at `index` of the assistant, with its pieces if it is reasoning. Returns the index of the last one. */
  protected writeAssistantBlock(index: u32): u32 {
    const block = this.request.block(index);
    const out = this.out;
    if (block.kind == BLOCK_REASONING) {
      this.begin(constant('{"type":"thinking","thinking":"'));
      index = this.writeSignedText(index);
      out.text('"}');
    } else if (block.kind == BLOCK_REASONING_DATA) {
      this.begin(constant('{"type":"redacted_thinking","data":"'));
      out.bytes(block.text, block.textLength);
      out.text('"}');
    } else if (block.kind == BLOCK_SERVER_PART) {
      this.separate();
      unescape(block.text, block.textLength, out);
    } else if (block.kind == BLOCK_TOOL_CALL) {
      this.begin(constant('{"type":"tool_use","id":"'));
      writeId(block, out);
      out.text('","name":');
      writeString(block.name, block.nameLength, out);
      out.text(',"input":');
      writeCallInput(block, out, this.report);
      this.writeCache(block.cache, block.cacheLength);
      out.byte(0x7d);
    } else {
      this.writeContentBlock(block);
    }
    return index;
  }

  /** Writes the content of a message or a result, if it is no more than a text without a cache mark: a string. */
  protected writePlainText(from: u32, to: u32): bool {
    const block = this.request.block(from);
    if (to != from + 1 || block.kind != BLOCK_TEXT || block.cacheLength > 0) return false;
    writeString(block.text, block.textLength, this.out);
    return true;
  }
}

function isTextFile(block: Block): bool {
  const type = fileTypeOf(block.name, block.nameLength);
  return type !== null && type.kind == FILE_TEXT;
}

/**
 * Writes the id of a call or a result. Anthropic requires ^[a-zA-Z0-9_-]+$; other models' ids have dots and colons. Any other
 * byte becomes _ and two hexadecimal digits, so that calls and results still match and different ids stay different.
 */
export function writeId(block: Block, out: ByteBuffer): void {
  plainId.clear();
  unescape(block.id, block.idLength, plainId);
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
