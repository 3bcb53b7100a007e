// Writes the hub's events as one complete response of the Responses API.
// @see https://platform.openai.com/docs/api-reference/responses
import { BlockWriter } from "../../hub/block-writer";
import { Dropped } from "../../hub/dropped";
import { Citation, ResponseHead } from "../../hub/events";
import { Fault } from "../../hub/fault";
import { RequestNotes } from "../../hub/request-notes";
import { Usage } from "../../hub/usage";
import { ByteBuffer } from "../../bytes/text/bytes";
import { writeOpenaiFault } from "../openai/write-fault";

export class OpenaiResponsesWriter extends BlockWriter {
  constructor(
    out: ByteBuffer,
    dropped: Dropped,
    protected usage: Usage,
    protected requestId: string,
    protected notes: RequestNotes,
  ) {
    super(out, dropped);
  }

  begin(_head: ResponseHead): void {}
  usageFinal(): void {}
  ping(): void {}
  end(): void {}

  fault(fault: Fault): void {
    writeOpenaiFault(fault, this.out);
  }

  protected openText(): void {}
  protected putText(_pointer: usize, _length: u32): void {}
  protected putCitation(_citation: Citation): void {}
  protected closeText(): void {}
  protected openReasoning(): void {}
  protected putReasoning(_pointer: usize, _length: u32): void {}
  protected putSignature(_carrier: i32, _pointer: usize, _length: u32): void {}
  protected closeReasoning(): void {}
  protected putRedacted(_pointer: usize, _length: u32): void {}
  protected openTool(_id: usize, _idLength: u32, _name: usize, _nameLength: u32): void {}
  protected putArguments(_pointer: usize, _length: u32): void {}
  protected closeTool(): void {}
}
