// Writes content parts of a request: texts, images, documents.
// @see https://platform.openai.com/docs/guides/images-vision
// @see https://platform.openai.com/docs/guides/pdf-files
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_TEXT,
  FLAG_PLAIN,
  FLAG_STORED,
} from "../../../../hub/request/request";
import { writeString } from "../../../../hub/request/request-writing";
import { unescape } from "../../../../bytes/json/text";
import { encodeBase64 } from "../../../../bytes/text/base64";
import { constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { OpenaiRequestWriter } from "../../request-writer";

const plain = scratchBuffer();

const TEXT = constant('{"type":"input_text","text":');

export abstract class ResponsesParts extends OpenaiRequestWriter {
  protected writeTextPart(text: Span): void {
    if (text.length == 0) return;
    this.begin(TEXT);
    writeString(text.pointer, text.length, this.out);
    this.out.byte(0x7d);
  }

  /** Appends a part to a list. */
  protected writePart(block: Block): void {
    const out = this.out;
    if (block.kind == BLOCK_TEXT) {
      this.begin(TEXT);
      writeString(block.text, block.textLength, out);
    } else if (block.kind == BLOCK_DOCUMENT_URL) {
      this.begin(
        (block.flags & FLAG_STORED) != 0
          ? constant('{"type":"input_file","file_id":')
          : constant('{"type":"input_file","file_url":'),
      );
      writeString(block.text, block.textLength, out);
    } else if (block.kind == BLOCK_DOCUMENT_DATA) {
      this.begin(constant('{"type":"input_file","filename":'));
      this.writeFileName(block);
      out.text(',"file_data":"');
      if ((block.flags & FLAG_PLAIN) != 0) this.writePlainData(block);
      else this.writeData(block);
    } else {
      this.writeImage(block);
    }
    if (this.isMarked(block)) this.writeBreakpoint(block);
    out.byte(0x7d);
  }

  /** Writes a text as a data URL, up to the quote after it. */
  private writePlainData(block: Block): void {
    plain.clear();
    unescape(block.text, block.textLength, plain);
    this.out.text("data:text/plain;base64,");
    encodeBase64(plain.pointer, plain.length, this.out);
    this.out.byte(0x22);
  }

  private writeImage(block: Block): void {
    const out = this.out;
    this.begin(constant('{"type":"input_image","image_url":"'));
    if (block.kind == BLOCK_IMAGE_DATA) {
      this.writeData(block);
    } else {
      out.bytes(block.text, block.textLength);
      out.byte(0x22);
    }
    // An image's `id` is its detail.
    if (block.idLength == 0) return;
    out.text(',"detail":');
    writeString(block.id, block.idLength, out);
  }
}
