// Reads images and files by their URL into a request's blocks: `data:` URLs are data, any other is for the provider to fetch.
import { unescape } from "../../bytes/json/text";
import { Tape } from "../../bytes/json/tape";
import { byteAt } from "../../bytes/text/at";
import { ByteBuffer, scratchBuffer, Span } from "../../bytes/text/bytes";
import { DataUrl } from "./data-url";
import * as feature from "./features";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  HubRequest,
  ROLE_USER,
  spanOf,
} from "./request";
import { RequestReport } from "./request-report";

const dataUrl = new DataUrl();
const url = new Span(0, 0);
const plain = scratchBuffer();

/** Adds the image of a string node. `name`: the member that holds it. */
export function addImage(
  tape: Tape,
  node: u32,
  name: string,
  request: HubRequest,
  report: RequestReport,
): void {
  readUrl(tape, node, request);
  addReadImage(name, request, report);
}

/** Adds the image of `url` and `dataUrl`. */
function addReadImage(name: string, request: HubRequest, report: RequestReport): void {
  if (!dataUrl.isData) {
    if (report.supports(feature.IMAGE_URLS)) setUrl(request.addBlock(BLOCK_IMAGE_URL, ROLE_USER));
    else report.reject(name, report.notSupported(feature.IMAGE_URLS));
  } else if (dataUrl.isBase64) {
    setData(request.addBlock(BLOCK_IMAGE_DATA, ROLE_USER));
  } else {
    report.reject(name, "must be a data: URL in base64, or a URL that the provider can fetch.");
  }
}

/** Adds the file of a string node: an image, a PDF, or a document by its URL. `title`: its name, if that is a string. */
export function addFile(
  tape: Tape,
  node: u32,
  title: u32,
  name: string,
  request: HubRequest,
  report: RequestReport,
): void {
  readUrl(tape, node, request);
  if (dataUrl.isBase64 && dataUrl.isImage) {
    addReadImage(name, request, report);
  } else if (dataUrl.isBase64 && dataUrl.isPdf) {
    const block = request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER);
    setData(block);
    if (tape.isString(title)) block.setId(tape, title);
  } else if (!dataUrl.isData && dataUrl.isWeb) {
    if (!report.supports(feature.DOCUMENT_URLS)) {
      report.reject(name, report.notSupported(feature.DOCUMENT_URLS));
      return;
    }
    const block = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER);
    setUrl(block);
    if (tape.isString(title)) block.setId(tape, title);
  } else {
    report.reject(
      name,
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
