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
  ChatRequest,
  ROLE_ASSISTANT,
  ROLE_USER,
  spanOf,
} from "../../hub/request";
import { DataUrl } from "../../hub/data-url";
import { RequestReport } from "../../hub/request-report";
import { unescape } from "../../bytes/json/text";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, scratchBuffer, Span } from "../../bytes/text/bytes";
import { addReasoning } from "./read-request-reasoning";
import * as feature from "../../hub/features";
import * as member from "./members";

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
  request: ChatRequest,
  report: RequestReport,
): void {
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) {
    request.addText(role, <u32>report.message, node);
    return;
  }
  if (!tape.isArray(node)) {
    report.refuse("content", "must be a string or a list of parts.");
    return;
  }
  let index = 0;
  for (let item = tape.first(node), end = tape.next(node); item < end; item = tape.next(item)) {
    report.part = index++;
    readPart(tape, item, role, request, report);
    if (report.fault !== null) return;
  }
  report.part = -1;
}

function readPart(
  tape: Tape,
  item: u32,
  role: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  // A plain string among the parts is what some clients write for a text.
  if (tape.isString(item)) {
    request.addText(role, <u32>report.message, item);
    return;
  }
  if (!tape.isObject(item)) {
    report.refuse("", "must be an object with a 'type'.");
    return;
  }
  part.read(tape, item, report);
  if (report.fault !== null) return;
  const before = request.blocks.count;
  addPart(tape, role, request, report);
  const cache = part.node(member.PART_CACHE);
  if (!tape.isObject(cache) || request.blocks.count == before) return;
  const block = request.block(before);
  block.cache = tape.pointer(cache);
  block.cacheLength = tape.size(cache);
}

function addPart(tape: Tape, role: u32, request: ChatRequest, report: RequestReport): void {
  const type = typeOf(tape, report);
  if (type == member.TYPE_TEXT) addText(tape, part.node(member.PART_TEXT), role, request, report);
  else if (type == member.TYPE_REFUSAL)
    addText(tape, part.node(member.PART_REFUSAL), role, request, report);
  else if (type == member.TYPE_THINKING && role == ROLE_ASSISTANT) {
    const message = <u32>report.message;
    addReasoning(
      tape,
      part.node(member.PART_THINKING),
      part.node(member.PART_SIGNATURE),
      message,
      request,
    );
  } else if (type == member.TYPE_THINKING)
    report.refuse("type", "may be thinking only in a message of the assistant.");
  else if (type == member.TYPE_IMAGE) addImage(tape, role, request, report);
  else if (type == member.TYPE_FILE) addFile(tape, role, request, report);
}

/** The index of the part's type; -1 with a fault, or for a type that is left out. */
function typeOf(tape: Tape, report: RequestReport): i32 {
  const type = part.node(member.PART_TYPE);
  const found = member.partType.find(tape, type);
  if (found === null) {
    const word = report.word(tape, type);
    report.refuse("type", "is '" + word + "'; it must be text, image_url or file.");
    return -1;
  }
  const asked = found.featureOf();
  if (asked === null) return found.index;
  report.missType(found, asked);
  return -1;
}

function addText(
  tape: Tape,
  node: u32,
  role: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  if (tape.isString(node)) request.addText(role, <u32>report.message, node);
  else report.refuse("text", "must be a string.");
}

function addImage(tape: Tape, role: u32, request: ChatRequest, report: RequestReport): void {
  if (role != ROLE_USER) {
    report.refuse("type", "must be text: only messages of role user may hold images.");
    return;
  }
  let node = part.node(member.PART_IMAGE);
  if (tape.isObject(node)) {
    image.read(tape, node, report);
    node = image.node(member.IMAGE_URL);
  }
  if (!tape.isString(node)) {
    report.refuse("image_url", "must be an object with a 'url'.");
    return;
  }
  readUrl(tape, node, request);
  addImageUrl(request, report);
}

/** Adds what `url` and `dataUrl` hold. */
function addImageUrl(request: ChatRequest, report: RequestReport): void {
  if (!dataUrl.isData) {
    const block = request.addBlock(BLOCK_IMAGE_URL, ROLE_USER, <u32>report.message);
    block.text = url.pointer;
    block.textLength = url.length;
  } else if (dataUrl.isBase64) {
    setData(request.addBlock(BLOCK_IMAGE_DATA, ROLE_USER, <u32>report.message));
  } else {
    report.refuse(
      "image_url",
      "must be a data: URL in base64, or a URL that the provider can fetch.",
    );
  }
}

function addFile(tape: Tape, role: u32, request: ChatRequest, report: RequestReport): void {
  const node = part.node(member.PART_FILE);
  if (role != ROLE_USER || !tape.isObject(node)) {
    report.refuse(
      "file",
      role == ROLE_USER
        ? "must be an object with 'file_data'."
        : "may stand only in messages of role user.",
    );
    return;
  }
  file.read(tape, node, report);
  if (report.fault !== null) return;
  const data = file.node(member.FILE_DATA);
  if (!tape.isString(data)) {
    report.refuse("file.file_data", "must be a data: URL with the file in base64.");
    return;
  }
  readUrl(tape, data, request);
  const title = file.node(member.FILE_NAME);
  if (dataUrl.isBase64 && dataUrl.isImage) {
    addImageUrl(request, report);
  } else if (dataUrl.isBase64 && dataUrl.isPdf) {
    const block = request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER, <u32>report.message);
    setData(block);
    setTitle(tape, title, block);
  } else if (!dataUrl.isData && dataUrl.isWeb) {
    if (!report.supports(feature.DOCUMENT_URLS)) {
      report.refuse("file.file_data", report.unsupported(feature.DOCUMENT_URLS));
      return;
    }
    const block = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER, <u32>report.message);
    block.text = url.pointer;
    block.textLength = url.length;
    setTitle(tape, title, block);
  } else {
    report.refuse(
      "file.file_data",
      "must be a data: URL of a PDF or an image in base64. Send other files as text.",
    );
  }
}

function setData(block: Block): void {
  block.name = dataUrl.mediaType.pointer;
  block.nameLength = dataUrl.mediaType.length;
  block.text = dataUrl.data.pointer;
  block.textLength = dataUrl.data.length;
}

function setTitle(tape: Tape, title: u32, block: Block): void {
  if (!tape.isString(title)) return;
  block.id = tape.pointer(title);
  block.idLength = tape.size(title);
}

/** Takes a URL apart. An escaped one (PHP writes `\/`) is unescaped first; then its copy needs no escapes any more. */
function readUrl(tape: Tape, node: u32, request: ChatRequest): void {
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

/** Whether a text can stand in a JSON string as it is. */
function isPlain(text: ByteBuffer): bool {
  for (let i: u32 = 0; i < text.length; i++) {
    const c = <u32>load<u8>(text.pointer + i);
    if (c < 0x20 || c == 0x22 || c == 0x5c) return false;
  }
  return true;
}
