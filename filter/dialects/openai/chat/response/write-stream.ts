// Writes the hub's events as chunks of a chat completion: the role first, then content, one chunk with the reason, a
// chunk with usage if the client asked, `[DONE]`; or an error, and nothing after it.
// @see https://platform.openai.com/docs/api-reference/chat-streaming
import { Fault } from "../../../../hub/faults/fault";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { finishReason } from "./finish-reason";
import { adaptFault, writeOpenaiFault } from "../../write-fault";
import { writeId, writeTierAndFingerprint, writeUsage } from "./write-parts";
import { OpenaiChatSink } from "./write-sink";

const TOOL_CALL = constant('{"tool_calls":[{"index":');
const NO_ARGUMENTS = constant("{}");
const STRING_END = constant('"}');
const NO_LOGPROBS = constant(',"logprobs":null');
const NULL_USAGE = constant(',"usage":null');
const END = constant("}\n\n");

export class OpenaiChatStreamWriter extends OpenaiChatSink {
  /** A chunk's bytes up to the value of `delta`, and from after it: the same in every chunk. */
  private start: ByteBuffer = new ByteBuffer();
  private rest: ByteBuffer = new ByteBuffer();
  /** The same around the text of a content, with the member and its end. */
  private textStart: ByteBuffer = new ByteBuffer();
  private textEnd: ByteBuffer = new ByteBuffer();
  /** Length of `start` up to the first choice. */
  private headLength: u32 = 0;

  begin(): void {
    const head = this.translation.head;
    const start = this.start;
    start.text('data: {"id":"');
    writeId(head.id, start);
    start.text('","object":"chat.completion.chunk","created":');
    start.integer(head.created);
    start.text(',"model":"');
    start.bytes(head.model.pointer, head.model.length);
    start.byte(0x22);
    writeTierAndFingerprint(head, start);
    start.text(',"choices":[');
    this.headLength = start.length;
    start.text('{"index":');
    start.integer(this.index);
    start.text(',"delta":');
    this.rest.span(NO_LOGPROBS);
    this.rest.text(',"finish_reason":null}]');
    if (this.translation.wantsUsage) this.rest.span(NULL_USAGE);
    this.rest.span(END);
    this.textStart.bytes(start.pointer, start.length);
    this.textStart.text('{"content":"');
    this.textEnd.span(STRING_END);
    this.textEnd.bytes(this.rest.pointer, this.rest.length);
    this.open(constant('{"role":"assistant","content":""}'));
    this.out.bytes(this.rest.pointer, this.rest.length);
  }

  protected newChoice(): OpenaiChatSink {
    return new OpenaiChatStreamWriter(this.out, this.translation);
  }

  image(type: usize, typeLength: u32, data: usize, length: u32): void {
    this.open(constant('{"images":['));
    this.putImage(type, typeLength, data, length, this.out);
    this.closeWith(constant("]}"));
  }

  refusal(pointer: usize, length: u32): void {
    this.open(constant('{"refusal":"'));
    this.out.bytes(pointer, length);
    this.closeWith(STRING_END);
  }

  protected putFinish(reason: i32): void {
    this.putExtras();
    const out = this.out;
    this.open(constant("{}"));
    out.text(',"logprobs":');
    this.writeLogprobs();
    out.text(',"finish_reason":"');
    out.span(finishReason(reason, this.calls.length > 0, this.hasFunctions));
    out.text('"}]');
    if (this.translation.wantsUsage) out.span(NULL_USAGE);
    out.span(END);
  }

  ping(): void {
    this.out.text(": ping\n\n");
  }

  end(): void {
    const out = this.out;
    const hasUsage = this.translation.wantsUsage && this.translation.usage.isKnown;
    if (hasUsage || this.extras !== null) {
      out.bytes(this.start.pointer, this.headLength);
      out.byte(0x5d);
      if (hasUsage) {
        out.text(',"usage":');
        writeUsage(this.translation.usage, out);
      }
      this.putExtraMembers();
      out.span(END);
    }
    out.text("data: [DONE]\n\n");
  }

