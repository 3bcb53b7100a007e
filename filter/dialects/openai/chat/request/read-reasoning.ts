// Reads the reasoning that a chat client sends back: OpenRouter's, LiteLLM's and DeepSeek's spelling.
// Why these: docs/decisions/2026-11-21-reasoning-carrier.md
import { isUnsignedMark } from "../../../../hub/reasoning-carrier";
import { MemberReader } from "../../../../hub/request/member-reader";
import { isBlank } from "../../../../bytes/json/blank";
import {
  BLOCK_REASONING_DATA,
  HubRequest,
  FLAG_CONTINUES,
  FLAG_ENCRYPTED,
  ROLE_ASSISTANT,
} from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, sameBytes } from "../../../../bytes/text/bytes";
import * as member from "../members";

const REASONING_ENCRYPTED = constant("reasoning.encrypted");
const OPENAI_FORMAT = constant("openai-responses-v1");
const THINKING = constant("thinking");

const detail = new MemberReader(member.reasoning);

export function readReasoningDetails(
  tape: Tape,
  list: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  let openIndex = NO_NODE;
  let summary = NO_NODE;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    detail.read(tape, item, report);
    const type = detail.node(member.DETAIL_TYPE);
    const format = detail.node(member.DETAIL_FORMAT);
    const data = detail.node(member.DETAIL_DATA);
    const isOurs = !tape.isPresent(format) || tape.equals(format, constant("anthropic-claude-v1"));
    if (isOurs && tape.equals(type, constant("reasoning.text"))) {
      const index = detail.node(member.DETAIL_INDEX);
      const signature = detail.node(member.DETAIL_SIGNATURE);
      // Clients that collect the pieces of a stream send them back as pieces.
      const continues = openIndex != NO_NODE && isSameNumber(tape, openIndex, index);
      const block = request.addReasoning(detail.node(member.DETAIL_TEXT), signature);
      if (continues) block.flags |= FLAG_CONTINUES;
      openIndex = tape.size(signature) == 0 && tape.isPresent(index) ? index : NO_NODE;
    } else if (isUnsignedMark(tape, data)) {
      request.addReasoning(NO_NODE, data);
    } else if (isOurs && tape.equals(type, REASONING_ENCRYPTED)) {
      addEncrypted(tape, data, request);
      openIndex = NO_NODE;
    } else if (
      tape.equals(format, OPENAI_FORMAT) &&
      tape.equals(type, constant("reasoning.summary"))
    ) {
      summary = detail.node(member.DETAIL_SUMMARY);
    } else if (tape.equals(format, OPENAI_FORMAT) && tape.equals(type, REASONING_ENCRYPTED)) {
      const block = request.addReasoning(summary, data);
      block.flags |= FLAG_ENCRYPTED;
      summary = NO_NODE;
    } else {
      report.drop(constant("messages[].reasoning_details"));
    }
  }
}

/** @see https://docs.litellm.ai/docs/reasoning_content */
export function readThinkingBlocks(tape: Tape, list: u32, request: HubRequest): void {
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    const type = tape.member(item, constant("type"));
    if (tape.equals(type, THINKING)) {
      request.addReasoning(tape.member(item, THINKING), tape.member(item, constant("signature")));
    } else if (tape.equals(type, constant("redacted_thinking"))) {
      addEncrypted(tape, tape.member(item, constant("data")), request);
    }
  }
}

/** Returns whether there was a text. */
export function readReasoningText(tape: Tape, node: u32, request: HubRequest): bool {
  if (!tape.isString(node) || isBlank(tape.pointer(node), tape.size(node))) return false;
  request.addReasoning(node, NO_NODE);
  return true;
}

function addEncrypted(tape: Tape, data: u32, request: HubRequest): void {
  if (!tape.isString(data) || tape.size(data) == 0) return;
  request.addBlock(BLOCK_REASONING_DATA, ROLE_ASSISTANT).setText(tape, data);
}

function isSameNumber(tape: Tape, a: u32, b: u32): bool {
  return sameBytes(tape.pointer(a), tape.size(a), tape.pointer(b), tape.size(b));
}
