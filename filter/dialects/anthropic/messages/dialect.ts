// Anthropic's Messages API.
import { BEARER, CredentialKind, X_API_KEY } from "../../../../contract/credentials";
import { ANTHROPIC_MESSAGES } from "../../../../contract/dialects";
import { Dropped } from "../../../hub/dropped";
import { ResponseHead, ResponseSink } from "../../../hub/response/events";
import { Fault } from "../../../hub/faults/fault";
import { ResponseReader } from "../../../hub/response/response-reader";
import { HubRequest } from "../../../hub/request/request";
import { RequestNotes } from "../../../hub/request/request-notes";
import { RequestLimits, RequestReport } from "../../../hub/request/request-report";
import { Usage } from "../../../hub/response/usage";
import { Edits } from "../../../bytes/json/edit";
import { Tape } from "../../../bytes/json/tape";
import { startsWith } from "../../../bytes/text/at";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { writeDateTime } from "../../../bytes/text/date-time";
import { Dialect } from "../../dialect";
import { addSystemPrompt } from "./request/edit";
import { removeForeignSignatures } from "./request/edit-thinking";
import { isFirstToken } from "./response/first-token";
import { AnthropicMessagesLimitEdits } from "./request/limit-edits";
import { request as members, SUPPORTED } from "./members";
import { AnthropicMessagesReader } from "./response/read";
import { paths } from "./paths";
import { readRequest } from "./request/read";
import { FINISH_MEMBER, readFinish, reasonOf } from "./response/finish-reason";
import { readUsage } from "./response/read-usage";
import { adaptFault, writeAnthropicFault } from "./write-fault";
import { writeModel, writeModels } from "./write-models";
import { AnthropicMessagesWriter } from "./response/write";
import { AnthropicMessagesStreamWriter } from "./response/write-stream";
import { AnthropicRequestWriter } from "./request/write";

const USAGE = constant("usage");
const MESSAGE = constant("message");
/** Tokens of Anthropic's subscriptions (Claude Code) begin so; they are bearer tokens. */
const OAUTH = constant("sk-ant-oat");

const limitEdits = new AnthropicMessagesLimitEdits();

export class AnthropicMessages extends Dialect {
  private writer: AnthropicRequestWriter = new AnthropicRequestWriter();

  constructor() {
    super(ANTHROPIC_MESSAGES, members, SUPPORTED, paths);
    this.responseMember = MESSAGE;
    this.finishMember = FINISH_MEMBER;
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
    this.writer.write(request, model, systemPrompt, limits, out, report);
  }

  isRequest(tape: Tape): bool {
    return tape.isArray(tape.member(0, constant("messages")));
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
    removeForeignSignatures(tape, edits);
    if (systemText.length > 0) addSystemPrompt(tape, systemText, edits);
  }

  /** Every stream reports its usage. */
  askUsage(_tape: Tape, _edits: Edits): bool {
    return false;
  }

  credentialKind(key: Span): CredentialKind {
    return startsWith(key.pointer, key.length, OAUTH) ? BEARER : X_API_KEY;
  }

  newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: ByteBuffer,
  ): ResponseReader {
    return new AnthropicMessagesReader(sink, head, usage, dropped, requestId);
  }

  isFirstToken(tape: Tape): bool {
    return isFirstToken(tape);
  }

  readUsage(tape: Tape, usage: Usage): void {
    let node = tape.member(0, USAGE);
    // `message_start` has it one level below.
    if (!tape.isObject(node)) node = tape.member(tape.member(0, MESSAGE), USAGE);
    readUsage(tape, node, usage);
  }

  reasonOf(tape: Tape, word: u32): i32 {
    return reasonOf(tape, word);
  }

  readFinish(tape: Tape): i32 {
    return readFinish(tape);
  }

  newStreamWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    _head: ResponseHead,
    requestId: ByteBuffer,
    _wantsUsage: bool,
    notes: RequestNotes,
  ): ResponseSink {
    return new AnthropicMessagesStreamWriter(out, dropped, usage, requestId, notes);
  }

  newCompleteWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    _head: ResponseHead,
    requestId: ByteBuffer,
    notes: RequestNotes,
  ): ResponseSink {
    return new AnthropicMessagesWriter(out, dropped, usage, requestId, notes);
  }

  adaptFault(fault: Fault): void {
    adaptFault(fault);
  }

  writeFault(fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void {
    writeAnthropicFault(fault, requestId, out);
  }

  writeModel(id: string, _owner: string, out: ByteBuffer): void {
    writeModel(id, out);
  }

  writeModels(ids: string[], _owners: string[], out: ByteBuffer): void {
    writeModels(ids, out);
  }

  /** @see https://docs.anthropic.com/en/api/rate-limits#response-headers */
  writeReset(now: u64, wait: u32, out: ByteBuffer): void {
    writeDateTime(now + wait, out);
  }
}
