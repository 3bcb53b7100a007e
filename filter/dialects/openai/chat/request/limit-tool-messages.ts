// Fits the calls and results of tools in a body that keeps its dialect to models that accept only short ids, or no message of
// the user directly after a result. Nothing is lost, so nothing is listed.
import { appendShortId, isShortId } from "../../../../hub/request/call-id";
import { RequestLimits } from "../../../../hub/request/request-report";
import { Edits } from "../../../../bytes/json/edit";
import { Tape } from "../../../../bytes/json/tape";
import { constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { BETWEEN } from "./write-system";

const text = scratchBuffer();
const id = new Span(0, 0);

/** `list`: the messages. */
export function limitToolMessages(
  tape: Tape,
  list: u32,
  limits: RequestLimits,
  edits: Edits,
): void {
  if ((limits.supportsLongCallIds && limits.supportsUserAfterTool) || !tape.isArray(list)) return;
  let isAfterTool = false;
  const end = tape.next(list);
  for (let message = tape.first(list); message < end; message = tape.next(message)) {
    const role = tape.member(message, constant("role"));
    const isTool = tape.equals(role, constant("tool"));
    const isOfUser = !isTool && !tape.equals(role, constant("assistant"));
    if (isAfterTool && isOfUser && !limits.supportsUserAfterTool)
      edits.insert(tape.outerStart(message), BETWEEN);
    isAfterTool = isTool;
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
