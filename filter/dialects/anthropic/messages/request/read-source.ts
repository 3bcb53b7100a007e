// Reads the images, documents and search results of a user's message.
// @see https://platform.claude.com/docs/en/build-with-claude/vision
// @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  Block,
  BLOCK_DOCUMENT_DATA,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_DATA,
  BLOCK_IMAGE_URL,
  BLOCK_SEARCH_RESULT,
  FLAG_CITED,
  FLAG_PLAIN,
  HubRequest,
  ROLE_USER,
} from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { isBlank } from "../../../../bytes/json/blank";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import * as feature from "../../../../hub/request/features";
import * as member from "../members";

const URL = constant("url");
const TEXT = constant("text");
const PLAIN = constant("text/plain");
export const CITATIONS = constant("messages[].content[].citations");

const source = new MemberReader(member.source);

export function readImage(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  source.read(tape, node, report);
  if (report.fault !== null) return;
  const url = source.node(member.SOURCE_URL);
  if (isData(tape)) addData(tape, BLOCK_IMAGE_DATA, request);
  else if (tape.equals(source.node(member.SOURCE_TYPE), URL) && tape.isString(url))
    addImageUrl(tape, url, request, report);
  else
    report.reject(
      "source",
      "must be of type base64 with 'media_type' and 'data', or of type url with a 'url'.",
    );
}

function addImageUrl(tape: Tape, url: u32, request: HubRequest, report: RequestReport): void {
  if (report.supports(feature.IMAGE_URLS))
    request.addBlock(BLOCK_IMAGE_URL, ROLE_USER).setText(tape, url);
  else report.reject("source", "of type url " + report.notSupported(feature.IMAGE_URLS));
}

/** Returns whether the source is base64 data with its media type. */
function isData(tape: Tape): bool {
  const isBase64 = tape.equals(source.node(member.SOURCE_TYPE), constant("base64"));
  const hasData = tape.isString(source.node(member.SOURCE_DATA));
  return isBase64 && hasData && tape.isString(source.node(member.SOURCE_MEDIA));
}

function addData(tape: Tape, kind: u32, request: HubRequest): Block {
  const block = request.addBlock(kind, ROLE_USER);
  block.setName(tape, source.node(member.SOURCE_MEDIA));
  block.setText(tape, source.node(member.SOURCE_DATA));
  return block;
}

export function readDocument(
  tape: Tape,
  block: MemberReader,
  request: HubRequest,
  report: RequestReport,
): void {
  const title = block.node(member.TITLE);
  const context = block.node(member.CONTEXT);
  source.read(tape, block.node(member.SOURCE), report);
  if (report.fault !== null) return;
  const type = source.node(member.SOURCE_TYPE);
  const data = source.node(member.SOURCE_DATA);
  const cites = isCited(tape, block);
  const hasBlock =
    report.supports(feature.CITATIONS) && (isData(tape) || (cites && tape.equals(type, TEXT)));
  if (!hasBlock) addText(tape, context, request);
  if (!hasBlock && cites) report.drop(CITATIONS);
  if (isData(tape)) {
    const document = addData(tape, BLOCK_DOCUMENT_DATA, request);
    setTitle(tape, title, document);
    if (hasBlock) setCiting(tape, context, cites, document);
  } else if (tape.equals(type, TEXT) && tape.isString(data)) {
    const document = addPlainDocument(tape, title, data, hasBlock, request, report);
    if (document !== null && hasBlock) setCiting(tape, context, cites, document);
  } else if (tape.equals(type, constant("content"))) {
    const content = source.node(member.SOURCE_CONTENT);
    addText(tape, title, request);
    addContent(tape, content, request, report);
  } else if (tape.equals(type, URL) && tape.isString(source.node(member.SOURCE_URL))) {
    addDocumentUrl(tape, title, request, report);
  } else {
    report.reject("source", "must be of type base64, url, text or content.");
  }
}

