// Writes the hub's events as one complete message.
// @see https://docs.anthropic.com/en/api/messages
import { DROPPED_TOOL_ARGUMENTS } from "../../../../hub/dropped";
import { Citation } from "../../../../hub/response/events";
import { HostedCall } from "../../../../hub/response/hosted-call";
import { TIER_UNKNOWN, Translation } from "../../../../hub/response/translation";
import { Fault } from "../../../../hub/faults/fault";
import { SCAN_OK, scan } from "../../../../bytes/json/scan";
import { scratchTape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { MessageBlockWriter } from "./write-blocks";
import { openCall, writeInput, writeResult } from "./write-hosted";
import { adaptFault, writeAnthropicFault } from "../write-fault";
import { writeCitation, writeHead, writeUsage } from "./write-head";

const NOTHING = constant("");
const STRING_END = constant('"}');

export class AnthropicMessagesWriter extends MessageBlockWriter {
  private start: u32;
  private blocks: i32 = 0;
  private tier: i32 = TIER_UNKNOWN;
  private citations: ByteBuffer = new ByteBuffer();
  /** Arguments of the open tool call, escaped and as plain JSON. */
  private escaped: ByteBuffer = new ByteBuffer();
  private plain: ByteBuffer = new ByteBuffer();

  constructor(out: ByteBuffer, translation: Translation) {
    super(out, translation);
    this.start = out.length;
  }

  begin(): void {
    const head = this.translation.head;
    this.tier = head.tier;
    writeHead(head, this.out);
  }

  usageFinal(): void {}

  ping(): void {}

  end(): void {
    const out = this.out;
    out.text('],"stop_reason":"');
    this.writeFinish();
    out.text(',"diagnostics":null,"usage":');
    writeUsage(this.translation.usage, this.tier, out);
    out.byte(0x7d);
  }

  /** Replaces what has been written of the response. */
  fault(fault: Fault): void {
    adaptFault(fault);
    this.out.length = this.start;
    writeAnthropicFault(fault, this.translation.requestId, this.out);
  }

  release(): void {
    super.release();
    this.citations.release();
    this.escaped.release();
    this.plain.release();
  }

  protected openText(): void {
    this.blockStart(constant('{"type":"text","text":"'));
    this.citations.clear();
  }

  protected putText(pointer: usize, length: u32): void {
    this.out.bytes(pointer, length);
  }

  protected putCitation(citation: Citation): void {
    if (this.citations.length > 0) this.citations.byte(0x2c);
    writeCitation(citation, this.citations);
  }

  protected closeText(): void {
    const out = this.out;
    out.text('","citations":[');
    out.bytes(this.citations.pointer, this.citations.length);
    out.text("]}");
  }

  protected openReasoning(): void {
    this.blockStart(constant('{"type":"thinking","thinking":"'));
  }

  protected putReasoning(pointer: usize, length: u32): void {
    this.out.bytes(pointer, length);
  }

  protected putSignature(carrier: i32, pointer: usize, length: u32): void {
    this.out.text('","signature":"');
    this.writeSignature(carrier, pointer, length);
  }

  protected closeReasoning(): void {
    this.signIfUnsigned();
    this.out.span(STRING_END);
  }

  protected putRedacted(pointer: usize, length: u32): void {
    this.blockStart(constant('{"type":"redacted_thinking","data":"'));
    this.out.bytes(pointer, length);
    this.out.span(STRING_END);
  }

  protected putHosted(call: HostedCall): void {
    const out = this.out;
    this.setHostedId(call.kind);
    this.blockStart(NOTHING);
    openCall(call, this.hostedId, out);
    writeInput(call, out);
    out.byte(0x7d);
    this.blockStart(NOTHING);
    writeResult(call, this.hostedId, out);
  }

  protected openTool(id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const out = this.out;
    this.blockStart(constant('{"type":"tool_use","id":"'));
    out.bytes(id, idLength);
    out.text('","name":"');
    this.writeToolName(name, nameLength);
    out.text('","input":');
    this.escaped.clear();
  }

  protected putArguments(pointer: usize, length: u32): void {
    this.escaped.bytes(pointer, length);
  }

  /** `input` is JSON, not a string: incomplete or invalid arguments are dropped. */
  protected closeTool(): void {
    const plain = this.plain;
    plain.clear();
    unescape(this.escaped.pointer, this.escaped.length, plain);
    if (plain.length > 0 && isJson(plain)) {
      this.out.bytes(plain.pointer, plain.length);
    } else {
      if (plain.length > 0) this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
      this.out.text("{}");
    }
    this.out.text(',"caller":{"type":"direct"}}');
  }

  private blockStart(kind: Span): void {
    if (this.blocks++ > 0) this.out.byte(0x2c);
    this.out.span(kind);
  }
}

const tape = scratchTape();

function isJson(text: ByteBuffer): bool {
  return scan(tape, text.pointer, text.length) == SCAN_OK;
}
