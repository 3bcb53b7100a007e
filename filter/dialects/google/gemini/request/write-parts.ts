// Writes single parts of a content: texts, images, documents, calls; and the system texts, which are parts too.
// @see https://ai.google.dev/api/caching#Part
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  BLOCK_TEXT,
  ROLE_SYSTEM,
} from "../../../../hub/request/request";
import { FILE_OFFICE, fileTypeOfName } from "../../../../hub/request/file-types";
import { writeCallInput } from "../../../../hub/request/call-input";
import { writeString } from "../../../../hub/request/request-writing";
import { TurnWriter } from "../../../../hub/request/turn-writer";
import { byteAt, startsWith } from "../../../../bytes/text/at";
import { constant, sameBytes, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { MEMBER_PART, memberOfMark, restOfMark } from "../../../../hub/reasoning-carrier";
import { scan, SCAN_OK } from "../../../../bytes/json/scan";
import { scratchTape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { isServerPart } from "../server-part";
import { appendBase64 } from "../signature";

/** Files that the client has uploaded to the Gemini API. */
const FILES = constant("https://generativelanguage.googleapis.com/");

/** Public files and signed URLs: https://blog.google/innovation-and-ai/technology/developers-tools/gemini-api-new-file-limits */
const HTTPS = constant("https://");

/** Google's value for calls that another model made. @see https://ai.google.dev/gemini-api/docs/thought-signatures */
const NO_SIGNATURE = constant("skip_thought_signature_validator");

/** How closely the model looks at a file (Gemini 3 and newer). */
@unmanaged
class Resolution {
  constructor(
    public detail: Span,
    public level: Span,
  ) {}
}

/** `medium` and `ultra_high` are an extension of LiteLLM. @see https://ai.google.dev/gemini-api/docs/media-resolution */
const RESOLUTIONS: StaticArray<Resolution> = [
  new Resolution(constant("low"), constant("LOW")),
  new Resolution(constant("medium"), constant("MEDIUM")),
  new Resolution(constant("high"), constant("HIGH")),
  new Resolution(constant("ultra_high"), constant("ULTRA_HIGH")),
];

const part = scratchBuffer();
const partTape = scratchTape();

export abstract class GeminiParts extends TurnWriter {
  /** Whether the part that is being written belongs to the result of a tool. */
  protected isInResult: bool = false;
  /** Whether the request has functions beside tools that Google runs. */
  protected isMixed: bool = false;
  private given: Span = new Span(0, 0);

  protected writeTextPart(pointer: usize, length: u32): void {
    this.begin(constant('{"text":'));
    writeString(pointer, length, this.out);
    this.out.byte(0x7d);
  }

  /** Writes a text, an image or a document. A URL is rejected if it does not name a kind of file. */
  protected writePart(block: Block): void {
    if (block.kind == BLOCK_TEXT) {
      this.writeTextPart(block.text, block.textLength);
    } else if (block.kind == BLOCK_IMAGE_DATA || block.kind == BLOCK_DOCUMENT_DATA) {
      this.begin(constant('{"inlineData":{"mimeType":'));
      writeString(block.name, block.nameLength, this.out);
      this.out.text(',"data":');
      writeString(block.text, block.textLength, this.out);
      this.endMedia(block);
    } else {
      this.writeUrl(block);
    }
  }

  /** Ends a part with a file, and writes its resolution: not inside of a tool's result, which has no member for it. */
  private endMedia(block: Block): void {
    const out = this.out;
    out.byte(0x7d);
    const isImage = block.kind == BLOCK_IMAGE_DATA || block.kind == BLOCK_IMAGE_URL;
    if (isImage && block.idLength > 0) {
      const isSupported = this.limits.signsCalls && !this.isInResult;
      const level: Span | null = isSupported ? levelOf(block) : null;
      if (level === null) {
        this.report.dropForModel(this.report.paths.detail);
      } else {
        out.text(',"mediaResolution":{"level":"MEDIA_RESOLUTION_');
        out.span(level);
        out.text('"}');
      }
    }
    out.byte(0x7d);
  }

  private writeUrl(block: Block): void {
    const out = this.out;
    this.begin(constant('{"fileData":{'));
    if (!startsWith(block.text, block.textLength, FILES)) {
      const type = this.typeOf(block);
      if (type === null) {
        const report = this.report;
        const message = report.paths.messages.toText() + "[" + block.message.toString() + "]";
        const advice =
          "Send the data in base64, or an https:// or gs:// URL that names the kind of file (.png, .pdf).";
        report.reject(
          message,
          "has a URL without a kind of file, which " + report.api + " requires. " + advice,
        );
        return;
      }
      out.text('"mimeType":"');
      out.span(type);
      out.text('",');
    }
    out.text('"fileUri":');
    writeString(block.text, block.textLength, out);
    this.endMedia(block);
  }

  /** Returns the media type of a file that Google fetches, which is required; null if it is not known. */
  private typeOf(block: Block): Span | null {
    const pointer = block.text;
    const size = block.textLength;
    if (!startsWith(pointer, size, constant("gs://")) && !startsWith(pointer, size, HTTPS))
      return null;
    const type = typeOfFile(pointer, size);
    if (type !== null || block.nameLength == 0) return type;
    this.given.pointer = block.name;
    this.given.length = block.nameLength;
    return this.given;
  }

  /** Writes a call. `needsSignature`: whether the model rejects it without one. */
  protected writeCall(block: Block, needsSignature: bool): void {
    const out = this.out;
    this.begin(constant('{"functionCall":{'));
    this.writeCallHead(block, block);
    out.text(',"args":');
    writeCallInput(block, out, this.report);
    out.byte(0x7d);
    if (block.signatureLength > 0 || needsSignature) {
      out.text(',"thoughtSignature":"');
      if (block.signatureLength > 0) {
        appendBase64(block.signature, block.signatureLength, out);
      } else {
        out.span(NO_SIGNATURE);
        this.report.dropForModel(constant("thought_signature"));
      }
      out.byte(0x22);
    }
    out.byte(0x7d);
  }

  /** Writes the id, if the model supports it, and the name of a call. `named`: the call of a result. */
  protected writeCallHead(block: Block, named: Block): void {
    const out = this.out;
    if (this.limits.signsCalls) {
      out.text('"id":');
      writeString(block.id, block.idLength, out);
      out.byte(0x2c);
    }
    out.text('"name":');
    writeString(named.name, named.nameLength, out);
  }

  /** Finds the part in the signature of a reasoning block. Returns whether it is one of what this provider's tools did. */
  protected findServerPart(block: Block): bool {
    if (memberOfMark(block.name, block.nameLength, this.limits.origin) != MEMBER_PART) return false;
    restOfMark(block.name, block.nameLength, this.given);
    part.clear();
    unescape(this.given.pointer, this.given.length, part);
    part.reserve(0);
    return scan(partTape, part.pointer, part.length) == SCAN_OK && isServerPart(partTape, 0);
  }

  /** Writes the part of a block that `findServerPart` has accepted. */
  protected writeServerPart(block: Block): void {
    this.separate();
    restOfMark(block.name, block.nameLength, this.given);
    unescape(this.given.pointer, this.given.length, this.out);
  }

  // ---- System texts: the configured prompt, the client's in order, the instruction that replaces an output format

  protected hasSystem(): bool {
    if (this.prompt.length > 0 || this.instruction.length > 0) return true;
    for (let i: u32 = 0; i < this.request.blocks.count; i++) {
      if (this.request.block(i).role == ROLE_SYSTEM) return true;
    }
    return false;
  }

  /** Writes the parts: the inside of a list. */
  protected writeSystemParts(): void {
    const request = this.request;
    this.writeSystemText(this.prompt);
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (block.role == ROLE_SYSTEM && block.kind == BLOCK_TEXT) this.writePart(block);
    }
    this.writeSystemText(this.instruction);
  }

  private writeSystemText(text: Span): void {
    if (text.length > 0) this.writeTextPart(text.pointer, text.length);
  }
}

/** Returns the resolution that a detail of OpenAI stands for, or null. */
function levelOf(block: Block): Span | null {
  for (let i = 0; i < RESOLUTIONS.length; i++) {
    const one = unchecked(RESOLUTIONS[i]);
    if (sameBytes(block.id, block.idLength, one.detail.pointer, one.detail.length))
      return one.level;
  }
  return null;
}

/** Returns the media type of a file by the end of its URL; null if that does not name it. */
function typeOfFile(pointer: usize, size: u32): Span | null {
  let length: u32 = 0;
  while (length < size && !isAfterPath(byteAt(pointer, length))) length++;
  const type = fileTypeOfName(pointer, length);
  return type === null || type.kind == FILE_OFFICE ? null : type.mediaType;
}

/** Returns whether a byte begins the query or the fragment of a URL. */
function isAfterPath(byte: u32): bool {
  return byte == 0x3f || byte == 0x23;
}
