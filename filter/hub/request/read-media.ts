// Reads images, audio, videos and files by their URL into a request's blocks: `data:` URLs are data, any other is for the
// provider to fetch.
import { unescape } from "../../bytes/json/text";
import { Tape } from "../../bytes/json/tape";
import { byteAt, isDigit, isLetter, startsWithIgnoringCase } from "../../bytes/text/at";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { DataUrl } from "./data-url";
import { Feature } from "./feature";
import {
  FILE_IMAGE,
  FILE_PDF,
  FILE_TEXT,
  FILE_VIDEO,
  FileType,
  fileTypeOf,
  fileTypeOfName,
} from "./file-types";
import * as feature from "./features";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  FLAG_STORED,
  HubRequest,
  ROLE_USER,
  spanOf,
} from "./request";
import { RequestReport } from "./request-report";

/** Of a video whose URL does not name its kind: Google's word for videos of YouTube. */
const VIDEO = constant("video/mp4");
/** Bytes of the name of an audio format. */
const MAX_FORMAT: u32 = 16;

const dataUrl = new DataUrl();
const url = new Span(0, 0);
const plain = scratchBuffer();
/** Of the last file. */
let fileType: FileType | null = null;

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

/** Adds the audio of an object: base64 with the name of its format, or a data: URL. */
export function addAudio(tape: Tape, audio: u32, request: HubRequest, report: RequestReport): void {
  const data = tape.member(audio, constant("data"));
  const format = tape.member(audio, constant("format"));
  if (!tape.isString(data)) {
    report.reject("input_audio", "must be an object with 'data' in base64.");
    return;
  }
  readUrl(tape, data, request);
  if (dataUrl.isBase64) {
    setData(request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER));
    return;
  }
  if (!isFormat(tape, format)) {
    report.reject("input_audio.format", "must name the audio format, such as wav or mp3.");
    return;
  }
  plain.clear();
  plain.text("audio/");
  plain.bytes(tape.pointer(format), tape.size(format));
  const block = request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER);
  block.name = request.keep(plain);
  block.nameLength = block.name == 0 ? 0 : plain.length;
  block.text = url.pointer;
  block.textLength = url.length;
}

function isFormat(tape: Tape, node: u32): bool {
  const size = tape.size(node);
  if (!tape.isString(node) || size == 0 || size > MAX_FORMAT) return false;
  for (let i: u32 = 0; i < size; i++) {
    const c = byteAt(tape.pointer(node), i);
    if (!isLetter(c) && !isDigit(c)) return false;
  }
  return true;
}

/** Adds the video of a string node. */
export function addVideo(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  readUrl(tape, node, request);
  if (dataUrl.isBase64) {
    setData(request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER));
  } else if (dataUrl.isData) {
    report.reject(
      "video_url",
      "must be a data: URL in base64, or a URL that the provider can fetch.",
    );
  } else {
    const block = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER);
    setUrl(block);
    block.name = VIDEO.pointer;
    block.nameLength = VIDEO.length;
  }
}

/**
 * Adds the file of a string node: an image, audio, a video, a document, or a document by its URL. `title`: its name, if that is
 * a string.
 */
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
  } else if (dataUrl.isBase64 && isSupportedMedia(report)) {
    addDocument(tape, title, request);
  } else if (dataUrl.isBase64 && hasFileType(tape, title)) {
    const unsupported = unsupportedType(report);
    if (unsupported !== null) {
      report.reject(name, "of this type " + report.notSupported(unsupported));
      return;
    }
    addDocument(tape, title, request);
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
      "must be a data: URL of a PDF, an image, a text or an Office file in base64. Send other files as text.",
    );
  }
}

function addDocument(tape: Tape, title: u32, request: HubRequest): void {
  const block = request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER);
  setData(block);
  if (tape.isString(title)) block.setId(tape, title);
}

/** Returns whether the type of `dataUrl`, or else of the file's name, is known; then the URL has it. */
function hasFileType(tape: Tape, title: u32): bool {
  const media = dataUrl.mediaType;
  let type = fileTypeOf(media.pointer, media.length);
  const isUnknown = type === null;
  if (isUnknown && tape.isString(title))
    type = fileTypeOfName(tape.pointer(title), tape.size(title));
  fileType = type;
  if (type === null) return false;
  if (isUnknown) {
    media.pointer = type.mediaType.pointer;
    media.length = type.mediaType.length;
  }
  return type.kind != FILE_IMAGE && type.kind != FILE_VIDEO;
}

/** Returns the feature that a file of `fileType` asks for, if the target does not support it. */
function unsupportedType(report: RequestReport): Feature | null {
  const type = fileType;
  if (type === null || type.kind == FILE_PDF) return null;
  const asked = type.kind == FILE_TEXT ? feature.TEXT_FILES : feature.OFFICE_FILES;
  return report.supports(asked) ? null : asked;
}

/** Returns whether `dataUrl` is audio or a video, and the target supports it. */
function isSupportedMedia(report: RequestReport): bool {
  return (
    isSupported(constant("audio/"), feature.AUDIO_INPUT, report) ||
    isSupported(constant("video/"), feature.VIDEO_INPUT, report)
  );
}

function isSupported(kind: Span, asked: Feature, report: RequestReport): bool {
  const type = dataUrl.mediaType;
  return startsWithIgnoringCase(type.pointer, type.length, kind) && report.supports(asked);
}

function setUrl(block: Block): void {
  block.text = url.pointer;
  block.textLength = url.length;
}

/** Adds a file that the provider stores, by its id. */
export function addStoredFile(tape: Tape, id: u32, request: HubRequest): void {
  const block = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER);
  block.setText(tape, id);
  block.flags |= FLAG_STORED;
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
