// Writes the hub's events as a message stream: one message_start, blocks in order, one message_delta, one message_stop; or an
// error event as the last one.
// @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
import { Citation } from "../../../../hub/response/events";
import { HostedCall } from "../../../../hub/response/hosted-call";
import { Fault } from "../../../../hub/faults/fault";
import { FINISH_NONE } from "../../../../hub/response/finish-reason";
import { escape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { MessageBlockWriter } from "./write-blocks";
import { openCall, writeInput, writeResult } from "./write-hosted";
import { adaptFault, writeAnthropicFault } from "../write-fault";
import { writeCitation, writeDeltaUsage, writeHead, writeUsage } from "./write-head";

const ARGUMENTS_DELTA = constant(',"delta":{"type":"input_json_delta","partial_json":"');
const PING = constant('event: ping\ndata: {"type": "ping"}\n\n');
const EVENT_END = constant("}\n\n");
const TWO_ENDS = constant("}}\n\n");
const STRING_AND_TWO_ENDS = constant('"}}\n\n');
const BLOCK_START = constant(
  'event: content_block_start\ndata: {"type":"content_block_start","index":',
);
const BLOCK_DELTA = constant(
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":',
);

const plain = scratchBuffer();
const escaped = scratchBuffer();

export class AnthropicMessagesStreamWriter extends MessageBlockWriter {
  private index: i32 = 0;
  private hasBegun: bool = false;
  private hasDelta: bool = false;
  /** What is before the text of the open block's deltas: written once per block, because there are many deltas. */
  private deltaStart: ByteBuffer = new ByteBuffer();

  begin(): void {
    const head = this.translation.head;
    this.hasBegun = true;
    const out = this.out;
    out.text('event: message_start\ndata: {"type":"message_start","message":');
    writeHead(head, out);
    out.text(
      '],"stop_reason":null,"stop_sequence":null,"stop_details":null,"container":null,"diagnostics":null,"usage":',
    );
    writeUsage(this.translation.usage, head.tier, out);
    out.span(TWO_ENDS);
    out.span(PING);
  }

  usageFinal(): void {
    if (this.reason == FINISH_NONE || this.hasDelta) return;
    this.hasDelta = true;
    const out = this.out;
    out.text('event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"');
    this.writeFinish();
    out.text('},"usage":');
    writeDeltaUsage(this.translation.usage, out);
    out.span(EVENT_END);
  }

  ping(): void {
    this.out.span(this.hasBegun ? PING : constant(": ping\n\n"));
  }

  end(): void {
    this.usageFinal();
    this.out.text('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  }

  fault(fault: Fault): void {
    adaptFault(fault);
    this.out.text("event: error\ndata: ");
    writeAnthropicFault(fault, this.translation.requestId, this.out);
    this.out.text("\n\n");
  }

  release(): void {
    super.release();
    this.deltaStart.release();
  }

  protected openText(): void {
    this.blockStart(constant(',"content_block":{"type":"text","text":"","citations":[]}}\n\n'));
    this.startDeltas(constant(',"delta":{"type":"text_delta","text":"'));
  }

  protected putText(pointer: usize, length: u32): void {
    this.delta(pointer, length);
  }

  protected putTexts(texts: TextRuns): void {
    const end = STRING_AND_TWO_ENDS;
    this.out.eachBetween(this.deltaStart, texts, end.pointer, end.length);
  }

  protected putCitation(citation: Citation): void {
    const out = this.out;
    out.span(BLOCK_DELTA);
    out.integer(this.index);
    out.text(',"delta":{"type":"citations_delta","citation":');
    writeCitation(citation, out);
    out.span(TWO_ENDS);
  }

  protected closeText(): void {
    this.blockStop();
  }

  protected openReasoning(): void {
    this.blockStart(
      constant(',"content_block":{"type":"thinking","thinking":"","signature":""}}\n\n'),
    );
    this.startDeltas(constant(',"delta":{"type":"thinking_delta","thinking":"'));
  }

  protected putReasoning(pointer: usize, length: u32): void {
    this.delta(pointer, length);
  }

  protected putSignature(carrier: i32, pointer: usize, length: u32): void {
    const out = this.out;
    out.span(BLOCK_DELTA);
    out.integer(this.index);
    out.text(',"delta":{"type":"signature_delta","signature":"');
    this.writeSignature(carrier, pointer, length);
    out.span(STRING_AND_TWO_ENDS);
  }

  protected closeReasoning(): void {
    this.signIfUnsigned();
    this.blockStop();
  }

  protected putRedacted(pointer: usize, length: u32): void {
    const out = this.out;
    out.span(BLOCK_START);
    out.integer(this.index);
    out.text(',"content_block":{"type":"redacted_thinking","data":"');
    out.bytes(pointer, length);
    out.span(STRING_AND_TWO_ENDS);
    this.blockStop();
  }

  protected putHosted(call: HostedCall): void {
    const out = this.out;
    this.setHostedId(call.kind);
    this.openBlock();
    openCall(call, this.hostedId, out);
    out.text("{}");
    out.span(TWO_ENDS);
    this.startDeltas(ARGUMENTS_DELTA);
    plain.clear();
    writeInput(call, plain);
    escaped.clear();
    escape(plain.pointer, plain.length, escaped);
    this.delta(escaped.pointer, escaped.length);
    this.blockStop();
    this.openBlock();
    writeResult(call, this.hostedId, out);
    out.span(EVENT_END);
    this.blockStop();
  }

  private openBlock(): void {
    this.blockStart(constant(',"content_block":'));
  }

  protected openTool(id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const out = this.out;
    out.span(BLOCK_START);
    out.integer(this.index);
    out.text(',"content_block":{"type":"tool_use","id":"');
    out.bytes(id, idLength);
    out.text('","name":"');
    this.writeToolName(name, nameLength);
    out.text('","input":{},"caller":{"type":"direct"}}}\n\n');
    this.startDeltas(ARGUMENTS_DELTA);
  }

  protected putArguments(pointer: usize, length: u32): void {
    this.delta(pointer, length);
  }

  protected closeTool(): void {
    this.blockStop();
  }

  private blockStart(kind: Span): void {
    this.out.span(BLOCK_START);
    this.out.integer(this.index);
    this.out.span(kind);
  }

  private startDeltas(kind: Span): void {
    const start = this.deltaStart;
    start.clear();
    start.span(BLOCK_DELTA);
    start.integer(this.index);
    start.span(kind);
  }

  private delta(pointer: usize, length: u32): void {
    const end = STRING_AND_TWO_ENDS;
    this.out.between(this.deltaStart, pointer, length, end.pointer, end.length);
  }

  private blockStop(): void {
    const out = this.out;
    out.text('event: content_block_stop\ndata: {"type":"content_block_stop","index":');
    out.integer(this.index);
    out.span(EVENT_END);
    this.index++;
  }
}
