// A dialect that clients use: besides the provider's side, it reads their requests, edits those that keep their dialect, and
// writes responses and errors.
import { DialectRow } from "../../contract/dialects";
import { Fault } from "../hub/faults/fault";
import { ApiNeeds } from "../hub/request/api-needs";
import { ClientPaths } from "../hub/request/client-paths";
import { Feature } from "../hub/request/feature";
import { MemberTable } from "../hub/request/member-table";
import { HubRequest } from "../hub/request/request";
import { RequestNotes } from "../hub/request/request-notes";
import { CACHE_KEY_NONE, RequestLimits, RequestReport } from "../hub/request/request-report";
import { RequestWriter } from "../hub/request/request-writer";
import { searchOf } from "../hub/request/web-search";
import { ResponseSink } from "../hub/response/events";
import { Translation } from "../hub/response/translation";
import { Edits } from "../bytes/json/edit";
import { NO_NODE, Tape } from "../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { Conversation } from "./conversation";
import { EventTexts } from "./event-texts";
import { LimitEdits } from "./limit-edits";
import { ProviderDialect } from "./provider-dialect";
import { ResponseEnding } from "./response-ending";
import { NAME_MEMBERS, TextMembers, TextRole, TextVisitor, visitTexts } from "./texts";

/** Names of the response headers that report a rate limit. */
export class LimitHeaders {
  limit: Span;
  remaining: Span;
  reset: Span;

  /** @param pattern `rateLimitHeaders` of a contract's row */
  constructor(pattern: string, unit: string) {
    const names = pattern.replaceAll("{unit}", unit);
    this.limit = constant(names.replaceAll("{field}", "limit"));
    this.remaining = constant(names.replaceAll("{field}", "remaining"));
    this.reset = constant(names.replaceAll("{field}", "reset"));
  }
}

const request = new HubRequest();
const MESSAGES = new Conversation("messages", '{"type":"text","text":"', false);
const TEXT_MEMBERS: TextMembers[] = [
  new TextMembers([constant("system")], TextRole.System),
  new TextMembers([constant("messages")], TextRole.User),
  NAME_MEMBERS,
];

export abstract class ClientDialect extends ProviderDialect {
  /** The members of a request's top level. */
  members: MemberTable;
  /** The member of a response in which the gateway reports the prompt target. */
  metadataMember: string = "metadata";
  /** Where a request holds its messages. */
  conversation: Conversation = MESSAGES;
  /** The members of a request in which texts are. */
  protected textMembers: TextMembers[] = TEXT_MEMBERS;
  /** The code of the error for a request that a policy does not let pass: one that agents end their turn with. */
  deniedCode: string = "content_filter";
  tokenLimitHeaders: LimitHeaders;
  requestLimitHeaders: LimitHeaders;

  constructor(
    row: DialectRow,
    supported: Feature[],
    requestWriter: RequestWriter,
    /** The names of what a target's request writer may drop. */
    private paths: ClientPaths,
    /** Fits a body that keeps its dialect to what the target's model supports. */
    private limitEdits: LimitEdits,
  ) {
    super(row, supported, requestWriter);
    this.members = limitEdits.members;
    this.tokenLimitHeaders = new LimitHeaders(row.rateLimitHeaders, "tokens");
    this.requestLimitHeaders = new LimitHeaders(row.rateLimitHeaders, "requests");
  }

  // ---- Requests

  /** Reads a client's request into the hub, or rejects it in `report`. */
  abstract readRequest(tape: Tape, request: HubRequest, report: RequestReport): void;

  /** Returns whether a body is a request: it has the conversation's messages. */
  abstract isRequest(tape: Tape): bool;

  /** Reads what a request needs of its API. */
  readNeeds(_tape: Tape, _needs: ApiNeeds): void {}

  /** Returns whether a body refers to something that only one provider holds: then no other target may get the request. */
  refersToState(_tape: Tape): bool {
    return false;
  }

  /** Returns whether the provider responds before it has begun, so that the client polls for the result. */
  runsInBackground(_tape: Tape): bool {
    return false;
  }

  /** Visits all texts of a request, in the order of the body. */
  texts(tape: Tape, visitor: TextVisitor): void {
    visitTexts(tape, this.textMembers, visitor);
  }

  /** Returns how many bytes of a request a complete response to it repeats. */
  repeatedBytes(_tape: Tape): u32 {
    return 0;
  }

