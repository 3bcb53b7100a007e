// Reads a response of the Responses API, complete or as a stream of events.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import { Fault } from "../../hub/fault";
import { ResponseReader } from "../../hub/response-reader";
import { Tape } from "../../bytes/json/tape";

export class OpenaiResponsesReader extends ResponseReader {
  readEvent(_tape: Tape): void {
    this.fail(new Fault(502, "not written yet"));
  }

  repeat(_pointer: usize, _length: u32): void {}

  readWhole(_tape: Tape): void {
    this.fail(new Fault(502, "not written yet"));
  }

  release(): void {}
}
