// Reads what the items of a Responses request's `input` are, before they are read into blocks: their types, which outputs
// belong to which calls, and the tools and settings among them.
import { COMPUTER } from "../../../../hub/request/features";
import { HubRequest } from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { Records } from "../../../../bytes/records";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { CallOutputs } from "./call-outputs";
import * as member from "../members";
import { readTools } from "./read-tools";

export const INPUT = constant("input");
export const TYPE = constant("type");
const ROLE = constant("role");
export const CALL_ID = constant("call_id");

/** What an item is in the conversation. */
export const PART_SKIPPED: i32 = 0;
const PART_MESSAGE: i32 = 1;
export const PART_AGENT: i32 = 2;
/** These five are a turn of the assistant. */
export const PART_ANSWER: i32 = 3;
export const PART_REASONING: i32 = 4;
const PART_CALL: i32 = 5;
export const PART_CUSTOM_CALL: i32 = 6;
export const PART_COMPUTER_CALL: i32 = 7;
export const PART_OUTPUT: i32 = 8;
export const PART_CUSTOM_OUTPUT: i32 = 9;
/** What a provider ran, with its output. */
export const PART_HOSTED: i32 = 10;

/** The type of an item that is in no table. */
export const UNKNOWN: i32 = -1;

@unmanaged
class Item {
  node: u32;
  /** Index in `member.itemType`, or UNKNOWN. */
  type: i32;
  part: i32;
  /** Index of the block of a call. */
  block: u32;
}

export const items = new Records<Item>();
export const outputs = new CallOutputs();

/** The settings of the last `configuration_update`; NO_NODE if there is none. */
export let updatedReasoning: u32 = NO_NODE;
export let updatedText: u32 = NO_NODE;

/** Reads the type of each item, and the tools among the items. Does nothing if `input` is no list. */
export function surveyInput(
  tape: Tape,
  input: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  items.clear();
  outputs.clear();
  updatedReasoning = NO_NODE;
  updatedText = NO_NODE;
  if (!tape.isArray(input)) return;
  report.enterList(INPUT);
  const end = tape.next(input);
  for (let node = tape.first(input); node < end && report.fault === null; node = tape.next(node)) {
    report.nextItem();
    survey(tape, node, request, report);
  }
  report.leaveList();
}

function survey(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  const type = typeOf(tape, node, report);
  const part = partOf(tape, node, type, report);
  const index = items.count;
  const item = items.add();
  item.node = node;
  item.type = type;
  item.part = part;
  if (isCall(part)) outputs.addCall(tape, tape.member(node, CALL_ID));
  else if (part == PART_OUTPUT || part == PART_CUSTOM_OUTPUT)
    outputs.addOutput(tape, tape.member(node, CALL_ID), index);
  else if (type == member.TYPE_ADDITIONAL_TOOLS || type == member.TYPE_TOOL_SEARCH_OUTPUT)
    readTools(tape, tape.member(node, constant("tools")), request, report);
  else if (type == member.TYPE_CONFIGURATION) {
    const reasoning = tape.member(node, constant("reasoning"));
    const text = tape.member(node, constant("text"));
    if (tape.isPresent(reasoning)) updatedReasoning = reasoning;
    if (tape.isPresent(text)) updatedText = text;
  }
}

/** Returns the index of an item's type in the table; UNKNOWN if it is new, or the item was rejected. */
function typeOf(tape: Tape, node: u32, report: RequestReport): i32 {
  if (!tape.isObject(node)) {
    report.reject("", "must be an object with a 'type'.");
    return UNKNOWN;
  }
  const type = tape.member(node, TYPE);
  if (tape.isString(type)) {
    const found = member.itemType.find(tape, type);
    return found === null ? UNKNOWN : found.index;
  }
  const isMissing = !tape.isPresent(type);
  if (isMissing && tape.isPresent(tape.member(node, ROLE))) return member.TYPE_MESSAGE;
  if (isMissing && tape.isString(tape.member(node, constant("id")))) return member.TYPE_REFERENCE;
  report.reject("type", "must be a string, such as message.");
  return UNKNOWN;
}

function partOf(tape: Tape, node: u32, type: i32, report: RequestReport): i32 {
  if (type == member.TYPE_MESSAGE)
    return tape.equals(tape.member(node, ROLE), constant("assistant")) ? PART_ANSWER : PART_MESSAGE;
  if (type == member.TYPE_REASONING) return PART_REASONING;
  if (type == member.TYPE_FUNCTION_CALL) return PART_CALL;
  if (type == member.TYPE_CUSTOM_CALL) return PART_CUSTOM_CALL;
  if (type == member.TYPE_FUNCTION_OUTPUT) return PART_OUTPUT;
  if (type == member.TYPE_CUSTOM_OUTPUT) return PART_CUSTOM_OUTPUT;
  if (type == member.TYPE_COMPUTER_CALL || type == member.TYPE_COMPUTER_OUTPUT) {
    if (!report.hasComputer || !report.supports(COMPUTER)) return PART_SKIPPED;
    return type == member.TYPE_COMPUTER_CALL ? PART_COMPUTER_CALL : PART_OUTPUT;
  }
  if (type == member.TYPE_MCP_CALL || type == member.TYPE_CODE_CALL) return PART_HOSTED;
  return type == member.TYPE_AGENT_MESSAGE ? PART_AGENT : PART_SKIPPED;
}

export function partAt(index: u32): i32 {
  return items.at(index).part;
}

export function isTurn(part: i32): bool {
  return part >= PART_ANSWER && part <= PART_COMPUTER_CALL;
}

export function isCall(part: i32): bool {
  return part >= PART_CALL && part <= PART_COMPUTER_CALL;
}
