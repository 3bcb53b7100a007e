// Reads single items of `input` into the hub's blocks.
// @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  hasMark,
  isCarrier,
  isUnsignedMark,
  MARK_SIGNATURE,
  MARK_REDACTED,
} from "../../../../hub/reasoning-carrier";
import {
  Block,
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TEXT,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  FLAG_CONTINUES,
  FLAG_CUSTOM,
  FLAG_ENCRYPTED,
  FLAG_ERROR,
  FLAG_PARAGRAPH,
  FLAG_SCREEN,
  FLAG_STRING,
  HubRequest,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { addHostedCall, addHostedResult } from "../../../../hub/request/hosted-history";
import { RequestReport } from "../../../../hub/request/request-report";
import { scan, SCAN_EMPTY, SCAN_MEMORY, SCAN_OK } from "../../../../bytes/json/scan";
import { NO_NODE, scratchTape, Tape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import * as member from "../members";
import { COMPUTER, writeActionInput } from "../computer-actions";
import { readContent, readPart } from "./read-content";
import { spaceOf, wireName } from "../wire-names";

const CONTENT = constant("content");
const OUTPUT = constant("output");
/** An output whose call is missing is sent as a text. */
const ORPHAN_PATH = constant("input[].call_id");

const HOSTED_TYPE = constant("input[].type=mcp_call");

const ACTIONS_PATH = constant("input[].actions");

/**
 * A call of a computer is one call for each of its actions, and each is many times its bytes. So the actions that a call has beside its
 * first one are counted in all calls together; a call itself is as large as its first.
 */
const MAX_FURTHER_ACTIONS: i32 = 256;
let furtherActions: i32 = 0;

const item = new MemberReader(member.item);
const heading = scratchBuffer();
const argumentsTape = scratchTape();

/** Forgets the actions of the last request. */
export function forgetActions(): void {
  furtherActions = 0;
}

/** Reads a message of the user or of the system. */
export function readMessage(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  const role = item.node(member.ROLE);
  const content = item.node(member.CONTENT);
  if (tape.equals(role, constant("user")))
    readContent(tape, content, CONTENT, ROLE_USER, request, report);
  else if (tape.equals(role, constant("developer")) || tape.equals(role, constant("system")))
    readContent(tape, content, CONTENT, ROLE_SYSTEM, request, report);
  else report.reject("role", "must be user, assistant, system or developer.");
}

/** Reads a message of one agent to another: its texts, as a message of the user. */
export function readAgentMessage(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  readContent(tape, item.node(member.CONTENT), CONTENT, ROLE_USER, request, report);
}

/** Reads a message of the assistant. */
export function readAnswer(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  const before = request.blocks.count;
  readContent(tape, item.node(member.CONTENT), CONTENT, ROLE_ASSISTANT, request, report);
  if (request.blocks.count > before) request.block(before).flags |= FLAG_PARAGRAPH;
}

/** Reads a call of a function, or of a custom tool. `use`: how many calls of its id there were before. */
export function readCall(
  tape: Tape,
  node: u32,
  isCustom: bool,
  use: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  const id = item.node(member.CALL_ID);
  const name = item.node(member.ITEM_NAME);
  const given = item.node(isCustom ? member.CUSTOM_INPUT : member.ARGUMENTS);
  if (!isFilled(tape, id)) report.reject("call_id", "must be a string that is not empty.");
  else if (!isFilled(tape, name)) report.reject("name", "must be a string that is not empty.");
  else if (tape.isPresent(given) && !tape.isString(given))
    report.reject(isCustom ? "input" : "arguments", "must be a string.");
  else if (!isCustom && !isJsonText(tape, given))
    report.reject(
      "arguments",
      "must be JSON in a string, such as {}: it does not end, or is not JSON.",
    );
  if (report.fault !== null) return;
  const wire = wireName(tape, spaceOf(tape, item.node(member.NAMESPACE)), name, request);
  const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT);
  block.setCallId(tape, id);
  block.name = wire.pointer;
  block.nameLength = wire.length;
  block.flags = isCustom ? FLAG_CUSTOM : FLAG_STRING;
  if (tape.isString(given)) block.setText(tape, given);
  if (use > 0) setUniqueId(block, use, request);
}

/**
 * Reads a call of the computer as one for each of its actions, because Anthropic's has one; FLAG_CONTINUES: it goes on with the next.
 */
export function readComputerCall(
  tape: Tape,
  node: u32,
  use: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  const id = tape.member(node, constant("call_id"));
  if (!isFilled(tape, id)) report.reject("call_id", "must be a string that is not empty.");
  const list = tape.member(node, constant("actions"));
  const single = tape.member(node, constant("action"));
  const end = tape.isArray(list) ? tape.next(list) : 0;
  let action = end > 0 ? actionFrom(tape, tape.first(list), end, report) : single;
  while (report.fault === null) {
    heading.clear();
    if (!writeActionInput(tape, action, heading)) report.drop(ACTIONS_PATH);
    const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT);
    block.text = request.keep(heading);
    if (block.text != 0) block.textLength = heading.length;
    block.setCallId(tape, id);
    block.name = COMPUTER.pointer;
    block.nameLength = COMPUTER.length;
    if (use > 0) setUniqueId(block, use, request);
    use++;
    action = actionFrom(tape, tape.next(action), end, report);
    if (action == NO_NODE) return;
    block.flags = FLAG_CONTINUES;
    if (++furtherActions > MAX_FURTHER_ACTIONS)
      report.reject(
        "actions",
        "must have, with all other calls, at most 256 actions beside the first of each call. Remove older calls.",
      );
  }
}