  fault(fault: Fault): void {
    adaptFault(fault);
    this.out.text("data: ");
    writeOpenaiFault(fault, this.out);
    this.out.text("\n\n");
  }

  release(): void {
    super.release();
    this.start.release();
    this.rest.release();
    this.textStart.release();
    this.textEnd.release();
  }

  protected putText(pointer: usize, length: u32): void {
    if (this.hasLogprobs) {
      this.open(constant('{"content":"'));
      this.out.bytes(pointer, length);
      this.out.text('"},"logprobs":');
      this.writeLogprobs();
      this.out.bytes(this.rest.pointer + NO_LOGPROBS.length, this.rest.length - NO_LOGPROBS.length);
      return;
    }
    const end = this.textEnd;
    this.out.between(this.textStart, pointer, length, end.pointer, end.length);
  }

  protected putTexts(texts: TextRuns): void {
    const end = this.textEnd;
    this.out.eachBetween(this.textStart, texts, end.pointer, end.length);
  }

  protected putReasoning(pointer: usize, length: u32): void {
    this.open(constant('{"reasoning_content":"'));
    if (this.needsBreak) this.out.text("\\n\\n");
    this.out.bytes(pointer, length);
    this.closeWith(STRING_END);
  }

  protected putCall(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    if (this.hasFunctions) this.open(constant('{"function_call":{"name":"'));
    else this.startCall(slot, id, idLength, constant('","type":"function","function":{"name":"'));
    this.out.bytes(name, nameLength);
    this.closeWith(
      this.hasFunctions ? constant('","arguments":""}}') : constant('","arguments":""}}]}'),
    );
  }

  protected putCustomCall(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    this.startCall(slot, id, idLength, constant('","type":"custom","custom":{"name":"'));
    this.out.bytes(name, nameLength);
    this.closeWith(constant('","input":""}}]}'));
  }

  protected putArguments(slot: i32, pointer: usize, length: u32): void {
    if (!this.hasFunctions) {
      this.continueCall(slot, constant(',"function":{"arguments":"'), pointer, length);
      return;
    }
    this.open(constant('{"function_call":{"arguments":"'));
    this.out.bytes(pointer, length);
    this.closeWith(constant('"}}'));
  }

  protected putInput(slot: i32, pointer: usize, length: u32): void {
    this.continueCall(slot, constant(',"custom":{"input":"'), pointer, length);
  }

  protected putNoArguments(slot: i32): void {
    this.putArguments(slot, NO_ARGUMENTS.pointer, NO_ARGUMENTS.length);
  }

  private startCall(slot: i32, id: usize, idLength: u32, name: Span): void {
    const out = this.out;
    this.open(TOOL_CALL);
    out.integer(slot);
    out.text(',"id":"');
    out.bytes(id, idLength);
    out.span(name);
  }

  private continueCall(slot: i32, member: Span, pointer: usize, length: u32): void {
    const out = this.out;
    this.open(TOOL_CALL);
    out.integer(slot);
    out.span(member);
    out.bytes(pointer, length);
    this.closeWith(constant('"}}]}'));
  }

  /** Writes reasoning details and annotations, if any, as one chunk. */
  private putExtras(): void {
    const details = this.carrier.items;
    const list = this.annotations;
    if (details.length == 0 && (list === null || list.entries.length == 0)) return;
    const out = this.out;
    out.bytes(this.start.pointer, this.start.length);
    out.byte(0x7b);
    if (details.length > 0) {
      out.text('"reasoning_details":[');
      out.bytes(details.pointer, details.length);
      out.byte(0x5d);
    }
    if (list !== null && list.entries.length > 0) {
      const annotations = list.entries;
      if (details.length > 0) out.byte(0x2c);
      out.text('"annotations":[');
      out.bytes(annotations.pointer, annotations.length);
      out.byte(0x5d);
    }
    out.byte(0x7d);
    out.bytes(this.rest.pointer, this.rest.length);
  }

  private open(delta: Span): void {
    this.out.bytes(this.start.pointer, this.start.length);
    this.out.span(delta);
  }

  private closeWith(end: Span): void {
    this.out.span(end);
    this.out.bytes(this.rest.pointer, this.rest.length);
  }
}
