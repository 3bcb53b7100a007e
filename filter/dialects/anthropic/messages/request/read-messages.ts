// Reads `system` and the messages of a messages request into the hub's blocks.
// @see https://platform.claude.com/docs/en/api/messages/create
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  HubRequest,
  FLAG_ERROR,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
  spanOf,
} from "../../../../hub/request/request";
import { addHostedCall, addHostedResult } from "../../../../hub/request/hosted-history";
import { readList } from "../../../../hub/request/read-list";
import { RequestReport } from "../../../../hub/request/request-report";
import { Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { isFailure } from "../hosted-failure";
import { isAttribution } from "./attribution";
import { addText, CITATIONS, readDocument, readImage, readSearchResult } from "./read-source";
import * as member from "../members";

/** More calls whose results have not come are dropped. */
const MAX_HOSTED_CALLS: i32 = 64;
const HOSTED_TYPE = constant("messages[].content[].type=server_tool_use");
const SYSTEM = constant("system");
const CONTENT = constant("content");

const message = new MemberReader(member.message);
const members = new MemberReader(member.block);
/** The blocks of a tool result are read while the result's own members are still needed. */
const inner = new MemberReader(member.block);
/** The calls of tools that a provider ran whose results have not come, and their ids. */
const open: u32[] = [];
const openIds: u32[] = [];
const resultId = new Span(0, 0);

/** Reads the top-level system prompt. */
export function readSystem(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.role = ROLE_SYSTEM;
  readContent(tape, node, SYSTEM, request, report);
}

export function readMessage(
  tape: Tape,
  item: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.message++;
  message.read(tape, item, report);
  const node = message.node(member.ROLE);
  if (tape.equals(node, constant("user"))) {
    request.role = ROLE_USER;
    endHosted(report);
  } else if (tape.equals(node, constant("assistant"))) request.role = ROLE_ASSISTANT;
  else if (tape.equals(node, SYSTEM)) request.role = ROLE_SYSTEM;
  else {
    report.reject("role", "must be user or assistant; send a system prompt in 'system'.");
    return;
  }
  readContent(tape, message.node(member.CONTENT), CONTENT, request, report);
}

/** Drops the calls without a result: a turn, which several messages may make up (`pause_turn`), is over. */
export function endHosted(report: RequestReport): void {
  if (open.length > 0) report.drop(HOSTED_TYPE);
  open.length = 0;
  openIds.length = 0;
}

function readContent(
  tape: Tape,
  node: u32,
  name: Span,
  request: HubRequest,
  report: RequestReport,
): void {
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) request.addText(request.role, node);
  else if (tape.isArray(node)) readList(tape, node, name, request, report, readOuterBlock);
  else report.reject(name.toText(), "must be a string or a list of blocks.");
}

/** Returns the index of a block's type; -1 if it was rejected or dropped. */
function typeOf(tape: Tape, block: MemberReader, report: RequestReport): i32 {
  const type = block.node(member.BLOCK_TYPE);
  const found = member.blockType.find(tape, type);
  if (found === null) {
    const word = report.printable(tape, type);
    report.reject("type", "'" + word + "' is not supported. Send its content as text.");
    return -1;
  }
  const feature = found.featureOf();
  if (feature === null) return found.index;
  report.rejectOrDropType(found, feature);
  return -1;
}

function readOuterBlock(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  readBlock(tape, item, members, request, report);
}

function readInnerBlock(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  readBlock(tape, item, inner, request, report);
}

function readBlock(
  tape: Tape,
  item: u32,
  block: MemberReader,
  request: HubRequest,
  report: RequestReport,
): void {
  if (!tape.isObject(item)) {
    report.reject("", "must be an object with a 'type'.");
    return;
  }
  block.read(tape, item, report);
  const type = typeOf(tape, block, report);
  if (type < 0 || report.fault !== null) return;
  const before = request.blocks.count;
  const cache = block.node(member.BLOCK_CACHE);
  if (type == member.TYPE_TEXT) {
    const text = block.node(member.TEXT);
    // Those of an earlier response.
    if (request.role == ROLE_ASSISTANT && tape.hasItems(block.node(member.BLOCK_CITATIONS)))
      report.drop(CITATIONS);
    // No other dialect has a place for it.
    if (request.role == ROLE_SYSTEM && isAttribution(tape, text)) return;
    if (tape.isString(text)) request.addText(request.role, text);
    else report.reject("text", "must be a string.");
  } else if (request.role == ROLE_SYSTEM) {
    report.reject("type", "must be text in a system prompt.");
  } else if (request.role == ROLE_ASSISTANT) {
    readTurn(tape, item, type, request, report);
  } else if (type == member.TYPE_TOOL_RESULT && block === members) {
    readResult(tape, request, report);
  } else {
    readUserBlock(tape, type, block, request, report);
  }
  if (request.blocks.count > before) request.block(before).setCache(tape, cache);
}

