// Writes single parts of a content: texts, images, documents, calls.
// @see https://ai.google.dev/api/caching#Part
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_IMAGE_DATA,
  BLOCK_TEXT,
} from "../../../../hub/request/request";
import { writeCallInput } from "../../../../hub/request/call-input";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { writeString } from "../../../../hub/request/request-writing";
import { byteAt, endsWith, startsWith } from "../../../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { appendBase64 } from "../signature";

const TWO_ENDS = constant("}}");

/** Files that the client has uploaded to the Gemini API. */
const FILES = constant("https://generativelanguage.googleapis.com/");

/** Google's value for calls that another model made. @see https://ai.google.dev/gemini-api/docs/thought-signatures */
const NO_SIGNATURE = constant("skip_thought_signature_validator");

/** A media type by the end of a file's name. */
@unmanaged
class FileType {
  constructor(
    public end: Span,
    public type: Span,
  ) {}
}

const FILE_TYPES: StaticArray<FileType> = [
  new FileType(constant(".png"), constant("image/png")),
  new FileType(constant(".jpg"), constant("image/jpeg")),
  new FileType(constant(".jpeg"), constant("image/jpeg")),
  new FileType(constant(".webp"), constant("image/webp")),
  new FileType(constant(".gif"), constant("image/gif")),
  new FileType(constant(".pdf"), constant("application/pdf")),
];

/** Writes a comma, unless the list or object has just been opened. */
export function separate(out: ByteBuffer): void {
  const last = byteAt(out.pointer, out.length - 1);
  if (last != 0x5b && last != 0x7b) out.byte(0x2c);
}

export function writeTextPart(pointer: usize, length: u32, out: ByteBuffer): void {
  separate(out);
  out.text('{"text":');
  writeString(pointer, length, out);
  out.byte(0x7d);
}

/** Writes a text, an image or a document. A URL is rejected unless Google can read it. */
export function writePart(block: Block, out: ByteBuffer, report: RequestReport): void {
  if (block.kind == BLOCK_TEXT) {
    writeTextPart(block.text, block.textLength, out);
  } else if (block.kind == BLOCK_IMAGE_DATA || block.kind == BLOCK_DOCUMENT_DATA) {
    separate(out);
    out.text('{"inlineData":{"mimeType":');
    writeString(block.name, block.nameLength, out);
    out.text(',"data":');
    writeString(block.text, block.textLength, out);
    out.span(TWO_ENDS);
  } else {
    writeUrl(block, out, report);
  }
}

function writeUrl(block: Block, out: ByteBuffer, report: RequestReport): void {
  separate(out);
  if (startsWith(block.text, block.textLength, FILES)) {
    out.text('{"fileData":{"fileUri":');
  } else {
    const type = typeOfFile(block);
    if (type === null) {
      const message = report.paths.messages.toText() + "[" + block.message.toString() + "]";
      const advice =
        "Send the data in base64, or a gs:// URL that names the kind of file (.png, .pdf).";
      report.reject(message, "has a URL, which " + report.api + " does not fetch. " + advice);
      return;
    }
    out.text('{"fileData":{"mimeType":"');
    out.span(type);
    out.text('","fileUri":');
  }
  writeString(block.text, block.textLength, out);
  out.span(TWO_ENDS);
}

/** Returns the media type of a file in Google's storage, which is required; null for any other URL. */
function typeOfFile(block: Block): Span | null {
  if (!startsWith(block.text, block.textLength, constant("gs://"))) return null;
  for (let i = 0; i < FILE_TYPES.length; i++) {
    const candidate = unchecked(FILE_TYPES[i]);
    if (endsWith(block.text, block.textLength, candidate.end)) return candidate.type;
  }
  return null;
}

/** Writes a call. `needsSignature`: whether the model rejects it without one. */
export function writeCall(
  block: Block,
  needsSignature: bool,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  separate(out);
  out.text('{"functionCall":{');
  writeCallHead(block, block, limits, out);
  out.text(',"args":');
  writeCallInput(block, out, report);
  out.byte(0x7d);
  if (block.signatureLength > 0 || needsSignature) {
    out.text(',"thoughtSignature":"');
    if (block.signatureLength > 0) {
      appendBase64(block.signature, block.signatureLength, out);
    } else {
      out.span(NO_SIGNATURE);
      report.dropForModel(constant("thought_signature"));
    }
    out.byte(0x22);
  }
  out.byte(0x7d);
}

/** Writes the id, if the model supports it, and the name of a call. `named`: the call of a result. */
export function writeCallHead(
  block: Block,
  named: Block,
  limits: RequestLimits,
  out: ByteBuffer,
): void {
  if (limits.signsCalls) {
    out.text('"id":');
    writeString(block.id, block.idLength, out);
    out.byte(0x2c);
  }
  out.text('"name":');
  writeString(named.name, named.nameLength, out);
}
