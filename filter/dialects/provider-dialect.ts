// A dialect that no client uses: its providers are asked in it, and their responses are always translated. The client's side,
// which nothing calls, is here once and does nothing.
import { CredentialKind } from "../../contract/credentials";
import { DialectRow } from "../../contract/dialects";
import { NO_PATHS } from "../hub/request/client-paths";
import { Dropped } from "../hub/dropped";
import { Citation, ResponseHead, ResponseSink } from "../hub/response/events";
import { Fault } from "../hub/faults/fault";
import { Feature } from "../hub/request/feature";
import { MemberTable } from "../hub/request/member-table";
import { HubRequest } from "../hub/request/request";
import { RequestNotes } from "../hub/request/request-notes";
import { RequestLimits, RequestReport } from "../hub/request/request-report";
import { Usage } from "../hub/response/usage";
import { Edits } from "../bytes/json/edit";
import { Tape } from "../bytes/json/tape";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import { percentEncode } from "../bytes/text/url-value";
import { Dialect } from "./dialect";

const NO_MEMBERS = new MemberTable("");

export abstract class ProviderDialect extends Dialect {
  private credential: CredentialKind;

  /** @param supported what the request writer can express beyond the hub's common slots */
  constructor(row: DialectRow, supported: Feature[]) {
    super(row, NO_MEMBERS, supported, NO_PATHS);
    this.credential = row.credential;
  }

  credentialKind(_key: Span): CredentialKind {
    return this.credential;
  }

  /** Appends a path with the model as one segment, and the method behind it. */
  protected writeModelPath(path: Span, model: Span, method: Span, out: ByteBuffer): void {
    out.span(path);
    percentEncode(model.pointer, model.length, out);
    out.span(method);
  }

  /** The model is in the path, or the request is written with it. */
  setModel(_tape: Tape, _model: Span, _edits: Edits): void {}

  readRequest(_tape: Tape, _request: HubRequest, _report: RequestReport): void {}

  isRequest(_tape: Tape): bool {
    return false;
  }

  protected limitRequest(
    _tape: Tape,
    _limits: RequestLimits,
    systemPrompt: Span,
    _edits: Edits,
    _report: RequestReport,
  ): Span {
    return systemPrompt;
  }

  editRequest(_tape: Tape, _systemText: Span, _edits: Edits): void {}

  /** A request is written with whatever reports the usage. */
  askUsage(_tape: Tape, _edits: Edits): bool {
    return false;
  }

  newStreamWriter(
    out: ByteBuffer,
    _dropped: Dropped,
    _usage: Usage,
    _head: ResponseHead,
    _requestId: ByteBuffer,
    _wantsUsage: bool,
    _notes: RequestNotes,
  ): ResponseSink {
    return new NoWriter(out);
  }

  newCompleteWriter(
    out: ByteBuffer,
    _dropped: Dropped,
    _usage: Usage,
    _head: ResponseHead,
    _requestId: ByteBuffer,
    _notes: RequestNotes,
  ): ResponseSink {
    return new NoWriter(out);
  }

  adaptFault(_fault: Fault): void {}

  writeFault(_fault: Fault, _requestId: ByteBuffer, _out: ByteBuffer): void {}

  writeModel(_id: string, _owner: string, _out: ByteBuffer): void {}

  writeModels(_ids: string[], _owners: string[], _out: ByteBuffer): void {}

  writeReset(_now: u64, _wait: u32, _out: ByteBuffer): void {}
}

/** Writes nothing. */
class NoWriter extends ResponseSink {
  begin(_head: ResponseHead): void {}
  text(_pointer: usize, _length: u32): void {}
  refusal(_pointer: usize, _length: u32): void {}
  reasoning(_pointer: usize, _length: u32): void {}
  signature(_carrier: i32, _pointer: usize, _length: u32): void {}
  redactedReasoning(_pointer: usize, _length: u32): void {}
  citation(_citation: Citation): void {}
  blockEnd(): void {}
  toolBegin(_slot: i32, _id: usize, _idLength: u32, _name: usize, _nameLength: u32): void {}
  toolArguments(_slot: i32, _pointer: usize, _length: u32): void {}
  toolEnd(_slot: i32): void {}
  finish(_reason: i32, _sequence: usize, _sequenceLength: u32): void {}
  usageFinal(): void {}
  ping(): void {}
  end(): void {}
  fault(_fault: Fault): void {}
  release(): void {}
}
