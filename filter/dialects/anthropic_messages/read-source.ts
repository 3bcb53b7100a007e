// Reads what a user shows Claude: images, documents, search results.
// @see https://platform.claude.com/docs/en/build-with-claude/vision
// @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
import { MemberReader } from "../../hub/member-reader";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  ChatRequest,
  ROLE_USER,
} from "../../hub/request";
import { RequestReport } from "../../hub/request-report";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import * as feature from "../../hub/features";
import * as member from "./members";

const BASE64 = constant("base64");
const URL = constant("url");
const TEXT = constant("text");
const CONTENT = constant("content");
const TYPE = constant("type");
const IMAGE = constant("image");
const SOURCE = constant("source");

const source = new MemberReader(member.source);

export function readImage(
  tape: Tape,
  block: MemberReader,
  request: ChatRequest,
  report: RequestReport,
): void {
  addImage(tape, block.node(member.SOURCE), request, report);
}

function addImage(tape: Tape, node: u32, request: ChatRequest, report: RequestReport): void {
  source.read(tape, node, report);
  if (report.fault !== null) return;
  const type = source.node(member.SOURCE_TYPE);
  const data = source.node(member.SOURCE_DATA);
  const media = source.node(member.SOURCE_MEDIA);
  const url = source.node(member.SOURCE_URL);
  if (tape.equals(type, BASE64) && tape.isString(data) && tape.isString(media)) {
    addData(tape, BLOCK_IMAGE_DATA, media, data, request, report);
  } else if (tape.equals(type, URL) && tape.isString(url)) {
    const image = request.addBlock(BLOCK_IMAGE_URL, ROLE_USER, <u32>report.message);
    image.text = tape.pointer(url);
    image.textLength = tape.size(url);
  } else {
    report.refuse(
      "source",
      "must be of type base64 with 'media_type' and 'data', or of type url with a 'url'.",
    );
  }
}

function addData(
  tape: Tape,
  kind: u32,
  media: u32,
  data: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  const block = request.addBlock(kind, ROLE_USER, <u32>report.message);
  block.name = tape.pointer(media);
  block.nameLength = tape.size(media);
  block.text = tape.pointer(data);
  block.textLength = tape.size(data);
}

export function readDocument(
  tape: Tape,
  block: MemberReader,
  request: ChatRequest,
  report: RequestReport,
): void {
  const title = block.node(member.TITLE);
  const context = block.node(member.CONTEXT);
  source.read(tape, block.node(member.SOURCE), report);
  if (report.fault !== null) return;
  const type = source.node(member.SOURCE_TYPE);
  const data = source.node(member.SOURCE_DATA);
  const media = source.node(member.SOURCE_MEDIA);
  const content = source.node(member.SOURCE_CONTENT);
  addWords(tape, context, request, report);
  if (tape.equals(type, BASE64) && tape.isString(data) && tape.isString(media)) {
    addData(tape, BLOCK_DOCUMENT_DATA, media, data, request, report);
    setTitle(tape, title, request.block(request.blocks.count - 1));
  } else if (tape.equals(type, TEXT) && tape.isString(data)) {
    addWords(tape, title, request, report);
    addWords(tape, data, request, report);
  } else if (tape.equals(type, CONTENT)) {
    addWords(tape, title, request, report);
    addContent(tape, content, request, report);
  } else if (tape.equals(type, URL) && tape.isString(source.node(member.SOURCE_URL))) {
    addDocumentUrl(tape, source.node(member.SOURCE_URL), title, request, report);
  } else {
    report.refuse("source", "must be of type base64, url, text or content.");
  }
}

function addDocumentUrl(
  tape: Tape,
  url: u32,
  title: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  if (!report.supports(feature.DOCUMENT_URLS)) {
    report.refuse("source", "of type url " + report.unsupported(feature.DOCUMENT_URLS));
    return;
  }
  const document = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER, <u32>report.message);
  document.text = tape.pointer(url);
  document.textLength = tape.size(url);
  setTitle(tape, title, document);
}

function setTitle(tape: Tape, title: u32, document: Block): void {
  if (!tape.isString(title)) return;
  document.id = tape.pointer(title);
  document.idLength = tape.size(title);
}

export function readSearchResult(
  tape: Tape,
  block: MemberReader,
  request: ChatRequest,
  report: RequestReport,
): void {
  const content = block.node(member.BLOCK_CONTENT);
  addWords(tape, block.node(member.TITLE), request, report);
  addWords(tape, block.node(member.SOURCE), request, report);
  addContent(tape, content, request, report);
}

export function readToolReference(
  tape: Tape,
  block: MemberReader,
  request: ChatRequest,
  report: RequestReport,
): void {
  addWords(tape, block.node(member.REFERENCED_TOOL), request, report);
}

/** A string, or a list of texts and images. */
function addContent(tape: Tape, content: u32, request: ChatRequest, report: RequestReport): void {
  addWords(tape, content, request, report);
  if (!tape.isArray(content)) return;
  for (
    let item = tape.first(content), end = tape.next(content);
    item < end;
    item = tape.next(item)
  ) {
    const type = tape.member(item, TYPE);
    if (tape.equals(type, TEXT)) addWords(tape, tape.member(item, TEXT), request, report);
    else if (tape.equals(type, IMAGE)) addImage(tape, tape.member(item, SOURCE), request, report);
    else report.refuse("content", "may hold only text and images.");
    if (report.fault !== null) return;
  }
}

function addWords(tape: Tape, node: u32, request: ChatRequest, report: RequestReport): void {
  if (tape.isString(node)) request.addText(ROLE_USER, <u32>report.message, node);
}