/** Returns the next object of a list, from one of its elements on; NO_NODE if there is none. */
function actionFrom(tape: Tape, from: u32, end: u32, report: RequestReport): u32 {
  let node = from;
  for (; node < end && !tape.isObject(node); node = tape.next(node)) report.drop(ACTIONS_PATH);
  return node < end ? node : NO_NODE;
}

/** Some models count their calls from 0 in each turn; Anthropic rejects an id that is used twice. */
function setUniqueId(block: Block, use: u32, request: HubRequest): void {
  heading.clear();
  heading.bytes(block.id, block.idLength);
  heading.byte(0x5f);
  heading.integer(use + 1);
  block.id = request.keep(heading);
  block.idLength = block.id == 0 ? 0 : heading.length;
}

/** Returns whether a string, which may be missing, holds JSON or nothing: without arguments models write an empty one. */
function isJsonText(tape: Tape, node: u32): bool {
  if (!isFilled(tape, node)) return true;
  heading.clear();
  unescape(tape.pointer(node), tape.size(node), heading);
  heading.reserve(0);
  const code = scan(argumentsTape, heading.pointer, heading.length);
  return code == SCAN_OK || code == SCAN_EMPTY || code == SCAN_MEMORY;
}

function isFilled(tape: Tape, node: u32): bool {
  return tape.isString(node) && tape.size(node) > 0;
}

/** Reads the output of a call, which is the block `call`. */
export function readOutput(
  tape: Tape,
  node: u32,
  call: u32,
  isCustom: bool,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  let first = call;
  while (first > 0 && continues(request.block(first - 1))) first--;
  for (; first <= call; first++) {
    const result = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER);
    result.id = request.block(first).id;
    result.idLength = request.block(first).idLength;
    if (isCustom) result.flags = FLAG_CUSTOM;
    if (first == call) {
      readOutputContent(tape, request, report);
      if (request.block(call).name == COMPUTER.pointer)
        request.block(request.blocks.count - 1).flags |= FLAG_SCREEN;
    }
    request.addBlock(BLOCK_RESULT_END, ROLE_USER);
  }
}

/** Returns whether a call goes on with the next one. Reasoning has the flag too. */
function continues(call: Block): bool {
  return call.kind == BLOCK_TOOL_CALL && (call.flags & FLAG_CONTINUES) != 0;
}

/** Reads the output of an item: that of a computer is one part. */
function readOutputContent(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = item.node(member.OUTPUT);
  request.role = ROLE_USER;
  if (tape.isObject(node)) readPart(tape, node, request, report);
  else readContent(tape, node, OUTPUT, ROLE_USER, request, report);
}

