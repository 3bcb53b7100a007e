// Reads `input` of a Responses request. Its items are flat and in any order; other dialects have messages: the items of one
// turn of the assistant become one message, and the outputs of its calls follow it directly, in the order of the calls.
// survey-input.ts reads the types of the items first.
// @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
import { HubRequest, ROLE_USER } from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { NO_ITEM } from "./call-outputs";
import * as member from "../members";
import {
  forgetActions,
  readAgentMessage,
  readAnswer,
  readCall,
  readComputerCall,
  readHosted,
  readMessage,
  readOrphan,
  readOutput,
  readReasoning,
} from "./read-items";
import {
  CALL_ID,
  INPUT,
  PART_SKIPPED,
  PART_AGENT,
  PART_ANSWER,
  PART_HOSTED,
  PART_REASONING,
  PART_COMPUTER_CALL,
  PART_CUSTOM_CALL,
  PART_OUTPUT,
  PART_CUSTOM_OUTPUT,
  TYPE,
  UNKNOWN,
  isCall,
  isTurn,
  items,
  outputs,
  partAt,
} from "./survey-input";

/** Reads the conversation into blocks. */
export function readInput(
  tape: Tape,
  input: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  if (tape.isString(input)) {
    request.message++;
    request.addText(ROLE_USER, input);
    return;
  }
  if (!tape.isArray(input)) {
    report.reject("input", "must be a string or a list of items.");
    return;
  }
  forgetActions();
  report.enterList(INPUT);
  for (let i: u32 = 0; i < items.count && report.fault === null;)
    i = isTurn(partAt(i))
      ? readTurn(tape, i, request, report)
      : readOther(tape, i, request, report);
  report.leaveList();
}

/** Reads an item that is no part of a turn. Returns the index of the next one. */
function readOther(tape: Tape, index: u32, request: HubRequest, report: RequestReport): u32 {
  const part = partAt(index);
  const node = items.at(index).node;
  report.atItem(index);
  if (part == PART_SKIPPED) {
    skip(tape, index, report);
    return index + 1;
  }
  if (part == PART_OUTPUT || part == PART_CUSTOM_OUTPUT) {
    if (!outputs.isWithoutCall(tape, tape.member(node, CALL_ID))) return index + 1;
    request.message++;
    readOrphan(tape, node, request, report);
    return index + 1;
  }
  request.message++;
  const isCode = items.at(index).type == member.TYPE_CODE_CALL;
  if (part == PART_HOSTED) readHosted(tape, node, isCode, request, report);
  else if (part == PART_AGENT) readAgentMessage(tape, node, request, report);
  else readMessage(tape, node, request, report);
  return index + 1;
}

/** Drops or rejects an item that has no form in other dialects. */
function skip(tape: Tape, index: u32, report: RequestReport): void {
  const item = items.at(index);
  if (item.type == UNKNOWN) {
    report.dropUnknown(member.itemType.prefix, tape, tape.member(item.node, TYPE));
    return;
  }
  const type = member.itemType.at(item.type);
  const feature = type.featureOf();
  if (feature !== null) report.rejectOrDropType(type, feature);
}

/** A turn of the assistant: items from `from` up to `to`. */
class Turn {
  from: u32 = 0;
  to: u32 = 0;
  /** NO_ITEM if there is no call. */
  firstCall: u32 = NO_ITEM;
  lastCall: u32 = 0;
  /** The index after the last message or call. */
  contentEnd: u32 = 0;

  /** Sets the turn that begins at an item. */
  find(from: u32): void {
    this.from = from;
    this.to = from;
    this.firstCall = NO_ITEM;
    this.contentEnd = from;
    for (; this.to < items.count; this.to++) {
      const part = partAt(this.to);
      if (!isTurn(part) && part != PART_SKIPPED) return;
      if (isCall(part)) {
        this.lastCall = this.to;
        if (this.firstCall == NO_ITEM) this.firstCall = this.to;
      }
      if (isCall(part) || part == PART_ANSWER) this.contentEnd = this.to + 1;
    }
  }

  /** Returns whether an item is between the calls. */
  isAmongCalls(index: u32): bool {
    return this.firstCall != NO_ITEM && index > this.firstCall && index < this.lastCall;
  }
}

const turn = new Turn();

/** Reads the turn of the assistant that begins at `from`, and the outputs of its calls. Returns the index after the turn. */
function readTurn(tape: Tape, from: u32, request: HubRequest, report: RequestReport): u32 {
  turn.find(from);
  request.message++;
  readTexts(tape, request, report);
  if (turn.firstCall == NO_ITEM) return turn.to;
  for (let i = turn.firstCall; i <= turn.lastCall && report.fault === null; i++)
    readCallAt(tape, i, request, report);
  request.message++;
  for (let i = turn.firstCall; i <= turn.lastCall && report.fault === null; i++) {
    if (isCall(partAt(i))) readResult(tape, i, request, report);
  }
  return turn.to;
}

/** Reads the messages of a turn, and its reasoning but that between calls. Results must follow their calls directly. */
function readTexts(tape: Tape, request: HubRequest, report: RequestReport): void {
  for (let i = turn.from; i < turn.to && report.fault === null; i++) {
    const part = partAt(i);
    const node = items.at(i).node;
    report.atItem(i);
    if (part == PART_SKIPPED) skip(tape, i, report);
    else if (part == PART_ANSWER) readAnswer(tape, node, request, report);
    else if (part != PART_REASONING || turn.isAmongCalls(i)) continue;
    // Anthropic rejects a message that ends with reasoning.
    else if (i >= turn.contentEnd) report.drop(constant("input[].type=reasoning"));
    else readReasoning(tape, node, request, report);
  }
}

/** Reads a call, or the reasoning before a later one. */
function readCallAt(tape: Tape, index: u32, request: HubRequest, report: RequestReport): void {
  const part = partAt(index);
  const node = items.at(index).node;
  report.atItem(index);
  if (isCall(part)) {
    const use = outputs.useOf(tape, tape.member(node, CALL_ID));
    if (part == PART_COMPUTER_CALL) readComputerCall(tape, node, use, request, report);
    else readCall(tape, node, part == PART_CUSTOM_CALL, use, request, report);
    items.at(index).block = request.blocks.count - 1;
  } else if (part == PART_REASONING) {
    readReasoning(tape, node, request, report);
  }
}

/** Reads the output of the call at `index`. */
function readResult(tape: Tape, index: u32, request: HubRequest, report: RequestReport): void {
  const call = items.at(index);
  const id = tape.member(call.node, CALL_ID);
  const found = outputs.take(tape, id);
  if (found >= items.count) {
    // OpenAI rejects it as well; chat completions and messages reject it with errors that no client can act on.
    report.atItem(index);
    report.reject(
      "call_id",
      "has no output: no tool output found for function call " + report.printable(tape, id) + ".",
    );
    return;
  }
  report.atItem(found);
  const output = items.at(found);
  readOutput(tape, output.node, call.block, output.part == PART_CUSTOM_OUTPUT, request, report);
}
