// Reads the content blocks of a response into the hub's events, whole or in deltas.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
import { DROPPED_BLOCK, DROPPED_SERVER_TOOL, DROPPED_TOOL_CALL } from "../../../../hub/dropped";
import { ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { appendGeneratedId } from "../../../../hub/response/generated-id";
import { CARRIER_SIGNED } from "../../../../hub/reasoning-carrier";
import { Tape } from "../../../../bytes/json/tape";
import { escape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { CitationReader } from "./read-citations";

const TEXT = constant("text");
/** The web search of Amazon's Nova. */
const GROUNDING = constant("nova_grounding");

const TOOL_USE = constant("toolUse");
const INPUT = constant("input");
const REASONING_CONTENT = constant("reasoningContent");
const SIGNATURE = constant("signature");

/** What the deltas of a block continue. */
export const KIND_NONE: i32 = 0;
const KIND_TEXT: i32 = 1;
const KIND_REASONING: i32 = 2;
const KIND_TOOL: i32 = 3;

/** Above this number of open tool calls, the oldest is closed. */
const MAX_OPEN: i32 = 1024;

/** The input of a whole call, escaped. */
const escaped = scratchBuffer();

/** A tool call whose input is not complete. */
class OpenCall {
  constructor(
    /** The block's index in the provider's stream. */
    public index: i64,
    public slot: i32,
  ) {}
}

export class ContentReader {
  private open: Array<OpenCall> = [];
  private calls: i32 = 0;
  private citations: CitationReader;

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {
    this.citations = new CitationReader(sink, translation);
  }

  /** Reads a block of a complete response. */
  whole(tape: Tape, block: u32): void {
    const tool = tape.member(block, TOOL_USE);
    const cited = tape.member(block, constant("citationsContent"));
    const reasoning = tape.member(block, REASONING_CONTENT);
    if (tape.isObject(tool)) {
      this.start(tape, -1, block);
      const input = tape.member(tool, INPUT);
      if (tape.isObject(input) && !tape.isEmpty(input)) {
        escaped.clear();
        escape(tape.pointer(input), tape.size(input), escaped);
        this.input(-1, escaped.pointer, escaped.length);
      }
    } else if (tape.isObject(reasoning)) {
      const signed = tape.member(reasoning, constant("reasoningText"));
      this.reasoning(tape, tape.isObject(signed) ? signed : reasoning);
    } else if (tape.isObject(cited)) {
      this.texts(tape, tape.member(cited, constant("content")));
      this.citations.readAll(tape, tape.member(cited, constant("citations")));
    } else if (tape.isString(tape.member(block, TEXT))) {
      this.text(tape, tape.member(block, TEXT));
    } else {
      this.translation.dropped.add(
        tape.isPresent(tape.member(block, constant("toolResult")))
          ? DROPPED_SERVER_TOOL
          : DROPPED_BLOCK,
      );
    }
    this.stop(-1);
  }

  /** Reads the start of a block: only tool calls have one. A call without a name, and one that the provider runs, is dropped. */
  start(tape: Tape, index: i64, start: u32): void {
    const tool = tape.member(start, TOOL_USE);
    const name = tape.member(tool, constant("name"));
    const isServers = tape.equals(tape.member(tool, constant("type")), constant("server_tool_use"));
    if (isServers || !tape.isString(name) || tape.size(name) == 0) {
      if (isServers && tape.equals(name, GROUNDING)) this.translation.usage.searches++;
      this.translation.dropped.add(
        isServers || !tape.isObject(tool) ? DROPPED_SERVER_TOOL : DROPPED_TOOL_CALL,
      );
      return;
    }
    if (this.open.length >= MAX_OPEN) this.stop(unchecked(this.open[0]).index);
    const call = new OpenCall(index, this.calls++);
    this.open.push(call);
    const id = tape.member(tool, constant("toolUseId"));
    if (tape.isString(id) && tape.size(id) > 0) {
      this.begin(call.slot, tape.pointer(id), tape.size(id), tape, name);
    } else {
      const made = new ByteBuffer();
      appendGeneratedId(constant("tooluse_"), this.translation.requestId, call.slot, made);
      this.begin(call.slot, made.pointer, made.length, tape, name);
      made.release();
    }
  }

  private begin(slot: i32, id: usize, idLength: u32, tape: Tape, name: u32): void {
    this.sink.toolBegin(slot, id, idLength, tape.pointer(name), tape.size(name));
  }

  /** Reads a delta. Returns the KIND_ of the string that was all of it; then `piece` is its node. */
  delta(tape: Tape, index: i64, delta: u32): i32 {
    const key = tape.first(delta);
    const isOne =
      tape.isObject(delta) && !tape.isEmpty(delta) && tape.next(key + 1) == tape.next(delta);
    const value = isOne ? key + 1 : delta;
    if (!isOne) return KIND_NONE;
    if (tape.equals(key, TEXT)) {
      this.piece = value;
      this.text(tape, value);
      return tape.isString(value) ? KIND_TEXT : KIND_NONE;
    }
    if (tape.equals(key, TOOL_USE)) {
      this.piece = tape.member(value, INPUT);
      if (!tape.isString(this.piece)) return KIND_NONE;
      this.input(index, tape.pointer(this.piece), tape.size(this.piece));
      return KIND_TOOL;
    }
    if (tape.equals(key, REASONING_CONTENT)) {
      this.piece = tape.member(value, TEXT);
      this.reasoning(tape, value);
      const isText = tape.isString(this.piece) && !tape.isPresent(tape.member(value, SIGNATURE));
      return isText ? KIND_REASONING : KIND_NONE;
    }
    if (tape.equals(key, constant("citation"))) this.citations.read(tape, value);
    else this.translation.dropped.add(DROPPED_BLOCK);
    return KIND_NONE;
  }
  /** The string of the last delta. */
  piece: u32 = 0;

  /** Continues what the last delta continued. */
  repeat(kind: i32, index: i64, texts: TextRuns): void {
    if (kind == KIND_TEXT) {
      this.sink.texts(texts);
      return;
    }
    for (let i: u32 = 0; i < texts.count; i++) {
      const pointer = texts.pointer(i);
      const length = texts.length(i);
      if (kind == KIND_REASONING) this.sink.reasoning(pointer, length);
      else if (kind == KIND_TOOL) this.input(index, pointer, length);
    }
  }

  /** The block with this index has ended. */
  stop(index: i64): void {
    const at = this.find(index);
    if (at < 0) {
      this.sink.blockEnd();
      return;
    }
    const call = unchecked(this.open[at]);
    this.open.splice(at, 1);
    this.sink.toolEnd(call.slot);
  }

  stopAll(): void {
    while (this.open.length > 0) this.stop(unchecked(this.open[0]).index);
  }

  private find(index: i64): i32 {
    let at = this.open.length - 1;
    while (at >= 0 && unchecked(this.open[at]).index != index) at--;
    return at;
  }

  private input(index: i64, pointer: usize, length: u32): void {
    const at = this.find(index);
    if (at >= 0 && length > 0)
      this.sink.toolArguments(unchecked(this.open[at]).slot, pointer, length);
  }

  private text(tape: Tape, node: u32): void {
    if (tape.isString(node) && tape.size(node) > 0)
      this.sink.text(tape.pointer(node), tape.size(node));
  }

  private texts(tape: Tape, list: u32): void {
    if (!tape.isArray(list)) return;
    for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item))
      this.text(tape, tape.member(item, TEXT));
  }

  /** Reads `text` and `signature`, or `redactedContent`: a block's or a delta's. */
  private reasoning(tape: Tape, node: u32): void {
    const text = tape.member(node, TEXT);
    if (tape.isString(text) && tape.size(text) > 0)
      this.sink.reasoning(tape.pointer(text), tape.size(text));
    const signature = tape.member(node, SIGNATURE);
    if (tape.isString(signature) && tape.size(signature) > 0)
      this.sink.signature(CARRIER_SIGNED, tape.pointer(signature), tape.size(signature));
    const data = tape.member(node, constant("redactedContent"));
    if (tape.isString(data) && tape.size(data) > 0)
      this.sink.redactedReasoning(tape.pointer(data), tape.size(data));
  }
}
