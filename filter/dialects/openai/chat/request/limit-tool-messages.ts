// Fits the calls and results of tools in a body that keeps its dialect to models that accept only short ids, no message of the
// user directly after a result, or no call without reasoning. Nothing is lost, so nothing is listed.
import { appendShortId, isShortId } from "../../../../hub/request/call-id";
import { NEEDS_CALLS, NEEDS_NONE, RequestLimits } from "../../../../hub/request/request-report";
import { Edits } from "../../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { writeCallReasoning, writeTextReasoning } from "./stand-in-reasoning";
import { BETWEEN } from "./write-system";

const CONTENT = constant("content");
const REASONING_CONTENT = constant("reasoning_content");
const QUOTE: u32 = 0x22;

const text = scratchBuffer();
const id = new Span(0, 0);

/** `list`: the messages; `hasTools`: whether the request declares tools. */
export function limitToolMessages(
  tape: Tape,
  list: u32,
  hasTools: bool,
  limits: RequestLimits,
  edits: Edits,
): void {
  const needs = limits.needsReasoning;
  const isFree = limits.supportsLongCallIds && limits.supportsUserAfterTool && needs == NEEDS_NONE;
  if (isFree || !tape.isArray(list)) return;
  let isAfterTool = false;
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    const role = tape.member(message, constant("role"));
    const isTool = tape.equals(role, constant("tool"));
    const isAssistant = tape.equals(role, constant("assistant"));
    const isOfUser = !isTool && !isAssistant;
    if (isAfterTool && isOfUser && !limits.supportsUserAfterTool)
      edits.insert(tape.outerStart(message), BETWEEN);
    isAfterTool = isTool;
    if (isAssistant && needs != NEEDS_NONE)
      addReasoning(tape, message, needs > NEEDS_CALLS && hasTools, edits);
    if (!limits.supportsLongCallIds) shortenIds(tape, message, edits);
  }
}

function shortenIds(tape: Tape, message: u32, edits: Edits): void {
  shorten(tape, tape.member(message, constant("tool_call_id")), edits);
  const calls = tape.member(message, constant("tool_calls"));
  if (!tape.isArray(calls)) return;
  const end = tape.next(calls);
  for (let call = tape.first(calls); call < end; call = tape.next(call))
    shorten(tape, tape.member(call, constant("id")), edits);
}

function shorten(tape: Tape, node: u32, edits: Edits): void {
  if (!tape.isString(node) || isShortId(tape.pointer(node), tape.size(node))) return;
  text.clear();
  appendShortId(tape.pointer(node), tape.size(node), text);
  id.pointer = text.pointer;
  id.length = text.length;
  edits.append(id);
  edits.replaceAppended(tape.start(node), tape.end(node));
}

/** Adds `reasoning_content` to a message with calls, or to `each` one, unless it has a text: the one of `reasoning`, or a stand-in. */
function addReasoning(tape: Tape, message: u32, each: bool, edits: Edits): void {
  const calls = tape.member(message, constant("tool_calls"));
  const hasCalls = tape.isArray(calls) && !tape.isEmpty(calls);
  if (!hasCalls && !each) return;
  const given = tape.member(message, REASONING_CONTENT);
  if (isText(tape, given)) return;
  const other = tape.member(message, constant("reasoning"));
  text.clear();
  text.byte(QUOTE);
  if (isText(tape, other)) text.bytes(tape.pointer(other), tape.size(other));
  else if (hasCalls) writeReasoningOf(tape, tape.first(calls));
  else {
    const content = tape.member(message, CONTENT);
    writeTextReasoning(tape.pointer(content), tape.size(content), text);
  }
  text.byte(QUOTE);
  id.pointer = text.pointer;
  id.length = text.length;
  if (given == NO_NODE) edits.append(constant('"reasoning_content":'));
  edits.append(id);
  if (given == NO_NODE) {
    edits.append(constant(","));
    edits.insertAppended(tape.start(message) + 1);
  } else edits.replaceAppended(tape.outerStart(given), tape.outerEnd(given));
}

function isText(tape: Tape, node: u32): bool {
  return tape.isString(node) && tape.size(node) > 0;
}

function writeReasoningOf(tape: Tape, call: u32): void {
  const name = tape.member(tape.member(call, constant("function")), constant("name"));
  const callId = tape.member(call, constant("id"));
  writeCallReasoning(
    tape.pointer(name),
    tape.isString(name) ? tape.size(name) : 0,
    tape.pointer(callId),
    tape.isString(callId) ? tape.size(callId) : 0,
    text,
  );
}