  /**
   * Appends the body of a client of this dialect to `out`, translated for a provider of `target`; or rejects it in
   * `report`, and `out` is incomplete. Texts as in `RequestWriter`; `session` is the one that the client names; it may be empty. `notes` gets what the response's writer has to know.
   */
  translateRequest(
    tape: Tape,
    target: ProviderDialect,
    model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    session: Span,
    out: ByteBuffer,
    report: RequestReport,
    notes: RequestNotes,
  ): void {
    report.reset(limits.strict, target.api, target.supporter);
    report.paths = this.paths;
    report.hasComputer = limits.computer > 0;
    request.reset(tape, notes);
    this.readRequest(tape, request, report);
    report.needsHosted = searchOf(request) != NO_NODE;
    if (limits.addsCaching && limits.cacheKey != CACHE_KEY_NONE) report.cacheKey.span(session);
    if (report.fault === null)
      target.requestWriter.write(request, model, systemPrompt, limits, out, report);
    request.forget();
  }

  /**
   * Adds the edits that fit a body that keeps its dialect to what the target's model supports. Dropped members are listed
   * in `report`, or the request is rejected there. Returns the system text that is still to be added. Without messages the
   * body is no request and stays as it is.
   */
  fitRequest(
    tape: Tape,
    limits: RequestLimits,
    systemPrompt: Span,
    edits: Edits,
    report: RequestReport,
  ): Span {
    report.reset(limits.strict, this.api, this.supporter);
    if (!this.isRequest(tape)) return systemPrompt;
    return this.limitEdits.limit(tape, limits, systemPrompt, edits, report);
  }

  /** Adds the edits that every target requires of a body that keeps its dialect. `systemText` may be empty. */
  abstract editRequest(tape: Tape, systemText: Span, edits: Edits): void;

  /** Returns the block of a request that only attributes it, as Claude Code's; NO_NODE if it has none. */
  attributionIn(_tape: Tape): u32 {
    return NO_NODE;
  }

  /** Adds the edit that removes this block. */
  removeAttribution(_tape: Tape, _block: u32, _edits: Edits): void {}

  /** Adds the edit that asks a stream for its usage, unless every stream reports it. Returns whether the client had not asked. */
  askUsage(_tape: Tape, _edits: Edits): bool {
    return false;
  }

  /** Returns whether a body that keeps its dialect asks for one response, whose reasoning can be taken out of its content. */
  hasOneChoice(_tape: Tape): bool {
    return false;
  }

  /** Returns whether a client whose body keeps its dialect has asked for the usage of a stream. */
  hasAskedUsage(_tape: Tape): bool {
    return true;
  }

  // ---- Responses

  /** Marks the parts of longer texts in an event of a stream. */
  abstract markTexts(tape: Tape, texts: EventTexts): void;

  /** Returns the object in an event that describes the response, as an end of it repeats; NO_NODE if there is none. */
  describes(_tape: Tape): u32 {
    return NO_NODE;
  }

  /** Appends the last events of a stream that the gateway does not let go on. */
  abstract writeEnding(
    ending: ResponseEnding,
    fault: Fault,
    requestId: ByteBuffer,
    out: ByteBuffer,
  ): void;

  /** Appends a complete response in the place of one that must not be sent. Returns false if that has to be an error. */
  writeWholeEnding(_ending: ResponseEnding, _fault: Fault, _out: ByteBuffer): bool {
    return false;
  }

  /** Returns a writer of one streamed response. */
  abstract newStreamWriter(out: ByteBuffer, translation: Translation): ResponseSink;

  /** Returns a writer of one complete response. */
  abstract newCompleteWriter(out: ByteBuffer, translation: Translation): ResponseSink;

  /** Sets the code or message of a fault from another dialect by which SDKs and agents of this one recognise it. */
  abstract adaptFault(fault: Fault): void;

  /** Returns whether clients that asked for a stream expect a fault, which has been adapted, as its events instead of a status. */
  streamsFault(_fault: Fault): bool {
    return false;
  }

  /** The status of an error that ends a session: agents of the dialect neither repeat it nor change the request. */
  get stopStatus(): u32 {
    return 402;
  }

  /** Appends an error body. */
  abstract writeFault(fault: Fault, requestId: ByteBuffer, out: ByteBuffer): void;

  /** Appends one model. */
  abstract writeModel(id: string, owner: string, out: ByteBuffer): void;

  /** Appends the list of models. */
  abstract writeModels(ids: string[], owners: string[], out: ByteBuffer): void;

  /** Appends the time when a rate limit is full again. `now` and `wait` in seconds. */
  abstract writeReset(now: u64, wait: u32, out: ByteBuffer): void;
}
