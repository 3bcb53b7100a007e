// Reads the reasoning that a chat client sends back: OpenRouter's, LiteLLM's and DeepSeek's spelling.
// Why these: docs/decisions/2026-11-21-reasoning-carrier.md
import { MemberReader } from "../../hub/member-reader";
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  ChatRequest,
  FLAG_CONTINUES,
  isBlank,
  ROLE_ASSISTANT,
} from "../../hub/request";
import { RequestReport } from "../../hub/request-report";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { constant, sameBytes } from "../../bytes/text/bytes";
import * as member from "./members";

const REASONING_TEXT = constant("reasoning.text");
const REASONING_ENCRYPTED = constant("reasoning.encrypted");
const ANTHROPIC_FORMAT = constant("anthropic-claude-v1");
const DETAILS_PATH = constant("messages[].reasoning_details");
const TYPE = constant("type");
const THINKING = constant("thinking");
const SIGNATURE = constant("signature");
const REDACTED_THINKING = constant("redacted_thinking");
const DATA = constant("data");

const detail = new MemberReader(member.reasoning);

export function readReasoningDetails(
  tape: Tape,
  list: u32,
  message: u32,
  request: ChatRequest,
  report: RequestReport,
): void {
  let openIndex = NO_NODE;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    detail.read(tape, item, report);
    const type = detail.node(member.DETAIL_TYPE);
    const format = detail.node(member.DETAIL_FORMAT);
    const isOurs = !tape.isPresent(format) || tape.equals(format, ANTHROPIC_FORMAT);
    if (isOurs && tape.equals(type, REASONING_TEXT)) {
      const index = detail.node(member.DETAIL_INDEX);
      const signature = detail.node(member.DETAIL_SIGNATURE);
      // Clients that gather a stream's pieces as they come send them back as pieces.
      const continues = openIndex != NO_NODE && isSameNumber(tape, openIndex, index);
      addReasoning(tape, detail.node(member.DETAIL_TEXT), signature, message, request);
      if (continues) request.block(request.blocks.count - 1).flags |= FLAG_CONTINUES;
      openIndex = tape.size(signature) == 0 && tape.isPresent(index) ? index : NO_NODE;
    } else if (isOurs && tape.equals(type, REASONING_ENCRYPTED)) {
      addEncrypted(tape, detail.node(member.DETAIL_DATA), message, request);
      openIndex = NO_NODE;
    } else {
      report.dropSpan(DETAILS_PATH);
    }
  }
}

/** @see https://docs.litellm.ai/docs/reasoning_content */
export function readThinkingBlocks(
  tape: Tape,
  list: u32,
  message: u32,
  request: ChatRequest,
): void {
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    const type = tape.member(item, TYPE);
    if (tape.equals(type, THINKING)) {
      addReasoning(
        tape,
        tape.member(item, THINKING),
        tape.member(item, SIGNATURE),
        message,
        request,
      );
    } else if (tape.equals(type, REDACTED_THINKING)) {
      addEncrypted(tape, tape.member(item, DATA), message, request);
    }
  }
}

/** Whether there was a text. */
export function readReasoningText(tape: Tape, node: u32, message: u32, request: ChatRequest): bool {
  if (!tape.isString(node) || isBlank(tape.pointer(node), tape.size(node))) return false;
  addReasoning(tape, node, NO_NODE, message, request);
  return true;
}

/** A block of reasoning; without a text or signature where the nodes are none. */
export function addReasoning(
  tape: Tape,
  text: u32,
  signature: u32,
  message: u32,
  request: ChatRequest,
): void {
  const block = request.addBlock(BLOCK_REASONING, ROLE_ASSISTANT, message);
  if (tape.isString(text)) {
    block.text = tape.pointer(text);
    block.textLength = tape.size(text);
  }
  if (tape.isString(signature)) {
    block.name = tape.pointer(signature);
    block.nameLength = tape.size(signature);
  }
}

function addEncrypted(tape: Tape, data: u32, message: u32, request: ChatRequest): void {
  if (!tape.isString(data) || tape.size(data) == 0) return;
  const block = request.addBlock(BLOCK_REASONING_DATA, ROLE_ASSISTANT, message);
  block.text = tape.pointer(data);
  block.textLength = tape.size(data);
}

function isSameNumber(tape: Tape, a: u32, b: u32): bool {
  return sameBytes(tape.pointer(a), tape.size(a), tape.pointer(b), tape.size(b));
}
