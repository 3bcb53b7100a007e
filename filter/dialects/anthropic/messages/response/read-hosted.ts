// Reads what Anthropic's servers ran, the call and its result, into one event.
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
import { DROPPED_SERVER_TOOL } from "../../../../hub/dropped";
import { HOSTED_CODE, HOSTED_MCP, HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import { CARRIER_PART } from "../../../../hub/reasoning-carrier";
import { ResponseSink } from "../../../../hub/response/events";
import { appendString, HostedCall } from "../../../../hub/response/hosted-call";
import { Translation } from "../../../../hub/response/translation";
import { scan, SCAN_OK } from "../../../../bytes/json/scan";
import { NO_NODE, scratchTape, Tape } from "../../../../bytes/json/tape";
import { escape, unescape } from "../../../../bytes/json/text";
import { constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { contains } from "../../../../bytes/text/find";
import { isFailure } from "../hosted-failure";
import { writePair } from "../search-pair";

const CONTENT = constant("content");
const NAME = constant("name");

/** More calls of one response are dropped. */
const MAX_CALLS: i32 = 64;

const plain = scratchBuffer();
const pair = scratchBuffer();
const wanted = new Span(0, 0);
const inputTape = scratchTape();

export class HostedReader {
  /** Those whose result has come have no id. */
  private calls: Array<HostedCall> = [];

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  /** Reads the block of a call. Returns null if the client's format has nothing like the tool. */
  begin(tape: Tape, block: u32, isMcp: bool): HostedCall | null {
    const name = tape.member(block, NAME);
    const kind = isMcp ? HOSTED_MCP : kindOf(tape, name);
    if (kind < 0 || this.calls.length >= MAX_CALLS) {
      this.translation.dropped.add(DROPPED_SERVER_TOOL);
      return null;
    }
    const call = new HostedCall(kind);
    appendString(tape, tape.member(block, constant("id")), call.id);
    appendString(tape, name, call.name);
    appendString(tape, tape.member(block, constant("server_name")), call.server);
    const input = tape.member(block, constant("input"));
    // In a stream the input follows.
    if (tape.isObject(input) && !tape.isEmpty(input))
      escape(tape.pointer(input), tape.size(input), call.input);
    this.calls.push(call);
    return call;
  }

  /** Reads the block of a result. `id`: that of its call. */
  end(tape: Tape, id: u32, block: u32): void {
    for (let i = 0; i < this.calls.length; i++) {
      const call = unchecked(this.calls[i]);
      if (call.id.length == 0 || !tape.equals(id, call.id.view(wanted))) continue;
      call.isWhole = call.kind != HOSTED_SEARCH || this.carry(tape, block, call);
      readInput(call);
      readResult(tape, block, call);
      this.sink.hosted(call);
      call.release();
      return;
    }
    this.translation.dropped.add(DROPPED_SERVER_TOOL);
  }

  /**
   * Lets the client keep the search as it is, with what only Anthropic can read of its pages. Returns whether it has all of it: not of
   * one that code has called, which the client does not keep.
   */
  private carry(tape: Tape, block: u32, call: HostedCall): bool {
    const origin = this.translation.origin;
    if (!tape.hasItems(tape.member(block, CONTENT))) return true;
    pair.clear();
    if (origin.length == 0 || !writePair(origin, call, tape, block, pair)) return false;
    this.sink.signature(CARRIER_PART, pair.pointer, pair.length);
    this.sink.blockEnd();
    return true;
  }

  /** Drops calls without a result. */
  endAll(): void {
    for (let i = 0; i < this.calls.length; i++)
      if (unchecked(this.calls[i]).id.length > 0) this.translation.dropped.add(DROPPED_SERVER_TOOL);
    this.release();
  }

  release(): void {
    for (let i = 0; i < this.calls.length; i++) unchecked(this.calls[i]).release();
    this.calls.length = 0;
  }
}

function kindOf(tape: Tape, name: u32): i32 {
  if (tape.equals(name, constant("web_search"))) return HOSTED_SEARCH;
  // Also `bash_code_execution` and `text_editor_code_execution`.
  const isCode =
    tape.isString(name) &&
    contains(tape.pointer(name), tape.size(name), constant("code_execution"));
  return isCode ? HOSTED_CODE : -1;
}

/** Replaces the input, an object, by the one text that others have of it. */
function readInput(call: HostedCall): void {
  const input = call.input;
  if (call.kind == HOSTED_MCP) return;
  plain.clear();
  unescape(input.pointer, input.length, plain);
  plain.reserve(0);
  input.clear();
  if (scan(inputTape, plain.pointer, plain.length) != SCAN_OK) return;
  let node = inputTape.member(0, constant("query"));
  if (node == NO_NODE) node = inputTape.member(0, constant("code"));
  if (node == NO_NODE) node = inputTape.member(0, constant("command"));
  appendString(inputTape, node, input);
}

function readResult(tape: Tape, block: u32, call: HostedCall): void {
  const content = tape.member(block, CONTENT);
  call.isError = isFailure(tape, block, content);
  if (call.kind != HOSTED_SEARCH) {
    call.readOutput(tape, content);
    return;
  }
  if (!tape.isArray(content)) {
    // The code of an error, for which no other format of a search has a place.
    call.isWhole = !tape.isPresent(content);
    return;
  }
  const end = tape.next(content);
  for (let item = tape.first(content); item < end; item = tape.next(item))
    call.addPage(tape, tape.member(item, constant("url")), tape.member(item, constant("title")));
}
