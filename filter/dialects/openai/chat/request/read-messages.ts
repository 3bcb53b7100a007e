// Reads the messages of a chat completions request into the hub's blocks.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  Block,
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  HubRequest,
  FLAG_CUSTOM,
  FLAG_ERROR,
  FLAG_STRING,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { readList } from "../../../../hub/request/read-list";
import { RequestReport } from "../../../../hub/request/request-report";
import { plainId, readSignedId } from "../../../../hub/request/signed-call-id";
import { Tape } from "../../../../bytes/json/tape";
import { constant, sameBytes, scratchBuffer } from "../../../../bytes/text/bytes";
import { readContent } from "./read-content";
import { readReasoningDetails, readReasoningText, readThinkingBlocks } from "./read-reasoning";
import * as member from "../members";

const TOOL = constant("tool");
const FUNCTION = constant("function");

const message = new MemberReader(member.message);
const call = new MemberReader(member.toolCall);
const called = new MemberReader(member.calledFunction);
const calledCustom = new MemberReader(member.calledCustom);

export function readMessage(
  tape: Tape,
  item: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  request.message++;
  if (!tape.isObject(item)) {
    report.reject("", "must be an object with 'role' and 'content'.");
    return;
  }
  if (request.notes.hasFunctions && tape.equals(tape.member(item, constant("role")), FUNCTION)) {
    readFunctionResult(tape, item, request, report);
    return;
  }
  message.read(tape, item, report);
  const role = message.node(member.ROLE);
  const before = request.blocks.count;
  const content = message.node(member.CONTENT);
  if (tape.equals(role, constant("user"))) readContent(tape, content, ROLE_USER, request, report);
  else if (tape.equals(role, constant("assistant"))) readAssistant(tape, request, report);
  else if (tape.equals(role, TOOL)) readResult(tape, request, report);
  else if (tape.equals(role, constant("system")) || tape.equals(role, constant("developer"))) {
    readContent(tape, content, ROLE_SYSTEM, request, report);
  } else if (tape.equals(role, FUNCTION)) {
    readFunctionResult(tape, item, request, report);
  } else {
    report.reject("role", "must be system, developer, user, assistant or tool.");
  }
  if (request.blocks.count == before) return;
  // A mark on a tool's message belongs to the result, not to its contents.
  const last = tape.equals(role, TOOL) ? before : request.blocks.count - 1;
  request.block(last).setCache(tape, message.node(member.MESSAGE_CACHE));
}

function readAssistant(tape: Tape, request: HubRequest, report: RequestReport): void {
  readReasoning(tape, request, report);
  readContent(tape, message.node(member.CONTENT), ROLE_ASSISTANT, request, report);
  const refusal = message.node(member.REFUSAL);
  if (tape.isString(refusal)) request.addText(ROLE_ASSISTANT, refusal);
  readList(
    tape,
    message.node(member.TOOL_CALLS),
    constant("tool_calls"),
    request,
    report,
    readCall,
  );
  readFunctionCall(tape, message.node(member.MESSAGE_CALL), request, report);
}

/** Reads one carrier, the first that the message has (docs/decisions/2026-11-21-reasoning-carrier.md). */
function readReasoning(tape: Tape, request: HubRequest, report: RequestReport): void {
  const details = message.node(member.REASONING_DETAILS);
  const blocks = message.node(member.THINKING_BLOCKS);
  if (tape.isArray(details) && !tape.isEmpty(details))
    readReasoningDetails(tape, details, request, report);
  else if (tape.isArray(blocks) && !tape.isEmpty(blocks)) readThinkingBlocks(tape, blocks, request);
  else if (!readReasoningText(tape, message.node(member.REASONING_CONTENT), request)) {
    readReasoningText(tape, message.node(member.REASONING), request);
  }
}

function readCall(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  call.read(tape, item, report);
  const type = call.node(member.CALL_TYPE);
  const isCustom = tape.equals(type, constant("custom"));
  if (!isCustom && tape.isPresent(type) && !tape.equals(type, FUNCTION)) {
    report.reject("type", "must be function or custom.");
    return;
  }
  const id = call.node(member.CALL_ID);
  if (!isId(tape, id)) {
    report.reject("id", "must be a non-empty string, which the tool's result refers to.");
    return;
  }
  if (isCustom) {
    readCustomCall(tape, id, call.node(member.CALL_CUSTOM), request, report);
    return;
  }
  const block = addCall(tape, call.node(member.CALL_FUNCTION), "function", request, report);
  if (block !== null) block.setCallId(tape, id);
}