/** Reads what a provider ran, code or an MCP tool, which may have no arguments. */
export function readHosted(
  tape: Tape,
  node: u32,
  isCode: bool,
  request: HubRequest,
  report: RequestReport,
): void {
  const id = tape.member(node, constant("id"));
  const input = tape.member(node, isCode ? constant("code") : constant("arguments"));
  const isInput = isCode
    ? isFilled(tape, input)
    : !tape.isPresent(input) || (tape.isString(input) && isJsonText(tape, input));
  if (!isFilled(tape, id) || !isInput) {
    report.drop(HOSTED_TYPE);
    return;
  }
  const flags = isCode ? FLAG_CUSTOM : FLAG_STRING;
  const name = tape.member(node, constant("name"));
  const length = tape.isString(input) ? tape.size(input) : 0;
  addHostedCall(tape, id, name, tape.pointer(input), length, flags, request);
  const error = tape.member(node, constant("error"));
  const hasError = tape.isPresent(error);
  const output = hasError ? error : tape.member(node, isCode ? constant("outputs") : OUTPUT);
  let resultFlags: u32 = isCode ? FLAG_CUSTOM : 0;
  if (hasError || tape.equals(tape.member(node, constant("status")), constant("failed")))
    resultFlags |= FLAG_ERROR;
  addHostedResult(tape, id, output, resultFlags, HOSTED_TYPE, request, report);
}

/** Reads an output without a call, which providers reject, as a message of the user. */
export function readOrphan(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  const id = item.node(member.CALL_ID);
  report.drop(ORPHAN_PATH);
  heading.clear();
  heading.text("(The output of a tool call that is not in this conversation");
  if (isFilled(tape, id)) {
    heading.text(", ");
    heading.bytes(tape.pointer(id), tape.size(id));
  }
  heading.text(":)");
  const kept = request.keep(heading);
  if (kept == 0) return;
  const block = request.addBlock(BLOCK_TEXT, ROLE_USER);
  block.text = kept;
  block.textLength = heading.length;
  readOutputContent(tape, request, report);
}

/**
 * Reads reasoning: what Anthropic has signed or encrypted goes back to Anthropic, OpenAI's goes back to nobody else.
 * Why: docs/decisions/2026-11-22-reasoning-between-three-dialects.md
 */
export function readReasoning(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  item.read(tape, node, report);
  const carrier = item.node(member.ENCRYPTED_CONTENT);
  const before = request.blocks.count;
  if (hasMark(tape, carrier, MARK_REDACTED)) {
    const block = request.addBlock(BLOCK_REASONING_DATA, ROLE_ASSISTANT);
    block.setText(tape, carrier);
    skip(block, MARK_REDACTED);
    return;
  }
  addPieces(tape, item.node(member.SUMMARY_PARTS), "summary", request, report);
  if (request.blocks.count == before)
    addPieces(tape, item.node(member.CONTENT), "content", request, report);
  if (!isFilled(tape, carrier) || report.fault !== null) return;
  if (request.blocks.count == before) request.addBlock(BLOCK_REASONING, ROLE_ASSISTANT);
  const last = request.block(request.blocks.count - 1);
  if (hasMark(tape, carrier, MARK_SIGNATURE)) {
    last.name = tape.pointer(carrier) + MARK_SIGNATURE.length;
    last.nameLength = tape.size(carrier) - MARK_SIGNATURE.length;
  } else if (isUnsignedMark(tape, carrier)) {
    last.setName(tape, carrier);
  } else {
    for (let i = before; i < request.blocks.count; i++) request.block(i).flags |= FLAG_ENCRYPTED;
    if (!isCarrier(tape, carrier)) last.setName(tape, carrier);
  }
}

/** Adds the texts of a list of parts as pieces of one block. */
function addPieces(
  tape: Tape,
  list: u32,
  name: string,
  request: HubRequest,
  report: RequestReport,
): void {
  if (!tape.isPresent(list)) return;
  if (!tape.isArray(list)) {
    report.reject(name, "must be a list of parts.");
    return;
  }
  const first = request.blocks.count;
  for (let part = tape.first(list), end = tape.next(list); part < end; part = tape.next(part)) {
    const text = tape.member(part, constant("text"));
    if (!isFilled(tape, text)) continue;
    const block = request.addBlock(BLOCK_REASONING, ROLE_ASSISTANT);
    block.setText(tape, text);
    if (request.blocks.count - 1 > first) block.flags = FLAG_CONTINUES;
  }
}

/** Removes the mark of a carrier. */
function skip(block: Block, mark: Span): void {
  block.text += mark.length;
  block.textLength -= mark.length;
}
