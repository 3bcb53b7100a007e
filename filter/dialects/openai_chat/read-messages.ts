// Reads the messages of a chat completions request into the hub's blocks.
// @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
import { MemberReader } from "../../hub/member-reader";
import {
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  ChatRequest,
  FLAG_ERROR,
  FLAG_STRING,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../hub/request";
import { RequestReport } from "../../hub/request-report";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { readContent } from "./read-content";
import {
  readReasoningDetails,
  readReasoningText,
  readThinkingBlocks,
} from "./read-request-reasoning";
import * as feature from "../../hub/features";
import * as member from "./members";

const SYSTEM = constant("system");
const DEVELOPER = constant("developer");
const USER = constant("user");
const ASSISTANT = constant("assistant");
const TOOL = constant("tool");
const FUNCTION = constant("function");

const message = new MemberReader(member.message);
const call = new MemberReader(member.toolCall);
const called = new MemberReader(member.calledFunction);

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
    if (!tape.isObject(item)) {
      report.refuse("", "must be an object with 'role' and 'content'.");
      return;
    }
    message.read(tape, item, report);
    readMessage(tape, request, report);
    if (report.fault !== null) return;
  }
  report.leaveMessages();
}

function readMessage(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const role = message.node(member.ROLE);
  const before = request.blocks.count;
  const index = <u32>report.message;
  if (tape.equals(role, USER))
    readContent(tape, message.node(member.CONTENT), ROLE_USER, request, report);
  else if (tape.equals(role, ASSISTANT)) readAssistant(tape, request, report);
  else if (tape.equals(role, TOOL)) readResult(tape, request, report);
  else if (tape.equals(role, SYSTEM) || tape.equals(role, DEVELOPER)) {
    readContent(tape, message.node(member.CONTENT), ROLE_SYSTEM, request, report);
  } else if (tape.equals(role, FUNCTION)) {
    report.refuse(
      "role",
      'is "function", which is deprecated. Use a message of role "tool" with a \'tool_call_id\'.',
    );
  } else {
    report.refuse("role", "must be system, developer, user, assistant or tool.");
  }
  const cache = message.node(member.MESSAGE_CACHE);
  if (!tape.isObject(cache) || request.blocks.count == before) return;
  // Of a tool's message the result is the block, not what stands in it.
  const last = tape.equals(role, TOOL) ? before : request.blocks.count - 1;
  const block = request.block(last);
  if (block.message != index) return;
  block.cache = tape.pointer(cache);
  block.cacheLength = tape.size(cache);
}

function readAssistant(tape: Tape, request: ChatRequest, report: RequestReport): void {
  readReasoning(tape, request, report);
  readContent(tape, message.node(member.CONTENT), ROLE_ASSISTANT, request, report);
  const refusal = message.node(member.REFUSAL);
  if (tape.isString(refusal)) request.addText(ROLE_ASSISTANT, <u32>report.message, refusal);
  const calls = message.node(member.TOOL_CALLS);
  if (!tape.isPresent(calls)) return;
  if (!tape.isArray(calls)) {
    report.refuse("tool_calls", "must be a list of tool calls.");
    return;
  }
  let index = 0;
  for (let item = tape.first(calls), end = tape.next(calls); item < end; item = tape.next(item)) {
    report.enterList("tool_calls", index++);
    readCall(tape, item, request, report);
    if (report.fault !== null) return;
  }
  report.leaveList();
}

/** One carrier is enough: the first of them that is there (docs/decisions/2026-11-21-reasoning-carrier.md). */
function readReasoning(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const details = message.node(member.REASONING_DETAILS);
  const blocks = message.node(member.THINKING_BLOCKS);
  const index = <u32>report.message;
  if (tape.isArray(details) && !tape.isEmpty(details))
    readReasoningDetails(tape, details, index, request, report);
  else if (tape.isArray(blocks) && !tape.isEmpty(blocks))
    readThinkingBlocks(tape, blocks, index, request);
  else if (!readReasoningText(tape, message.node(member.REASONING_CONTENT), index, request)) {
    readReasoningText(tape, message.node(member.REASONING), index, request);
  }
}

function readCall(tape: Tape, item: u32, request: ChatRequest, report: RequestReport): void {
  call.read(tape, item, report);
  const type = call.node(member.CALL_TYPE);
  if (tape.isPresent(type) && !tape.equals(type, FUNCTION)) {
    report.refuse(
      "type",
      "'" + report.word(tape, type) + "' " + report.unsupported(feature.CUSTOM_TOOLS),
    );
    return;
  }
  const id = call.node(member.CALL_ID);
  if (!tape.isString(id) || tape.size(id) == 0) {
    report.refuse(
      "id",
      "must be a string that is not empty, so that the tool's result can name it.",
    );
    return;
  }
  const node = call.node(member.CALL_FUNCTION);
  if (tape.isObject(node)) called.read(tape, node, report);
  const name = called.node(member.CALLED_NAME);
  if (!tape.isObject(node) || !tape.isString(name)) {
    report.refuse("function", "must be an object with 'name' and 'arguments'.");
    return;
  }
  const given = called.node(member.ARGUMENTS);
  const block = request.addBlock(BLOCK_TOOL_CALL, ROLE_ASSISTANT, <u32>report.message);
  block.id = tape.pointer(id);
  block.idLength = tape.size(id);
  block.name = tape.pointer(name);
  block.nameLength = tape.size(name);
  // Some clients send the arguments as an object, not as a string of JSON.
  if (tape.isString(given)) block.flags |= FLAG_STRING;
  if (!tape.isPresent(given)) return;
  block.text = tape.pointer(given);
  block.textLength = tape.size(given);
}

function readResult(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const id = message.node(member.TOOL_CALL_ID);
  if (!tape.isString(id) || tape.size(id) == 0) {
    report.refuse("tool_call_id", "must be the id of the tool call that this message answers.");
    return;
  }
  const index = <u32>report.message;
  const block = request.addBlock(BLOCK_TOOL_RESULT, ROLE_USER, index);
  block.id = tape.pointer(id);
  block.idLength = tape.size(id);
  if (tape.isTrue(message.node(member.IS_ERROR))) block.flags |= FLAG_ERROR;
  readContent(tape, message.node(member.CONTENT), ROLE_USER, request, report);
  request.addBlock(BLOCK_RESULT_END, ROLE_USER, index);
}
