// Reads the content blocks of a message into the hub's events, whole or in deltas.
// @see https://docs.anthropic.com/en/docs/build-with-claude/streaming#content-block-delta-types
import {
  DROPPED_BLOCK,
  DROPPED_CITATION,
  DROPPED_MEMBER,
  DROPPED_TOOL_CALL,
} from "../../../../hub/dropped";
import { Citation, ResponseSink } from "../../../../hub/response/events";
import { HostedCall } from "../../../../hub/response/hosted-call";
import { Translation } from "../../../../hub/response/translation";
import { appendGeneratedId } from "../../../../hub/response/generated-id";
import { CARRIER_SIGNED } from "../../../../hub/reasoning-carrier";
import { UNSIGNED_MARK } from "../../../../hub/request/request";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { escape } from "../../../../bytes/json/text";
import { HostedReader } from "./read-hosted";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";

const TYPE = constant("type");
const TEXT = constant("text");
const THINKING = constant("thinking");
const SIGNATURE = constant("signature");

/** A block whose deltas are ignored. */
const BLOCK_OTHER: i32 = 0;
const BLOCK_TEXT: i32 = 1;
const BLOCK_THINKING: i32 = 2;
const BLOCK_TOOL: i32 = 3;
/** A tool that Anthropic runs. */
const BLOCK_HOSTED: i32 = 4;

/** Above this number of open blocks, the oldest is closed. */
const MAX_OPEN: i32 = 1024;

/** Anthropic opens one block at a time; some compatible providers interleave blocks by index. */
class OpenBlock {
  hasArguments: bool = false;
  /** Input that a tool block had at its start, escaped; deltas replace it. */
  startInput: ByteBuffer = new ByteBuffer();

  /** BLOCK_HOSTED only. */
  call: HostedCall | null = null;

  constructor(
    public index: i64,
    public kind: i32,
    /** The hub's number of a tool call. */
    public slot: i32,
  ) {}
}

export class BlockReader {
  /** The string of the last delta if it had nothing else of interest, or NO_NODE. */
  single: u32 = NO_NODE;
  private open: Array<OpenBlock> = [];
  private tools: i32 = 0;
  private hosted: HostedReader = new HostedReader(this.sink, this.translation);
  private citation: Citation = new Citation();
  /** The block that a repeated delta continues. */
  private repeats: OpenBlock | null = null;
  private repeatsKind: i32 = BLOCK_OTHER;

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  release(): void {
    for (let i = 0; i < this.open.length; i++) unchecked(this.open[i]).startInput.release();
    this.open.length = 0;
    this.hosted.release();
  }

  /** Reads deltas that differ from the last one in these strings alone. */
  repeat(texts: TextRuns): void {
    const block = this.repeats;
    if (this.repeatsKind == BLOCK_TEXT) {
      this.sink.texts(texts);
      return;
    }
    for (let i: u32 = 0; i < texts.count; i++) {
      const pointer = texts.pointer(i);
      const length = texts.length(i);
      if (this.repeatsKind == BLOCK_THINKING) this.sink.reasoning(pointer, length);
      else if (block != null) this.sink.toolArguments(block.slot, pointer, length);
    }
  }

  /** Closes the blocks that the provider has not closed. */
  stopAll(): void {
    while (this.open.length > 0) this.stop(unchecked(this.open[0]).index);
    this.hosted.endAll();
  }

  /** `index`: NO_COUNT if the block has none. */
  start(tape: Tape, index: i64, block: u32): void {
    const type = tape.member(block, TYPE);
    if (tape.equals(type, TEXT)) {
      this.push(index, BLOCK_TEXT);
      this.text(tape, tape.member(block, TEXT));
      this.readCitations(tape, tape.member(block, constant("citations")));
    } else if (tape.equals(type, constant("tool_use"))) {
      this.toolStart(tape, index, block);
    } else if (tape.equals(type, THINKING)) {
      this.push(index, BLOCK_THINKING);
      this.thinking(tape, tape.member(block, THINKING));
      this.signature(tape, tape.member(block, SIGNATURE));
    } else if (tape.equals(type, constant("redacted_thinking"))) {
      this.push(index, BLOCK_OTHER);
      const data = tape.member(block, constant("data"));
      if (tape.isString(data)) this.sink.redactedReasoning(tape.pointer(data), tape.size(data));
    } else {
      const isMcp = tape.equals(type, constant("mcp_tool_use"));
      const id = tape.member(block, constant("tool_use_id"));
      if (isMcp || tape.equals(type, constant("server_tool_use"))) {
        this.push(index, BLOCK_HOSTED).call = this.hosted.begin(tape, block, isMcp);
        return;
      }
      this.push(index, BLOCK_OTHER);
      if (tape.isString(id)) this.hosted.end(tape, id, block);
      else this.translation.dropped.add(DROPPED_BLOCK);
    }
  }

  private push(index: i64, kind: i32): OpenBlock {
    if (this.open.length >= MAX_OPEN) this.stop(unchecked(this.open[0]).index);
    const block = new OpenBlock(index, kind, kind == BLOCK_TOOL ? this.tools++ : -1);
    this.open.push(block);
    return block;
  }