/** Returns whether the client wants citations of a document or search result. */
function isCited(tape: Tape, block: MemberReader): bool {
  return tape.isTrue(tape.member(block.node(member.BLOCK_CITATIONS), constant("enabled")));
}

function setCiting(tape: Tape, context: u32, cites: bool, document: Block): void {
  document.setContext(tape, context);
  if (cites) document.flags |= FLAG_CITED;
}

/** Adds a document of plain text, or its texts if the target has no such document. Returns null then. */
function addPlainDocument(
  tape: Tape,
  title: u32,
  data: u32,
  hasBlock: bool,
  request: HubRequest,
  report: RequestReport,
): Block | null {
  const isBlankText = isBlank(tape.pointer(data), tape.size(data));
  if (isBlankText || !(hasBlock || report.supports(feature.TEXT_DOCUMENTS))) {
    addText(tape, title, request);
    addText(tape, data, request);
    return null;
  }
  const block = request.addBlock(BLOCK_DOCUMENT_DATA, ROLE_USER);
  block.name = PLAIN.pointer;
  block.nameLength = PLAIN.length;
  block.setText(tape, data);
  block.flags |= FLAG_PLAIN;
  setTitle(tape, title, block);
  return block;
}

function addDocumentUrl(tape: Tape, title: u32, request: HubRequest, report: RequestReport): void {
  if (!report.supports(feature.DOCUMENT_URLS)) {
    report.reject("source", "of type url " + report.notSupported(feature.DOCUMENT_URLS));
    return;
  }
  const document = request.addBlock(BLOCK_DOCUMENT_URL, ROLE_USER);
  document.setText(tape, source.node(member.SOURCE_URL));
  setTitle(tape, title, document);
}

function setTitle(tape: Tape, title: u32, document: Block): void {
  if (tape.isString(title)) document.setId(tape, title);
}

export function readSearchResult(
  tape: Tape,
  block: MemberReader,
  request: HubRequest,
  report: RequestReport,
): void {
  const title = block.node(member.TITLE);
  const from = block.node(member.SOURCE);
  const content = block.node(member.BLOCK_CONTENT);
  if (report.supports(feature.CITATIONS) && isTextList(tape, content)) {
    const result = request.addBlock(BLOCK_SEARCH_RESULT, ROLE_USER);
    if (tape.isString(from)) result.setText(tape, from);
    if (tape.isString(title)) result.setName(tape, title);
    result.content = content;
    if (isCited(tape, block)) result.flags |= FLAG_CITED;
    return;
  }
  addText(tape, title, request);
  addText(tape, from, request);
  addContent(tape, content, request, report);
}

/** Returns whether a list has texts alone, and at least one that is not blank. */
function isTextList(tape: Tape, list: u32): bool {
  let hasText = false;
  if (!tape.isArray(list)) return false;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    const text = tape.member(item, TEXT);
    if (!tape.isString(text)) return false;
    if (!isBlank(tape.pointer(text), tape.size(text))) hasText = true;
  }
  return hasText;
}

/** Adds a string, or a list of texts and images. */
function addContent(tape: Tape, content: u32, request: HubRequest, report: RequestReport): void {
  addText(tape, content, request);
  if (!tape.isArray(content)) return;
  const end = tape.next(content);
  for (let item = tape.first(content); item < end; item = tape.next(item)) {
    const type = tape.member(item, constant("type"));
    if (tape.equals(type, TEXT)) addText(tape, tape.member(item, TEXT), request);
    else if (tape.equals(type, constant("image")))
      readImage(tape, tape.member(item, constant("source")), request, report);
    else report.reject("content", "may hold only text and images.");
    if (report.fault !== null) return;
  }
}

/** Adds a text of the user; any other value is none. */
export function addText(tape: Tape, node: u32, request: HubRequest): void {
  if (tape.isString(node)) request.addText(ROLE_USER, node);
}
