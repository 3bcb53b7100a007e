// Writes the hub's events as one complete chat completion.
// @see https://platform.openai.com/docs/api-reference/chat/object
import { Dropped } from "../../../../hub/dropped";
import { ResponseHead } from "../../../../hub/response/events";
import { Fault } from "../../../../hub/faults/fault";
import { FINISH_STOP } from "../../../../hub/response/finish-reason";
import { RequestNotes } from "../../../../hub/request/request-notes";
import { Usage } from "../../../../hub/response/usage";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { finishReason } from "./finish-reason";
import { adaptFault, writeOpenaiFault } from "../../write-fault";
import { writeId, writeTierAndFingerprint, writeUsage } from "./write-parts";
import { OpenaiChatSink } from "./write-sink";

const ID = constant('{"id":"');
const CREATED = constant('","object":"chat.completion","created":');
const MODEL = constant(',"model":"');
const CHOICE = constant('","choices":[{"index":0,"message":{"role":"assistant","content":');
const REFUSAL = constant(',"refusal":');
const REASONING = constant(',"reasoning_content":"');
const DETAILS = constant(',"reasoning_details":[');
const TOOL_CALLS = constant(',"tool_calls":[');
const CALL_ID = constant('{"id":"');
const CALL_NAME = constant('","type":"function","function":{"name":"');
const CUSTOM_NAME = constant('","type":"custom","custom":{"name":"');
const CUSTOM_INPUT = constant('","input":"');
const CALL_ARGUMENTS = constant('","arguments":"');
const CALL_END = constant('"}}');
const NO_ARGUMENTS = constant("{}");
const ANNOTATIONS = constant(',"annotations":[');
const FINISH = constant('},"logprobs":null,"finish_reason":"');
const CHOICES_END = constant('"}]');
const USAGE = constant(',"usage":');
const BREAK = constant("\\n\\n");
const NULL = constant("null");

/** The arguments of several calls may be interleaved. */
class Call {
  head: ByteBuffer = new ByteBuffer();
  body: ByteBuffer = new ByteBuffer();
}

export class OpenaiChatWriter extends OpenaiChatSink {
  private start: u32;
  private head: ResponseHead | null = null;
  private reason: i32 = FINISH_STOP;
  private content: ByteBuffer = new ByteBuffer();
  private refusals: ByteBuffer = new ByteBuffer();
  private thoughts: ByteBuffer = new ByteBuffer();
  private toolCalls: Array<Call> = [];

  constructor(
    out: ByteBuffer,
    dropped: Dropped,
    private usage: Usage,
    notes: RequestNotes,
  ) {
    super(out, dropped, notes);
    this.start = out.length;
  }

  begin(head: ResponseHead): void {
    this.head = head;
  }

  refusal(pointer: usize, length: u32): void {
    this.refusals.bytes(pointer, length);
  }

  protected putFinish(reason: i32): void {
    this.reason = reason;
  }

  ping(): void {}

  end(): void {
    const head = this.head;
    if (head == null) return;
    const out = this.out;
    out.span(ID);
    writeId(head.id, out);
    out.span(CREATED);
    out.integer(head.created);
    out.span(MODEL);
    out.bytes(head.model.pointer, head.model.length);
    out.span(CHOICE);
    this.putMessage();
    out.span(FINISH);
    out.span(finishReason(this.reason, this.calls.length > 0));
    out.span(CHOICES_END);
    if (this.usage.isKnown) {
      out.span(USAGE);
      writeUsage(this.usage, out);
    }
    writeTierAndFingerprint(head, out);
    out.byte(0x7d);
  }

  /** Replaces what has been written of the response. */
  fault(fault: Fault): void {
    adaptFault(fault);
    this.out.length = this.start;
    writeOpenaiFault(fault, this.out);
  }

  release(): void {
    super.release();
    this.content.release();
    this.refusals.release();
    this.thoughts.release();
    for (let i = 0; i < this.toolCalls.length; i++) {
      const call = unchecked(this.toolCalls[i]);
      call.head.release();
      call.body.release();
    }
    this.toolCalls.length = 0;
  }

  protected putText(pointer: usize, length: u32): void {
    this.content.bytes(pointer, length);
  }

  protected putReasoning(pointer: usize, length: u32): void {
    if (this.needsBreak) this.thoughts.span(BREAK);
    this.thoughts.bytes(pointer, length);
  }

  protected putCall(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const head = this.addCall(id, idLength);
    head.span(CALL_NAME);
    head.bytes(name, nameLength);
    head.span(CALL_ARGUMENTS);
  }

  protected putCustomCall(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const head = this.addCall(id, idLength);
    head.span(CUSTOM_NAME);
    head.bytes(name, nameLength);
    head.span(CUSTOM_INPUT);
  }

  protected putArguments(slot: i32, pointer: usize, length: u32): void {
    if (slot >= 0 && slot < this.toolCalls.length)
      unchecked(this.toolCalls[slot]).body.bytes(pointer, length);
  }

  protected putInput(slot: i32, pointer: usize, length: u32): void {
    this.putArguments(slot, pointer, length);
  }

  protected putNoArguments(slot: i32): void {
    this.putArguments(slot, NO_ARGUMENTS.pointer, NO_ARGUMENTS.length);
  }

  /** Adds a call and returns its head, which has the id so far. */
  private addCall(id: usize, idLength: u32): ByteBuffer {
    const call = new Call();
    call.head.span(CALL_ID);
    call.head.bytes(id, idLength);
    this.toolCalls.push(call);
    return call.head;
  }

  private putMessage(): void {
    const out = this.out;
    // Beside tool calls or a refusal, OpenAI writes null for a missing text.
    this.putNullable(this.content, this.toolCalls.length > 0 || this.refusals.length > 0);
    out.span(REFUSAL);
    this.putNullable(this.refusals, true);
    if (this.thoughts.length > 0) {
      out.span(REASONING);
      out.bytes(this.thoughts.pointer, this.thoughts.length);
      out.byte(0x22);
    }
    if (this.carrier.items.length > 0) {
      out.span(DETAILS);
      out.bytes(this.carrier.items.pointer, this.carrier.items.length);
      out.byte(0x5d);
    }
    if (this.toolCalls.length > 0) this.putCalls();
    if (this.annotations.entries.length > 0) {
      out.span(ANNOTATIONS);
      out.bytes(this.annotations.entries.pointer, this.annotations.entries.length);
      out.byte(0x5d);
    }
  }

  private putCalls(): void {
    const out = this.out;
    out.span(TOOL_CALLS);
    for (let i = 0; i < this.toolCalls.length; i++) {
      const call = unchecked(this.toolCalls[i]);
      if (i > 0) out.byte(0x2c);
      out.bytes(call.head.pointer, call.head.length);
      out.bytes(call.body.pointer, call.body.length);
      out.span(CALL_END);
    }
    out.byte(0x5d);
  }

  private putNullable(text: ByteBuffer, isNullWhenEmpty: bool): void {
    const out = this.out;
    if (text.length == 0 && isNullWhenEmpty) {
      out.span(NULL);
      return;
    }
    out.byte(0x22);
    out.bytes(text.pointer, text.length);
    out.byte(0x22);
  }
}
