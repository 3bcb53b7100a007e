// Reads `system` and the messages of a messages request into the hub's blocks.
// @see https://platform.claude.com/docs/en/api/messages/create
import { MemberReader } from "../../hub/member-reader";
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  ChatRequest,
  FLAG_ERROR,
  FLAG_TOP,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../hub/request";
import { RequestReport } from "../../hub/request-report";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { readDocument, readImage, readSearchResult, readToolReference } from "./read-source";
import * as member from "./members";

const USER = constant("user");
const ASSISTANT = constant("assistant");
const SYSTEM = constant("system");

const message = new MemberReader(member.message);
const members = new MemberReader(member.block);
/** What stands in a result is read while its own members are still needed. */
const inner = new MemberReader(member.block);

/** The top-level system prompt: its blocks are one text. */
export function readSystem(
  tape: Tape,
  node: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  const before = request.blocks.count;
  readContent(tape, node, ROLE_SYSTEM, "system", request, report);
  report.leaveMessages();
  for (let i = before; i < request.blocks.count; i++) request.block(i).flags |= FLAG_TOP;
}

export function readMessages(
  tape: Tape,
  list: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  if (!tape.isArray(list) || tape.isEmpty(list)) {
    report.refuse("messages", "must be a list with at least one message.");
    return;
  }
  let index = 0;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    report.message = index++;
    message.read(tape, item, report);
    const role = message.node(member.ROLE);
    const content = message.node(member.CONTENT);
    if (tape.equals(role, USER)) readContent(tape, content, ROLE_USER, "content", request, report);
    else if (tape.equals(role, ASSISTANT))
      readContent(tape, content, ROLE_ASSISTANT, "content", request, report);
    else if (tape.equals(role, SYSTEM))
      readContent(tape, content, ROLE_SYSTEM, "content", request, report);
    else
      report.refuse(
        "role",
        "must be user or assistant; the system prompt stands in the top-level 'system'.",
      );
    if (report.fault !== null) return;
  }
  report.leaveMessages();
}

function readContent(
  tape: Tape,
  node: u32,
  role: u32,
  name: string,
  request: ChatRequest,
  report: RequestReport,
): void {
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) {
    request.addText(role, <u32>report.message, node);
    return;
  }
  if (!tape.isArray(node)) {
    report.refuse(name, "must be a string or a list of blocks.");
    return;
  }
  let index = 0;
  for (let item = tape.first(node), end = tape.next(node); item < end; item = tape.next(item)) {
    report.part = index++;
    readBlock(tape, item, role, members, request, report);
    if (report.fault !== null) return;
  }
  report.part = -1;
}

/** The index of a block's type; -1 where there is nothing to read, with a fault or without. */
function typeOf(tape: Tape, block: MemberReader, report: RequestReport): i32 {
  const type = block.node(member.BLOCK_TYPE);
  const found = member.blockType.find(tape, type);
  if (found === null) {
    const word = report.word(tape, type);
    report.refuse("type", "'" + word + "' is not supported. Send its content as text.");
    return -1;
  }
  const feature = found.featureOf();
  if (feature === null) return found.index;
  report.missType(found, feature);
  return -1;
}

function readBlock(
  tape: Tape,
  item: u32,
  role: u32,
  block: MemberReader,
  request: ChatRequest,
  report: RequestReport,
): void {
  if (!tape.isObject(item)) {
    report.refuse("", "must be an object with a 'type'.");
    return;
  }
  block.read(tape, item, report);
  const type = typeOf(tape, block, report);
  if (type < 0 || report.fault !== null) return;
  const before = request.blocks.count;
  const cache = block.node(member.BLOCK_CACHE);
  if (type == member.TYPE_TEXT) {
    const text = block.node(member.TEXT);
    if (tape.isString(text)) request.addText(role, <u32>report.message, text);
    else report.refuse("text", "must be a string.");
  } else if (role == ROLE_SYSTEM) {
    report.refuse("type", "must be text in a system prompt.");
  } else if (type == member.TYPE_TOOL_USE && role == ROLE_ASSISTANT)
    readCall(tape, request, report);
  else if (type == member.TYPE_THINKING && role == ROLE_ASSISTANT)
    readThinking(tape, request, report);
  else if (type == member.TYPE_REDACTED && role == ROLE_ASSISTANT)
    readRedacted(tape, request, report);
  else if (type == member.TYPE_TOOL_RESULT && role == ROLE_USER && block === members)
    readResult(tape, request, report);
  else readMaterial(tape, type, role, block, request, report);
  if (!tape.isObject(cache) || request.blocks.count == before) return;
  const first = request.block(before);
  first.cache = tape.pointer(cache);
  first.cacheLength = tape.size(cache);
}

