// Writes the hub's blocks as contents. Gemini requires the results of one step in one content, as many as its calls and in
// their order, and nothing beside them; and a user's turn before a call.
// @see https://ai.google.dev/gemini-api/docs/function-calling
import {
  BLOCK_REASONING,
  BLOCK_REASONING_DATA,
  BLOCK_RESULT_END,
  BLOCK_TOOL_CALL,
  BLOCK_TOOL_RESULT,
  HubRequest,
  ROLE_ASSISTANT,
  ROLE_SYSTEM,
  ROLE_USER,
} from "../../../../hub/request/request";
import { RequestLimits, RequestReport } from "../../../../hub/request/request-report";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { StepResults } from "./step-results";
import { separate, writeCall, writePart } from "./write-parts";
import { hasSystem, writeSystemParts } from "./write-system";

const USER = constant('{"role":"user","parts":[');
const CONTENT_END = constant("]}");

/** Not a member: the name of a last message of the assistant, which other models continue. */
const PREFILL_PATH = constant("prefill");

const results = new StepResults();

/** `prompt`, `instruction`: system texts besides the request's own, for a model without a system role. */
export function writeContents(
  request: HubRequest,
  prompt: Span,
  instruction: Span,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  const count = request.blocks.count;
  out.text('{"contents":[');
  const opensWithSystem = !limits.supportsSystemRole && hasSystem(request, prompt, instruction);
  if (opensWithSystem) {
    out.span(USER);
    writeSystemParts(request, prompt, instruction, out);
    out.span(CONTENT_END);
  }
  results.begin();
  const turn = turnStart(request);
  let lastRole = ROLE_SYSTEM;
  for (let from = nextWritten(request, 0); from < count;) {
    const role = request.block(from).role;
    const to = runEnd(request, from);
    if (lastRole == ROLE_SYSTEM && role == ROLE_ASSISTANT && !opensWithSystem)
      out.text('{"role":"user","parts":[{"text":"(The conversation begins.)"}]}');
    if (role == ROLE_ASSISTANT) writeModel(request, from, to, turn, limits, out, report);
    else writeUser(request, from, to, limits, out, report);
    if (report.fault !== null) return;
    lastRole = role;
    from = nextWritten(request, to);
  }
  if (lastRole == ROLE_SYSTEM) {
    const advice = "must have a text. Send at least one user message with text.";
    report.reject(report.paths.messages.toText(), advice);
  } else if (lastRole == ROLE_ASSISTANT) {
    report.drop(PREFILL_PATH);
    out.byte(0x2c);
    out.text('{"role":"user","parts":[{"text":"Continue."}]}');
  }
  out.byte(0x5d);
}

/** Reasoning does not come back: a call's signature stands for it. */
function isWritten(request: HubRequest, index: u32): bool {
  const block = request.block(index);
  const isReasoning = block.kind == BLOCK_REASONING || block.kind == BLOCK_REASONING_DATA;
  return block.role != ROLE_SYSTEM && !isReasoning;
}

function nextWritten(request: HubRequest, from: u32): u32 {
  while (from < request.blocks.count && !isWritten(request, from)) from++;
  return from;
}

/** Returns the index behind the last block of the run that begins at `from`: neighbours of one role. */
function runEnd(request: HubRequest, from: u32): u32 {
  const role = request.block(from).role;
  let to = from + 1;
  for (let i = to; i < request.blocks.count; i++) {
    if (!isWritten(request, i)) continue;
    if (request.block(i).role != role) break;
    to = i + 1;
  }
  return to;
}

/** Returns the index of the last block of a user that is no tool result: with it the running turn begins. */
function turnStart(request: HubRequest): u32 {
  let start: u32 = 0;
  for (let i: u32 = 0; i < request.blocks.count; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_TOOL_RESULT) i = request.resultEnd(i);
    else if (block.role == ROLE_USER) start = i;
  }
  return start;
}

/** Writes a step of the model. In the running turn its first call must have a signature. */
function writeModel(
  request: HubRequest,
  from: u32,
  to: u32,
  turn: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  open(constant('{"role":"model","parts":['), out);
  let needsSignature = limits.signsCalls && from > turn && !isSigned(request, from, to);
  for (let i = from; i < to; i++) {
    if (!isWritten(request, i)) continue;
    const block = request.block(i);
    if (block.cacheLength > 0) report.drop(report.paths.cache);
    if (block.kind != BLOCK_TOOL_CALL) {
      writePart(block, out, report);
      continue;
    }
    results.addCall(block, i);
    writeCall(block, needsSignature, limits, out, report);
    needsSignature = false;
  }
  out.span(CONTENT_END);
}

function isSigned(request: HubRequest, from: u32, to: u32): bool {
  for (let i = from; i < to; i++) {
    const block = request.block(i);
    if (block.kind == BLOCK_TOOL_CALL && block.signatureLength > 0) return true;
  }
  return false;
}

/** Writes the tool results of [from, to) as one content, and what else the user sent as the next one. */
function writeUser(
  request: HubRequest,
  from: u32,
  to: u32,
  limits: RequestLimits,
  out: ByteBuffer,
  report: RequestReport,
): void {
  if (results.find(request, from, to)) {
    open(USER, out);
    results.write(request, limits, out, report);
    out.span(CONTENT_END);
    if (report.fault !== null) return;
  }
  const start = out.length;
  open(USER, out);
  const opened = out.length;
  let isInResult = false;
  for (let i = from; i < to; i++) {
    if (!isWritten(request, i)) continue;
    const block = request.block(i);
    if (block.cacheLength > 0) report.drop(report.paths.cache);
    if (block.kind == BLOCK_TOOL_RESULT) isInResult = true;
    else if (block.kind == BLOCK_RESULT_END) isInResult = false;
    else if (!isInResult || results.isLeftOut(block, limits)) writePart(block, out, report);
  }
  if (out.length == opened) out.length = start;
  else out.span(CONTENT_END);
}

function open(head: Span, out: ByteBuffer): void {
  separate(out);
  out.span(head);
}
