// Writes parts of a chat completions request: content parts and tool calls.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_IMAGE_DATA,
  BLOCK_TEXT,
  FLAG_CUSTOM,
} from "../../../../hub/request/request";
import { writeString } from "../../../../hub/request/request-writing";
import { appendShortId, writeCallId } from "../../../../hub/request/call-id";
import { writeEscapedCustomInput } from "../../../../hub/request/custom-tools";
import { constant, Span } from "../../../../bytes/text/bytes";
import { OpenaiRequestWriter } from "../../request-writer";
import { DOCUMENT_URL } from "./limit-documents";

const TEXT_PART = constant('{"type":"text","text":');

/** "string too long. Expected a string with maximum length 40". */
const MAX_CALL_ID: u32 = 40;

export abstract class ChatParts extends OpenaiRequestWriter {
  /** Writes the mark of a part in the target's form; nothing if there is none. */
  protected writeMark(block: Block): void {
    if (this.limits.supportsBreakpoints) this.writeBreakpoint(block);
    else if (this.limits.supportsCacheControl) this.writeCache(block.cache, block.cacheLength);
  }

  /** Begins a content that is one text, whose mark is that of `writeTextEnd`. */
  protected writeTextStart(isMarked: bool): void {
    this.out.span(isMarked ? constant('[{"type":"text","text":"') : constant('"'));
  }

  /** `block` has the mark. */
  protected writeTextEnd(isMarked: bool, block: Block): void {
    this.out.byte(0x22);
    if (!isMarked) return;
    this.writeMark(block);
    this.out.text("}]");
  }

  protected writeTextPart(text: Span): void {
    if (text.length == 0) return;
    this.begin(TEXT_PART);
    writeString(text.pointer, text.length, this.out);
    this.out.byte(0x7d);
  }

  /** Appends a part to a list: a text, an image or a file. */
  protected writePart(block: Block): void {
    const out = this.out;
    if (block.kind == BLOCK_TEXT) {
      this.begin(TEXT_PART);
      writeString(block.text, block.textLength, out);
    } else {
      if (block.kind == BLOCK_DOCUMENT_DATA && this.limits.usesDocumentUrl) {
        this.writeDocumentUrl(block);
        return;
      }
      if (block.kind == BLOCK_DOCUMENT_DATA) {
        this.begin(constant('{"type":"file","file":{"filename":'));
        this.writeFileName(block);
        out.text(',"file_data":"');
      } else {
        this.begin(constant('{"type":"image_url","image_url":{"url":"'));
      }
      if (block.kind == BLOCK_DOCUMENT_DATA || block.kind == BLOCK_IMAGE_DATA) {
        this.writeData(block);
      } else {
        out.bytes(block.text, block.textLength);
        out.byte(0x22);
      }
      out.byte(0x7d);
    }
    this.writeMark(block);
    out.byte(0x7d);
  }

  /** Writes a PDF as Mistral expects it. */
  private writeDocumentUrl(block: Block): void {
    const out = this.out;
    this.begin(DOCUMENT_URL);
    this.writeData(block);
    out.text(',"document_name":');
    this.writeFileName(block);
    out.byte(0x7d);
  }

  /** Writes the id of a call, also in its result. */
  protected writeId(block: Block): void {
    const out = this.out;
    if (this.limits.supportsLongCallIds) {
      writeCallId(block.id, block.idLength, MAX_CALL_ID, out);
      return;
    }
    out.byte(0x22);
    appendShortId(block.id, block.idLength, out);
    out.byte(0x22);
  }

  protected writeCall(block: Block): void {
    const out = this.out;
    this.begin(constant('{"id":'));
    this.writeId(block);
    out.text(',"type":"function","function":{"name":');
    writeString(block.name, block.nameLength, out);
    out.text(',"arguments":"');
    if ((block.flags & FLAG_CUSTOM) != 0) writeEscapedCustomInput(block, out);
    else this.writeArguments(block);
    out.text('"}}');
  }
}
