// Reads the content of a chat message: a string, or parts of text, images and files.
// @see https://platform.openai.com/docs/guides/images-vision
// @see https://platform.openai.com/docs/guides/pdf-files
import { MemberReader } from "../../hub/member-reader";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  HubRequest,
  ROLE_ASSISTANT,
  ROLE_USER,
  spanOf,
} from "../../hub/request";
import { DataUrl } from "../../hub/data-url";
import { readList } from "../../hub/read-list";
import { RequestReport } from "../../hub/request-report";
import { unescape } from "../../bytes/json/text";
import { Tape } from "../../bytes/json/tape";
import { byteAt } from "../../bytes/text/at";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import * as feature from "../../hub/features";
import * as member from "./members";

const CONTENT = constant("content");

const part = new MemberReader(member.part);
const image = new MemberReader(member.image);
const file = new MemberReader(member.file);
const dataUrl = new DataUrl();
const url = new Span(0, 0);
const plain = scratchBuffer();

export function readContent(
  tape: Tape,
  node: u32,
  role: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.role = role;
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) request.addText(role, node);
  else if (tape.isArray(node)) readList(tape, node, CONTENT, request, report, readPart);
  else report.reject("content", "must be a string or a list of parts.");
}

function readPart(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  // Some clients write a text as a plain string among the parts.
  if (tape.isString(item)) {
    request.addText(request.role, item);
    return;
  }
  if (!tape.isObject(item)) {
    report.reject("", "must be an object with a 'type'.");
    return;
  }
  part.read(tape, item, report);
  if (report.fault !== null) return;
  const before = request.blocks.count;
  addPart(tape, request, report);
  if (request.blocks.count > before)
    request.block(before).setCache(tape, part.node(member.PART_CACHE));
}

function addPart(tape: Tape, request: HubRequest, report: RequestReport): void {
  const type = typeOf(tape, report);
  if (type == member.TYPE_TEXT) addText(tape, part.node(member.PART_TEXT), request, report);
  else if (type == member.TYPE_REFUSAL)
    addText(tape, part.node(member.PART_REFUSAL), request, report);
  else if (type == member.TYPE_THINKING && request.role == ROLE_ASSISTANT)
    request.addReasoning(part.node(member.PART_THINKING), part.node(member.PART_SIGNATURE));
  else if (type == member.TYPE_THINKING)
    report.reject("type", "may be thinking only in a message of the assistant.");
  else if (type == member.TYPE_IMAGE) addImage(tape, request, report);
  else if (type == member.TYPE_FILE) addFile(tape, request, report);
}

/** Returns the index of the part's type; -1 if it was rejected or dropped. */
function typeOf(tape: Tape, report: RequestReport): i32 {
  const type = part.node(member.PART_TYPE);
  const found = member.partType.find(tape, type);
  if (found === null) {
    const word = report.printable(tape, type);
    report.reject("type", "must be text, image_url or file, not '" + word + "'.");
    return -1;
  }
  const asked = found.featureOf();
  if (asked === null) return found.index;
  report.rejectOrDropType(found, asked);
  return -1;
}

function addText(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  if (tape.isString(node)) request.addText(request.role, node);
  else report.reject("text", "must be a string.");
}

function addImage(tape: Tape, request: HubRequest, report: RequestReport): void {
  if (request.role != ROLE_USER) {
    report.reject("type", "must be text: only messages of role user may hold images.");
    return;
  }
  let node = part.node(member.PART_IMAGE);
  if (tape.isObject(node)) {
    image.read(tape, node, report);
    node = image.node(member.IMAGE_URL);
  }
  if (!tape.isString(node)) {
    report.reject("image_url", "must be an object with a 'url'.");
    return;
  }
  readUrl(tape, node, request);
  addImageUrl(request, report);
}

/** Adds the image of `url` and `dataUrl`. */
function addImageUrl(request: HubRequest, report: RequestReport): void {
  if (!dataUrl.isData) {
    setUrl(request.addBlock(BLOCK_IMAGE_URL, ROLE_USER));
  } else if (dataUrl.isBase64) {
    setData(request.addBlock(BLOCK_IMAGE_DATA, ROLE_USER));
  } else {
    report.reject(
      "image_url",
      "must be a data: URL in base64, or a URL that the provider can fetch.",
    );
  }
}

function addFile(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = part.node(member.PART_FILE);
  if (request.role != ROLE_USER || !tape.isObject(node)) {
    report.reject(
      "file",
      request.role == ROLE_USER
        ? "must be an object with 'file_data'."
        : "is supported only in messages of role user.",
    );
    return;
  }
  file.read(tape, node, report);
  if (report.fault !== null) return;
  const data = file.node(member.FILE_DATA);
  if (!tape.isString(data)) {
    report.reject("file.file_data", "must be a data: URL with the file in base64.");
    return;
  }
  readUrl(tape, data, request);
  const title = file.node(member.FILE_NAME);
  if (dataUrl.isBase64 && dataUrl.isImage) {
    addImageUrl(request, report);
  } else if (dataUrl.isBase64 && dataUrl.isPdf) {
    const block = request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER);
    setData(block);
    setTitle(tape, title, block);
  } else if (!dataUrl.isData && dataUrl.isWeb) {
    if (!report.supports(feature.DOCUMENT_URLS)) {
      report.reject("file.file_data", report.notSupported(feature.DOCUMENT_URLS));
      return;
    }
    const block = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER);
    setUrl(block);
    setTitle(tape, title, block);
  } else {
    report.reject(
      "file.file_data",
      "must be a data: URL of a PDF or an image in base64. Send other files as text.",
    );
  }
}

function setUrl(block: Block): void {
  block.text = url.pointer;
  block.textLength = url.length;
}

function setData(block: Block): void {
  block.name = dataUrl.mediaType.pointer;
  block.nameLength = dataUrl.mediaType.length;
  block.text = dataUrl.data.pointer;
  block.textLength = dataUrl.data.length;
}

function setTitle(tape: Tape, title: u32, block: Block): void {
  if (tape.isString(title)) block.setId(tape, title);
}

/** Reads a URL into `url` and `dataUrl`. An escaped one (PHP writes `\/`) is replaced by an unescaped copy. */
function readUrl(tape: Tape, node: u32, request: HubRequest): void {
  spanOf(tape, node, url);
  if (tape.isEscaped(node)) {
    plain.clear();
    unescape(url.pointer, url.length, plain);
    if (isPlain(plain)) {
      url.pointer = request.keep(plain);
      url.length = plain.length;
    }
    plain.clear();
  }
  dataUrl.read(url.pointer, url.length);
}

/** Returns whether a text needs no escapes in a JSON string. */
function isPlain(text: ByteBuffer): bool {
  for (let i: u32 = 0; i < text.length; i++) {
    const c = byteAt(text.pointer, i);
    if (c < 0x20 || c == 0x22 || c == 0x5c) return false;
  }
  return true;
}