/** Reads what only an assistant writes: tool calls and thinking. */
function readTurn(
  tape: Tape,
  item: u32,
  type: i32,
  request: HubRequest,
  report: RequestReport,
): void {
  if (type == member.TYPE_TOOL_USE) {
    readCall(tape, request, report);
  } else if (type == member.TYPE_HOSTED_USE || type == member.TYPE_MCP_USE) {
    openHosted(item, report);
  } else if (type > member.TYPE_MCP_USE && type <= member.TYPE_HOSTED_RESULT) {
    readHosted(tape, item, request, report);
  } else if (type == member.TYPE_THINKING) {
    request.addReasoning(members.node(member.BLOCK_THINKING), members.node(member.SIGNATURE));
  } else if (type == member.TYPE_REDACTED) {
    const data = members.node(member.DATA);
    if (!tape.isString(data)) return;
    request.addBlock(BLOCK_REASONING_DATA, ROLE_ASSISTANT).setText(tape, data);
  } else {
    report.reject("type", WRONG_ROLE);
  }
}

const WRONG_ROLE = "is not supported in a message of this role.";

/** Reads images, documents and search results. */
function readUserBlock(
  tape: Tape,
  type: i32,
  block: MemberReader,
  request: HubRequest,
  report: RequestReport,
): void {
  if (type == member.TYPE_IMAGE) readImage(tape, block.node(member.SOURCE), request, report);
  else if (type == member.TYPE_DOCUMENT) readDocument(tape, block, request, report);
  else if (type == member.TYPE_SEARCH_RESULT) readSearchResult(tape, block, request, report);
  else if (type == member.TYPE_TOOL_REFERENCE)
    addText(tape, block.node(member.REFERENCED_TOOL), request);
  else report.reject("type", WRONG_ROLE);
}

function readCall(tape: Tape, request: HubRequest, report: RequestReport): void {
  const id = members.node(member.BLOCK_ID);
  const name = members.node(member.BLOCK_NAME);
  const input = members.node(member.INPUT);
  if (!tape.isString(id) || !tape.isString(name)) {
    report.reject(tape.isString(id) ? "name" : "id", "must be a string.");
    return;
  }
  const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT);
  block.setCallId(tape, id);
  block.setName(tape, name);
  if (!tape.isPresent(input)) return;
  const start = tape.outerStart(input);
  block.text = tape.base + start;
  block.textLength = tape.outerEnd(input) - start;
}

function openHosted(call: u32, report: RequestReport): void {
  if (open.length < MAX_HOSTED_CALLS) {
    open.push(call);
    openIds.push(members.node(member.BLOCK_ID));
  } else {
    report.drop(HOSTED_TYPE);
  }
}

/** Reads the result of a tool that a provider ran, and its call before it: as if the client had run it. */
function readHosted(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  const id = members.node(member.TOOL_USE_ID);
  const content = members.node(member.BLOCK_CONTENT);
  const flags = isFailure(tape, item, content) ? FLAG_ERROR : 0;
  for (let i = 0; i < open.length; i++) {
    if (!tape.isString(id) || !tape.equals(unchecked(openIds[i]), spanOf(tape, id, resultId)))
      continue;
    const call = unchecked(open[i]);
    unchecked((open[i] = open[open.length - 1]));
    unchecked((openIds[i] = openIds[open.length - 1]));
    open.pop();
    openIds.pop();
    const input = tape.member(call, constant("input"));
    const start = tape.outerStart(input);
    const length = tape.isObject(input) ? tape.outerEnd(input) - start : 0;
    const name = tape.member(call, constant("name"));
    addHostedCall(tape, id, name, tape.base + start, length, 0, request);
    addHostedResult(tape, id, content, flags, HOSTED_TYPE, request, report);
    return;
  }
  report.drop(HOSTED_TYPE);
}

function readResult(tape: Tape, request: HubRequest, report: RequestReport): void {
  const id = members.node(member.TOOL_USE_ID);
  if (!tape.isString(id)) {
    report.reject("tool_use_id", "must be the id of the tool use that this result belongs to.");
    return;
  }
  const result = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER);
  result.setCallId(tape, id);
  if (tape.isTrue(members.node(member.IS_ERROR))) result.flags |= FLAG_ERROR;
  const content = members.node(member.BLOCK_CONTENT);
  if (tape.isString(content)) request.addText(ROLE_USER, content);
  else if (tape.isArray(content)) readList(tape, content, CONTENT, request, report, readInnerBlock);
  else if (tape.isPresent(content))
    report.reject("content", "must be a string or a list of blocks.");
  request.addBlock(BLOCK_RESULT_END, ROLE_USER);
}
