// Writes the hub's events as one complete response.
// @see https://platform.openai.com/docs/api-reference/responses/object
import { HostedCall } from "../../../../hub/response/hosted-call";
import { Fault } from "../../../../hub/faults/fault";
import { Translation } from "../../../../hub/response/translation";
import { ByteBuffer, Span } from "../../../../bytes/text/bytes";
import { writeOpenaiFault } from "../../write-fault";
import { adaptFault } from "../write-fault";
import { COMPLETED, INCOMPLETE, ItemWriter } from "./write-items";
import { writeHead, writeState } from "./write-object";

export class OpenaiResponsesWriter extends ItemWriter {
  private start: u32;

  constructor(out: ByteBuffer, translation: Translation) {
    super(out, translation, out);
    this.start = out.length;
  }

  begin(): void {
    writeHead(this.translation, this.out);
    this.out.text(',"output":[');
  }

  usageFinal(): void {}
  ping(): void {}

  end(): void {
    const reason = this.incompleteReason;
    const isComplete = reason.length == 0;
    this.out.byte(0x5d);
    writeState(
      isComplete ? COMPLETED : INCOMPLETE,
      isComplete ? this.translation.head.clock() : 0,
      null,
      reason,
      this.translation.usage,
      this.out,
    );
  }

  /** Replaces what has been written of the response. */
  fault(fault: Fault): void {
    adaptFault(fault);
    this.out.length = this.start;
    writeOpenaiFault(fault, this.out);
  }

  protected itemAdded(_rest: Span): void {}
  protected contentAdded(): void {}
  protected contentDelta(_pointer: usize, _length: u32): void {}
  protected annotationAdded(_index: i32, _start: u32): void {}
  protected hostedStep(_type: Span, _step: Span, _member: Span, _call: HostedCall): void {}
  protected contentDone(_textEnd: u32): void {}
  protected itemDone(): void {}
}
