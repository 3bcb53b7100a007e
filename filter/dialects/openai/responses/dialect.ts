// OpenAI's Responses API, which Codex, the Agents SDKs and the Vercel AI SDK use by default.
import { OPENAI_RESPONSES } from "../../../../contract/dialects";
import { Dropped } from "../../../hub/dropped";
import { ResponseHead, ResponseSink } from "../../../hub/response/events";
import { Fault } from "../../../hub/faults/fault";
import { ResponseReader } from "../../../hub/response/response-reader";
import { HubRequest } from "../../../hub/request/request";
import { RequestNotes } from "../../../hub/request/request-notes";
import { RequestLimits, RequestReport } from "../../../hub/request/request-report";
import { noteText } from "../../../hub/response/text-bytes";
import { Usage } from "../../../hub/response/usage";
import { Edits } from "../../../bytes/json/edit";
import { Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { Conversation } from "../../conversation";
import { keepMembers } from "../../keep-members";
import { OpenaiDialect } from "../dialect";
import { COUNTED_MEMBERS } from "./request/count-request";
import { addInstructions, removeForeignReasoning } from "./request/edit";
import { failureOf } from "./response/failure";
import { readFinish } from "./response/finish-reason";
import { isFirstToken } from "./response/first-token";
import { OpenaiResponsesLimitEdits } from "./request/limit-edits";
import { request as members, SUPPORTED } from "./members";
import { OpenaiResponsesReader } from "./response/read";
import { paths } from "./paths";
import { readRequest } from "./request/read";
import { readUsage } from "./response/read-usage";
import { refersToState, runsInBackground } from "./state";
import { adaptFault, isStreamed } from "./write-fault";
import { OpenaiResponsesWriter } from "./response/write";
import { OpenaiResponsesStreamWriter } from "./response/write-stream";
import { writeRequest } from "./request/write";

const INPUT = constant("input");
const RESPONSE = constant("response");
const USAGE = constant("usage");

const limitEdits = new OpenaiResponsesLimitEdits();

export class OpenaiResponses extends OpenaiDialect {
  constructor() {
    super(OPENAI_RESPONSES, members, SUPPORTED, paths);
    // A response repeats the request's own `metadata`.
    this.metadataMember = "gateway_metadata";
    this.responseMember = RESPONSE;
    this.conversation = new Conversation("input", '{"type":"input_text","text":"', true);
  }

  readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
    readRequest(tape, request, report);
  }

  writeRequest(
    request: HubRequest,
    model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    writeRequest(request, model, systemPrompt, limits, out, report);
  }

  cutToCount(out: ByteBuffer, _path: Span, _model: Span): void {
    keepMembers(out, COUNTED_MEMBERS);
  }

  isRequest(tape: Tape): bool {
    return tape.isPresent(tape.member(0, INPUT));
  }

  refersToState(tape: Tape): bool {
    return refersToState(tape);
  }

  runsInBackground(tape: Tape): bool {
    return runsInBackground(tape);
  }

  protected limitRequest(
    tape: Tape,
    limits: RequestLimits,
    systemPrompt: Span,
    edits: Edits,
    report: RequestReport,
  ): Span {
    return limitEdits.limit(tape, limits, systemPrompt, edits, report);
  }

  editRequest(tape: Tape, systemText: Span, edits: Edits): void {
    if (systemText.length > 0) addInstructions(tape, systemText, edits);
    removeForeignReasoning(tape, edits);
  }

  /** Every stream reports its usage. */
  askUsage(_tape: Tape, _edits: Edits): bool {
    return false;
  }

  newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: ByteBuffer,
  ): ResponseReader {
    return new OpenaiResponsesReader(sink, head, usage, dropped, requestId);
  }

  failureOf(tape: Tape): Fault | null {
    return failureOf(tape);
  }

  isFirstToken(tape: Tape): bool {
    return isFirstToken(tape);
  }

  /** The other events repeat texts that have come in deltas. */
  textBytes(tape: Tape): u32 {
    const delta = tape.member(0, constant("delta"));
    if (!tape.isString(delta)) return 0;
    noteText(tape.pointer(delta));
    return tape.size(delta);
  }

  /** All members but the input. */
  repeatedBytes(tape: Tape): u32 {
    return tape.length - tape.size(tape.member(0, INPUT));
  }

  readUsage(tape: Tape, usage: Usage): void {
    let node = tape.member(0, USAGE);
    // Events have it in the response.
    if (!tape.isObject(node)) node = tape.member(tape.member(0, RESPONSE), USAGE);
    readUsage(tape, node, usage);
  }

  readFinish(tape: Tape): i32 {
    return readFinish(tape);
  }

  newStreamWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    head: ResponseHead,
    _requestId: ByteBuffer,
    _wantsUsage: bool,
    notes: RequestNotes,
  ): ResponseSink {
    return new OpenaiResponsesStreamWriter(out, dropped, usage, head, notes);
  }

  newCompleteWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    head: ResponseHead,
    _requestId: ByteBuffer,
    notes: RequestNotes,
  ): ResponseSink {
    return new OpenaiResponsesWriter(out, dropped, usage, head, notes);
  }

  adaptFault(fault: Fault): void {
    adaptFault(fault);
  }

  streamsFault(fault: Fault): bool {
    return isStreamed(fault);
  }
}