  private toolStart(tape: Tape, index: i64, node: u32): void {
    const id = tape.member(node, constant("id"));
    const name = tape.member(node, constant("name"));
    if (!tape.isString(name) || tape.size(name) == 0) {
      this.push(index, BLOCK_OTHER);
      this.translation.dropped.add(DROPPED_TOOL_CALL);
      return;
    }
    const block = this.push(index, BLOCK_TOOL);
    if (tape.isString(id) && tape.size(id) > 0) {
      this.sink.toolBegin(
        block.slot,
        tape.pointer(id),
        tape.size(id),
        tape.pointer(name),
        tape.size(name),
      );
    } else {
      const made = new ByteBuffer();
      appendGeneratedId(constant("toolu_"), this.translation.requestId, block.slot, made);
      this.sink.toolBegin(
        block.slot,
        made.pointer,
        made.length,
        tape.pointer(name),
        tape.size(name),
      );
      made.release();
    }
    const input = tape.member(node, constant("input"));
    if (tape.isObject(input) && !tape.isEmpty(input))
      escape(tape.pointer(input), tape.size(input), block.startInput);
  }

  delta(tape: Tape, index: u32, delta: u32): void {
    this.single = NO_NODE;
    const type = tape.member(delta, TYPE);
    if (tape.equals(type, constant("text_delta"))) {
      const text = tape.member(delta, TEXT);
      this.text(tape, text);
      this.setSingle(tape, text, BLOCK_TEXT);
    } else if (tape.equals(type, constant("input_json_delta"))) {
      this.toolDelta(tape, readCount(tape, index), tape.member(delta, constant("partial_json")));
    } else if (tape.equals(type, constant("thinking_delta"))) {
      const thinking = tape.member(delta, THINKING);
      this.thinking(tape, thinking);
      this.setSingle(tape, thinking, BLOCK_THINKING);
    } else if (tape.equals(type, constant("signature_delta"))) {
      this.signature(tape, tape.member(delta, SIGNATURE));
    } else if (tape.equals(type, constant("citations_delta"))) {
      this.readCitation(tape, tape.member(delta, constant("citation")));
    }
  }

  private setSingle(tape: Tape, node: u32, kind: i32): void {
    if (!tape.isString(node)) return;
    this.repeatsKind = kind;
    this.single = node;
  }

  private text(tape: Tape, node: u32): void {
    if (tape.isString(node) && tape.size(node) > 0)
      this.sink.text(tape.pointer(node), tape.size(node));
  }

  private thinking(tape: Tape, node: u32): void {
    if (tape.isString(node) && tape.size(node) > 0)
      this.sink.reasoning(tape.pointer(node), tape.size(node));
  }

  private signature(tape: Tape, node: u32): void {
    // Another gateway marked it as unsigned.
    if (tape.equals(node, UNSIGNED_MARK)) return;
    if (tape.isString(node) && tape.size(node) > 0)
      this.sink.signature(CARRIER_SIGNED, tape.pointer(node), tape.size(node));
  }

  private toolDelta(tape: Tape, index: i64, node: u32): void {
    if (!tape.isString(node) || tape.size(node) == 0) return;
    const at = this.find(index);
    if (at < 0) return;
    const block = unchecked(this.open[at]);
    const call = block.call;
    if (call !== null) call.input.bytes(tape.pointer(node), tape.size(node));
    if (block.kind != BLOCK_TOOL) return;
    block.hasArguments = true;
    this.sink.toolArguments(block.slot, tape.pointer(node), tape.size(node));
    this.repeats = block;
    this.setSingle(tape, node, BLOCK_TOOL);
  }

  /** Returns the position of the open block with this index, of the last one without an index; -1 if there is none. */
  private find(index: i64): i32 {
    let at = this.open.length - 1;
    while (at >= 0 && index != NO_COUNT && unchecked(this.open[at]).index != index) at--;
    return at;
  }

  stop(index: i64): void {
    const at = this.find(index);
    if (at < 0) return;
    const block = unchecked(this.open[at]);
    this.open.splice(at, 1);
    if (block.kind == BLOCK_TOOL) {
      const input = block.startInput;
      if (!block.hasArguments && input.length > 0)
        this.sink.toolArguments(block.slot, input.pointer, input.length);
      this.sink.toolEnd(block.slot);
    } else if (block.kind == BLOCK_TEXT || block.kind == BLOCK_THINKING) {
      this.sink.blockEnd();
    }
    block.startInput.release();
  }

  private readCitations(tape: Tape, citations: u32): void {
    if (!tape.isArray(citations)) return;
    for (
      let entry = tape.first(citations), end = tape.next(citations);
      entry < end;
      entry = tape.next(entry)
    ) {
      this.readCitation(tape, entry);
    }
  }

  /** Only citations of web pages have a form in chat completions; those of documents are dropped. */
  private readCitation(tape: Tape, node: u32): void {
    const url = tape.member(node, constant("url"));
    if (!tape.isString(url)) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    // Only Anthropic's own format has a place for it.
    if (tape.isPresent(tape.member(node, constant("encrypted_index"))))
      this.translation.dropped.add(DROPPED_MEMBER);
    const cited = tape.member(node, constant("cited_text"));
    this.citation.set(tape, url, tape.member(node, constant("title")), cited);
    this.sink.citation(this.citation);
  }
}