/** Adds a call by its name and arguments. Returns null if it is rejected, as the member `path`. */
function addCall(
  tape: Tape,
  node: u32,
  path: string,
  request: HubRequest,
  report: RequestReport,
): Block | null {
  called.read(tape, node, report);
  const name = called.node(member.CALLED_NAME);
  if (!tape.isObject(node) || !tape.isString(name)) {
    report.reject(path, "must be an object with 'name' and 'arguments'.");
    return null;
  }
  const given = called.node(member.ARGUMENTS);
  const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT);
  block.setName(tape, name);
  // Some clients send the arguments as an object, not as a string of JSON.
  if (tape.isString(given)) block.flags |= FLAG_STRING;
  if (tape.isPresent(given)) block.setText(tape, given);
  return block;
}

/** Reads the one call of a message whose client knows no ids: it gets one, by its place in the conversation. */
function readFunctionCall(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  if (!tape.isPresent(node)) return;
  const block = addCall(tape, node, "function_call", request, report);
  if (block === null) return;
  madeId.clear();
  madeId.text("call_");
  madeId.integer(request.message);
  block.id = request.keep(madeId);
  block.idLength = block.id == 0 ? 0 : madeId.length;
}
const madeId = scratchBuffer();

/** Reads a message of role function: the result of the call right before it. */
function readFunctionResult(
  tape: Tape,
  item: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  const count = request.blocks.count;
  const isAfterCall = count > 0 && request.block(count - 1).kind == BLOCK_TOOL_CALL;
  if (!isAfterCall) {
    report.reject("role", "function needs a 'function_call' in the message before it.");
    return;
  }
  const block = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER);
  const before = request.block(count - 1);
  block.id = before.id;
  block.idLength = before.idLength;
  readContent(tape, tape.member(item, constant("content")), ROLE_USER, request, report);
  request.addBlock(BLOCK_RESULT_END, ROLE_USER);
}

/** Reads the call of a tool whose input is a text. */
function readCustomCall(
  tape: Tape,
  id: u32,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  calledCustom.read(tape, node, report);
  const name = calledCustom.node(member.CALLED_CUSTOM_NAME);
  const input = calledCustom.node(member.CUSTOM_INPUT);
  if (!tape.isString(name) || !tape.isString(input)) {
    report.reject("custom", "must be an object with 'name' and 'input'.");
    return;
  }
  const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT);
  block.flags |= FLAG_STRING | FLAG_CUSTOM;
  block.setCallId(tape, id);
  block.setName(tape, name);
  block.setText(tape, input);
}

/** Blocks before a result among which its call is searched: each result searches them. */
const MAX_SEARCHED: u32 = 1024;

/** Returns whether the result with this id belongs to the call of a custom tool: one of the last turn of the assistant. */
function isCustomResult(tape: Tape, id: u32, request: HubRequest): bool {
  readSignedId(tape.pointer(id), tape.size(id));
  const count = request.blocks.count;
  for (let i = count; i > 0 && count - i < MAX_SEARCHED; i--) {
    const block = request.block(i - 1);
    if (block.role == ROLE_ASSISTANT && block.kind != BLOCK_TOOL_CALL) return false;
    if (block.kind != BLOCK_TOOL_CALL) continue;
    if (sameBytes(block.id, block.idLength, plainId.pointer, plainId.length))
      return (block.flags & FLAG_CUSTOM) != 0;
  }
  return false;
}

function isId(tape: Tape, node: u32): bool {
  return tape.isString(node) && tape.size(node) > 0;
}

function readResult(tape: Tape, request: HubRequest, report: RequestReport): void {
  const id = message.node(member.TOOL_CALL_ID);
  if (!isId(tape, id)) {
    report.reject("tool_call_id", "must be the id of the tool call that this message responds to.");
    return;
  }
  // Only a request that declares such tools pays for the search.
  const isCustom = !request.notes.tools.isEmpty && isCustomResult(tape, id, request);
  const block = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER);
  block.setCallId(tape, id);
  if (tape.isTrue(message.node(member.IS_ERROR))) block.flags |= FLAG_ERROR;
  if (isCustom) block.flags |= FLAG_CUSTOM;
  readContent(tape, message.node(member.CONTENT), ROLE_USER, request, report);
  request.addBlock(BLOCK_RESULT_END, ROLE_USER);
}