/** What a user shows: images, documents, search results. */
function readMaterial(
  tape: Tape,
  type: i32,
  role: u32,
  block: MemberReader,
  request: ChatRequest,
  report: RequestReport,
): void {
  if (role != ROLE_USER) report.refuse("type", "is not supported in a message of this role.");
  else if (type == member.TYPE_IMAGE) readImage(tape, block, request, report);
  else if (type == member.TYPE_DOCUMENT) readDocument(tape, block, request, report);
  else if (type == member.TYPE_SEARCH_RESULT) readSearchResult(tape, block, request, report);
  else if (type == member.TYPE_TOOL_REFERENCE) readToolReference(tape, block, request, report);
  else report.refuse("type", "is not supported in a message of this role.");
}

function readCall(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const id = members.node(member.BLOCK_ID);
  const name = members.node(member.BLOCK_NAME);
  const input = members.node(member.INPUT);
  if (!tape.isString(id) || !tape.isString(name)) {
    report.refuse(tape.isString(id) ? "name" : "id", "must be a string.");
    return;
  }
  const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT, <u32>report.message);
  block.id = tape.pointer(id);
  block.idLength = tape.size(id);
  block.name = tape.pointer(name);
  block.nameLength = tape.size(name);
  if (!tape.isPresent(input)) return;
  const start = tape.outerStart(input);
  block.text = tape.base + start;
  block.textLength = tape.outerEnd(input) - start;
}

function readResult(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const id = members.node(member.TOOL_USE_ID);
  if (!tape.isString(id)) {
    report.refuse("tool_use_id", "must be the id of the tool use that this result answers.");
    return;
  }
  const index = <u32>report.message;
  const result = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER, index);
  result.id = tape.pointer(id);
  result.idLength = tape.size(id);
  if (tape.isTrue(members.node(member.IS_ERROR))) result.flags |= FLAG_ERROR;
  const content = members.node(member.BLOCK_CONTENT);
  if (tape.isString(content)) {
    request.addText(ROLE_USER, index, content);
  } else if (tape.isArray(content)) {
    let position = 0;
    for (
      let item = tape.first(content), end = tape.next(content);
      item < end;
      item = tape.next(item)
    ) {
      report.enterList("content", position++);
      readBlock(tape, item, ROLE_USER, inner, request, report);
      if (report.fault !== null) return;
    }
    report.leaveList();
  } else if (tape.isPresent(content)) {
    report.refuse("content", "must be a string or a list of blocks.");
  }
  request.addBlock(BLOCK_RESULT_END, ROLE_USER, index);
}

function readThinking(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const text = members.node(member.BLOCK_THINKING);
  const signature = members.node(member.SIGNATURE);
  const block = request.addBlock(BLOCK_REASONING, ROLE_ASSISTANT, <u32>report.message);
  if (tape.isString(text)) {
    block.text = tape.pointer(text);
    block.textLength = tape.size(text);
  }
  if (tape.isString(signature)) {
    block.name = tape.pointer(signature);
    block.nameLength = tape.size(signature);
  }
}

function readRedacted(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const data = members.node(member.DATA);
  if (!tape.isString(data)) return;
  const block = request.addBlock(BLOCK_REASONING_DATA, ROLE_ASSISTANT, <u32>report.message);
  block.text = tape.pointer(data);
  block.textLength = tape.size(data);
}
