// OpenAI's Chat Completions API, which most providers support.
import { OPENAI_CHAT } from "../../../../contract/dialects";
import { Dropped } from "../../../hub/dropped";
import { ResponseHead, ResponseSink } from "../../../hub/response/events";
import { ResponseReader } from "../../../hub/response/response-reader";
import { HubRequest } from "../../../hub/request/request";
import { RequestNotes } from "../../../hub/request/request-notes";
import { RequestLimits, RequestReport } from "../../../hub/request/request-report";
import { Usage } from "../../../hub/response/usage";
import { Edits } from "../../../bytes/json/edit";
import { NO_NODE, Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { removeSignatures } from "../../edit-call-ids";
import { OpenaiDialect } from "../dialect";
import { addSystemPrompt, askUsage } from "./request/edit";
import { EVENT_MEMBERS, FINISH_MEMBER, readFinish, reasonOf } from "./response/finish-reason";
import { isFirstToken } from "./response/first-token";
import { OpenaiChatLimitEdits } from "./request/limit-edits";
import { request as members, SUPPORTED } from "./members";
import { OpenaiChatReader } from "./response/read";
import { paths } from "./paths";
import { readRequest } from "./request/read";
import { readUsage } from "./response/read-usage";
import { isUsageChunk } from "./response/usage-chunk";
import { OpenaiChatWriter } from "./response/write";
import { OpenaiChatStreamWriter } from "./response/write-stream";
import { writeRequest } from "./request/write";

const limitEdits = new OpenaiChatLimitEdits();

export class OpenaiChat extends OpenaiDialect {
  constructor() {
    super(OPENAI_CHAT, members, SUPPORTED, paths);
    this.finishMember = FINISH_MEMBER;
    this.eventMembers = EVENT_MEMBERS;
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

  isRequest(tape: Tape): bool {
    return tape.member(0, constant("messages")) != NO_NODE;
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
    if (systemText.length > 0) addSystemPrompt(tape, systemText, edits);
    removeSignatures(tape, edits);
  }

  askUsage(tape: Tape, edits: Edits): bool {
    return askUsage(tape, edits);
  }

  newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: ByteBuffer,
  ): ResponseReader {
    return new OpenaiChatReader(sink, head, usage, dropped, requestId);
  }

  isFirstToken(tape: Tape): bool {
    return isFirstToken(tape);
  }

  isUsageChunk(pointer: usize, length: u32): bool {
    return isUsageChunk(pointer, length);
  }

  readUsage(tape: Tape, usage: Usage): void {
    readUsage(tape, tape.member(0, constant("usage")), usage);
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
    _requestId: ByteBuffer,
    wantsUsage: bool,
    notes: RequestNotes,
  ): ResponseSink {
    return new OpenaiChatStreamWriter(out, dropped, usage, wantsUsage, notes);
  }

  newCompleteWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    _head: ResponseHead,
    _requestId: ByteBuffer,
    notes: RequestNotes,
  ): ResponseSink {
    return new OpenaiChatWriter(out, dropped, usage, notes);
  }
}
