// Writes the hub's events as one complete chat completion.
// @see https://platform.openai.com/docs/api-reference/chat/object
import { Fault } from "../../../../hub/faults/fault";
import { FINISH_STOP } from "../../../../hub/response/finish-reason";
import { Translation } from "../../../../hub/response/translation";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { finishReason } from "./finish-reason";
import { adaptFault, writeOpenaiFault } from "../../write-fault";
import { writeId, writeTierAndFingerprint, writeUsage } from "./write-parts";
import { OpenaiChatSink } from "./write-sink";

const NO_ARGUMENTS = constant("{}");

/** The arguments of several calls may be interleaved. */
class Call {
  head: ByteBuffer = new ByteBuffer();
  body: ByteBuffer = new ByteBuffer();
}

export class OpenaiChatWriter extends OpenaiChatSink {
  private start: u32;
  private hasBegun: bool = false;
  private reason: i32 = FINISH_STOP;
  private content: ByteBuffer = new ByteBuffer();
  private refusals: ByteBuffer = new ByteBuffer();
  private thoughts: ByteBuffer = new ByteBuffer();
  private toolCalls: Array<Call> = [];
  private pictures: ByteBuffer | null = null;

  constructor(out: ByteBuffer, translation: Translation) {
    super(out, translation);
    this.start = out.length;
  }

  begin(): void {
    this.hasBegun = true;
  }

  refusal(pointer: usize, length: u32): void {
    this.refusals.bytes(pointer, length);
  }

  protected putFinish(reason: i32): void {
    this.reason = reason;
  }

  ping(): void {}

  end(): void {
    const head = this.translation.head;
    const out = this.out;
    out.text('{"id":"');
    writeId(head.id, out);
    out.text('","object":"chat.completion","created":');
    out.integer(head.created);
    out.text(',"model":"');
    out.bytes(head.model.pointer, head.model.length);
    out.text('","choices":[');
    this.putChoice(out);
    const others = this.others;
    for (let i = 0; others !== null && i < others.length; i++) {
      const other = others[i] as OpenaiChatWriter;
      if (!other.hasBegun) continue;
      out.byte(0x2c);
      other.putChoice(out);
    }
    out.byte(0x5d);
    if (this.translation.usage.isKnown) {
      out.text(',"usage":');
      writeUsage(this.translation.usage, out);
    }
    writeTierAndFingerprint(head, out);
    this.putExtraMembers();
    out.byte(0x7d);
  }

  private putChoice(out: ByteBuffer): void {
    this.out = out;
    out.text('{"index":');
    out.integer(this.index);
    out.text(',"message":{"role":"assistant","content":');
    this.putMessage();
    out.text('},"logprobs":');
    this.writeLogprobs();
    out.text(',"finish_reason":"');
    out.span(finishReason(this.reason, this.calls.length > 0, this.hasFunctions));
    out.text('"}');
  }

  protected newChoice(): OpenaiChatSink {
    return new OpenaiChatWriter(this.out, this.translation);
  }

  image(type: usize, typeLength: u32, data: usize, length: u32): void {
    let list = this.pictures;
    if (list === null) {
      list = new ByteBuffer();
      this.pictures = list;
    }
    if (this.images > 0) list.byte(0x2c);
    this.putImage(type, typeLength, data, length, list);
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
    const pictures = this.pictures;
    if (pictures !== null) pictures.release();
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
    if (this.needsBreak) this.thoughts.text("\\n\\n");
    this.thoughts.bytes(pointer, length);
  }

  protected putCall(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const head = this.addCall(id, idLength);
    if (this.hasFunctions) head.clear();
    else head.text('","type":"function","function":');
    head.text('{"name":"');
    head.bytes(name, nameLength);
    head.text('","arguments":"');
  }

  protected putCustomCall(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const head = this.addCall(id, idLength);
    head.text('","type":"custom","custom":{"name":"');
    head.bytes(name, nameLength);
    head.text('","input":"');
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
    call.head.text('{"id":"');
    call.head.bytes(id, idLength);
    this.toolCalls.push(call);
    return call.head;
  }

  private putMessage(): void {
    const out = this.out;
    // Beside tool calls or a refusal, OpenAI writes null for a missing text.
    this.putNullable(this.content, this.toolCalls.length > 0 || this.refusals.length > 0);
    out.text(',"refusal":');
    this.putNullable(this.refusals, true);
    if (this.thoughts.length > 0) {
      out.text(',"reasoning_content":"');
      out.bytes(this.thoughts.pointer, this.thoughts.length);
      out.byte(0x22);
    }
    if (this.carrier.items.length > 0) {
      out.text(',"reasoning_details":[');
      out.bytes(this.carrier.items.pointer, this.carrier.items.length);
      out.byte(0x5d);
    }
    const pictures = this.pictures;
    if (pictures !== null) {
      out.text(',"images":[');
      out.bytes(pictures.pointer, pictures.length);
      out.byte(0x5d);
    }
    if (this.toolCalls.length > 0) {
      if (this.hasFunctions) this.putFunction(unchecked(this.toolCalls[0]));
      else this.putCalls();
    }
    const annotations = this.annotations;
    if (annotations !== null && annotations.entries.length > 0) {
      out.text(',"annotations":[');
      out.bytes(annotations.entries.pointer, annotations.entries.length);
      out.byte(0x5d);
    }
  }

  private putCalls(): void {
    const out = this.out;
    out.text(',"tool_calls":[');
    for (let i = 0; i < this.toolCalls.length; i++) {
      const call = unchecked(this.toolCalls[i]);
      if (i > 0) out.byte(0x2c);
      out.bytes(call.head.pointer, call.head.length);
      out.bytes(call.body.pointer, call.body.length);
      out.text('"}}');
    }
    out.byte(0x5d);
  }

  private putFunction(call: Call): void {
    const out = this.out;
    out.text(',"function_call":');
    out.bytes(call.head.pointer, call.head.length);
    out.bytes(call.body.pointer, call.body.length);
    out.text('"}');
  }

  private putNullable(text: ByteBuffer, isNullWhenEmpty: bool): void {
    const out = this.out;
    if (text.length == 0 && isNullWhenEmpty) {
      out.text("null");
      return;
    }
    out.byte(0x22);
    out.bytes(text.pointer, text.length);
    out.byte(0x22);
  }
}
