// Reads `input` of a Responses request. Its items are flat and in any order; other dialects have messages: the items of one
// turn of the assistant become one message, and the outputs of its calls follow it directly, in the order of the calls.
// @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
import { HubRequest, ROLE_USER } from "../../hub/request";
import { RequestReport } from "../../hub/request-report";
import { Records } from "../../bytes/records";
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { CallOutputs, NO_ITEM } from "./call-outputs";
import * as member from "./members";
import {
  readAgentMessage,
  readAnswer,
  readCall,
  readMessage,
  readOrphan,
  readOutput,
  readReasoning,
} from "./read-items";
import { readTools } from "./read-tools";

export const INPUT = constant("input");
const TYPE = constant("type");
const ID = constant("id");
const ROLE = constant("role");
const ASSISTANT = constant("assistant");
const CALL_ID = constant("call_id");
const TOOLS = constant("tools");
const REASONING = constant("reasoning");
const TEXT = constant("text");
const REASONING_PATH = constant("input[].type=reasoning");

/** What an item is in the conversation. */
const PART_SKIPPED: i32 = 0;
const PART_MESSAGE: i32 = 1;
const PART_AGENT: i32 = 2;
/** These four are a turn of the assistant. */
const PART_ANSWER: i32 = 3;
const PART_REASONING: i32 = 4;
const PART_CALL: i32 = 5;
const PART_CUSTOM_CALL: i32 = 6;
const PART_OUTPUT: i32 = 7;
const PART_CUSTOM_OUTPUT: i32 = 8;

/** The type of an item that is in no table. */
const UNKNOWN: i32 = -1;

@unmanaged
class Item {
  node: u32;
  /** Index in `member.itemType`, or UNKNOWN. */
  type: i32;
  part: i32;
  /** Index of the block of a call. */
  block: u32;
}

const items = new Records<Item>();
const outputs = new CallOutputs();

/** The settings of the last `configuration_update`; NO_NODE if there is none. */
export let updatedReasoning: u32 = NO_NODE;
export let updatedText: u32 = NO_NODE;

/** Finds out what the items are, and reads the tools among them. `input` is no list: nothing. */
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
  const part = partOf(tape, node, type);
  const index = items.count;
  const item = items.add();
  item.node = node;
  item.type = type;
  item.part = part;
  if (part == PART_CALL || part == PART_CUSTOM_CALL)
    outputs.addCall(tape, tape.member(node, CALL_ID));
  else if (part == PART_OUTPUT || part == PART_CUSTOM_OUTPUT)
    outputs.addOutput(tape, tape.member(node, CALL_ID), index);
  else if (type == member.TYPE_ADDITIONAL_TOOLS || type == member.TYPE_TOOL_SEARCH_OUTPUT)
    readTools(tape, tape.member(node, TOOLS), request, report);
  else if (type == member.TYPE_CONFIGURATION) {
    const reasoning = tape.member(node, REASONING);
    const text = tape.member(node, TEXT);
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
  if (isMissing && tape.isString(tape.member(node, ID))) return member.TYPE_REFERENCE;
  report.reject("type", "must be a string, such as message.");
  return UNKNOWN;
}

function partOf(tape: Tape, node: u32, type: i32): i32 {
  if (type == member.TYPE_MESSAGE)
    return tape.equals(tape.member(node, ROLE), ASSISTANT) ? PART_ANSWER : PART_MESSAGE;
  if (type == member.TYPE_REASONING) return PART_REASONING;
  if (type == member.TYPE_FUNCTION_CALL) return PART_CALL;
  if (type == member.TYPE_CUSTOM_CALL) return PART_CUSTOM_CALL;
  if (type == member.TYPE_FUNCTION_OUTPUT) return PART_OUTPUT;
  if (type == member.TYPE_CUSTOM_OUTPUT) return PART_CUSTOM_OUTPUT;
  return type == member.TYPE_AGENT_MESSAGE ? PART_AGENT : PART_SKIPPED;
}

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
  report.enterList(INPUT);
  for (let i: u32 = 0; i < items.count && report.fault === null;)
    i = isTurn(partAt(i))
      ? readTurn(tape, i, request, report)
      : readOther(tape, i, request, report);
  report.leaveList();
}

function partAt(index: u32): i32 {
  return items.at(index).part;
}

function isTurn(part: i32): bool {
  return part >= PART_ANSWER && part <= PART_CUSTOM_CALL;
}

function isCall(part: i32): bool {
  return part == PART_CALL || part == PART_CUSTOM_CALL;
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
  if (part == PART_AGENT) readAgentMessage(tape, node, request, report);
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
  if (item.type == member.TYPE_REFERENCE && report.isStrict) {
    report.reject("", NO_REFERENCES);
    return;
  }
  const type = member.itemType.at(item.type);
  const feature = type.featureOf();
  if (feature !== null) report.rejectOrDropType(type, feature);
}

const NO_REFERENCES =
  "refers to an item, but this model keeps no items. Send the items themselves; in the Vercel AI SDK set providerOptions.openai.store to false, or use @ai-sdk/open-responses.";

/** A turn of the assistant: items from `from` up to `to`. */
class Turn {
  from: u32 = 0;
  to: u32 = 0;
  /** NO_ITEM if there is no call. */
  firstCall: u32 = NO_ITEM;
  lastCall: u32 = 0;
  /** The index behind the last message or call. */
  contentEnd: u32 = 0;

  /** Finds out where the turn that begins at an item ends. */
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

/** Reads the turn of the assistant that begins at `from`, and the outputs of its calls. Returns the index behind the turn. */
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
    else if (i >= turn.contentEnd) report.drop(REASONING_PATH);
    else readReasoning(tape, node, request, report);
  }
}

/** Reads a call, or the reasoning before a later one. */
function readCallAt(tape: Tape, index: u32, request: HubRequest, report: RequestReport): void {
  const part = partAt(index);
  const node = items.at(index).node;
  report.atItem(index);
  if (isCall(part)) {
    items.at(index).block = request.blocks.count;
    const use = outputs.useOf(tape, tape.member(node, CALL_ID));
    readCall(tape, node, part == PART_CUSTOM_CALL, use, request, report);
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
