// A dialect: everything that the gateway needs of a wire format, in one class. registry.ts lists the dialects; each has a
// folder. The rest of the filter calls these methods and never asks which dialect it has.
import { CredentialKind } from "../../contract/credentials";
import { DialectRow } from "../../contract/dialects";
import { ClientPaths } from "../hub/request/client-paths";
import { ResponseHead, ResponseSink } from "../hub/response/events";
import { Dropped } from "../hub/dropped";
import { FINISH_NONE } from "../hub/response/finish-reason";
import { Fault } from "../hub/faults/fault";
import { readFault } from "../hub/faults/read-fault";
import { Feature } from "../hub/request/feature";
import { MemberTable } from "../hub/request/member-table";
import { ResponseReader } from "../hub/response/response-reader";
import { HubRequest } from "../hub/request/request";
import { RequestNotes } from "../hub/request/request-notes";
import { RequestLimits, RequestReport } from "../hub/request/request-report";
import { textBytes } from "../hub/response/text-bytes";
import { Usage } from "../hub/response/usage";
import { Framer } from "../bytes/framer";
import { Edits } from "../bytes/json/edit";
import { MemberFinder } from "../bytes/json/member-finder";
import { Tape } from "../bytes/json/tape";
import { SseFramer } from "../bytes/sse/framer";
import { ByteBuffer, constant, sameSpan, Span } from "../bytes/text/bytes";
import { Conversation } from "./conversation";
import { setModel } from "./edit-model";

/** A header of a request that its provider requires; `value` is sent if the client has sent none. */
export class RequiredHeader {
  constructor(
    public name: Span,
    public value: Span,
  ) {}
}

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

const MODEL = constant("model");
const NO_MEMBER = new Span(0, 0);
const USAGE = constant('"usage":');
const OPEN_BRACE: u32 = 0x7b;
/** The usage of an event; of a chat stream alone, because only there the gateway asks for it. */
const USAGE_MEMBER = new MemberFinder(USAGE, OPEN_BRACE, USAGE, OPEN_BRACE);

const request = new HubRequest();
const MESSAGES = new Conversation("messages", '{"type":"text","text":"', false);

export abstract class Dialect {
  /** Its place in the registry. */
  index: i32 = 0;
  /** The dialect's bit in `Feature.supporters`. */
  supporter: u32 = 0;
  /** The name in the filter's configuration. */
  name: string;
  nameSpan: Span;
  /** The API in error messages: "the Anthropic Messages API". */
  api: string;
  hasClients: bool;
  path: Span;
  /** How much of a provider's path is the dialect's own, behind its base path. Bytes. */
  ownPathLength: u32;
  isOnIngress: bool;
  /** Those of the row and the required ones. */
  ownHeaders: Span[] = [];
  requiredHeaders: RequiredHeader[] = [];
  requestIdHeader: Span;
  /** The member of a response in which the gateway reports the prompt target. */
  metadataMember: string = "metadata";
  /**
   * The member with the number of tokens, in a response of providers with an own request for counting; empty for all others.
   */
  countMember: Span = NO_MEMBER;
  /** The member of an event that is the response so far; empty if events are no more than its parts. */
  responseMember: Span = NO_MEMBER;
  /**
   * The only member of a complete response, in front of the usage, with the reason why it ended, with quotes and colon; empty
   * if it needs more than one.
   */
  finishMember: Span = NO_MEMBER;
  /** What an event of a stream has that has usage, or the reason why the response ended. */
  eventMembers: MemberFinder = USAGE_MEMBER;
  /** Whether the ids of its tool calls carry signatures (hub/signed-call-id.ts). */
  signsCallIds: bool = false;
  /** Where a request holds its messages. */
  conversation: Conversation = MESSAGES;
  tokenLimitHeaders: LimitHeaders;
  requestLimitHeaders: LimitHeaders;

  constructor(
    row: DialectRow,
    /** The members of a request's top level. */
    public members: MemberTable,
    /** What the request writer can express beyond the hub's common slots. */
    public supported: Feature[],
    /** The names of what a target's request writer may drop. */
    private paths: ClientPaths,
  ) {
    this.name = row.name;
    this.nameSpan = constant(row.name);
    this.api = "the " + row.title + " API";
    this.hasClients = row.hasClients;
    this.path = constant(row.path);
    this.ownPathLength = <u32>max(row.path.length - row.basePath.length, 0);
    this.isOnIngress = row.isOnIngress;
    this.requestIdHeader = constant(row.requestIdHeader);
    this.tokenLimitHeaders = new LimitHeaders(row.rateLimitHeaders, "tokens");
    this.requestLimitHeaders = new LimitHeaders(row.rateLimitHeaders, "requests");
    for (let i = 0; i < row.ownHeaders.length; i++)
      this.ownHeaders.push(constant(row.ownHeaders[i]));
    for (let i = 0; i < row.requiredHeaders.length; i++) {
      const header = row.requiredHeaders[i];
      const name = constant(header.name);
      this.ownHeaders.push(name);
      this.requiredHeaders.push(new RequiredHeader(name, constant(header.value)));
    }
  }

  /** Returns whether a header is one of `ownHeaders`: dialects of one vendor share some. */
  ownsHeader(name: Span): bool {
    for (let i = 0; i < this.ownHeaders.length; i++) {
      if (sameSpan(this.ownHeaders[i], name)) return true;
    }
    return false;
  }

  // ---- Requests

  /** Reads a client's request into the hub, or rejects it in `report`. */
  abstract readRequest(tape: Tape, request: HubRequest, report: RequestReport): void;

  /**
   * Appends the request of the hub to `out`, for a provider of this dialect. `model`: a JSON string with its quotes.
   * `systemPrompt`: the configured one, the inside of a JSON string, may be empty; it goes before the client's.
   */
  abstract writeRequest(
    request: HubRequest,
    model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void;

  /** Turns a written request into what the provider accepts to count its tokens; `path` and `model` as in `writePath`. */
  cutToCount(_out: ByteBuffer, _path: Span, _model: Span): void {}

  /** Appends the path of a request that counts tokens, as `writePath`, if the dialect has a `countMember`. */
  writeCountPath(_path: Span, _model: Span, _out: ByteBuffer): void {}

  /** Appends the path of a request; `path`: the configured one. A dialect may put the model and the method into it. */
  writePath(path: Span, _model: Span, _isStreaming: bool, out: ByteBuffer): void {
    out.span(path);
  }

  /** Returns whether a body is a request: it has the conversation's messages. */
  abstract isRequest(tape: Tape): bool;

  /** Returns whether a body refers to something that only one provider holds: then no other target may get the request. */
  refersToState(_tape: Tape): bool {
    return false;
  }

  /** Returns whether the provider responds before it has begun, so that the client polls for the result. */
  runsInBackground(_tape: Tape): bool {
    return false;
  }

  /** Returns how many bytes of a request a complete response to it repeats. */
  repeatedBytes(_tape: Tape): u32 {
    return 0;
  }

  /** Sets the model of a body that keeps its dialect. A dialect with the model in the path has nothing to edit. */
  setModel(tape: Tape, model: Span, edits: Edits): void {
    setModel(tape, model, edits);
  }

  /**
   * Adds the edits that fit a body that keeps its dialect to what the target's model supports. Dropped members are listed
   * in `report`, or the request is rejected there. Returns the system text that is still to be added.
   */
  protected abstract limitRequest(
    tape: Tape,
    limits: RequestLimits,
    systemPrompt: Span,
    edits: Edits,
    report: RequestReport,
  ): Span;

  /** As `limitRequest`, with a new report. Without messages the body is no request and stays as it is. */
  fitRequest(
    tape: Tape,
    limits: RequestLimits,
    systemPrompt: Span,
    edits: Edits,
    report: RequestReport,
  ): Span {
    report.reset(limits.strict, this.api, this.supporter);
    if (!this.isRequest(tape)) return systemPrompt;
    return this.limitRequest(tape, limits, systemPrompt, edits, report);
  }

  /**
   * Appends the body of a client of this dialect to `out`, translated for a provider of `target`; or rejects it in
   * `report`, and `out` is incomplete. Texts as in `writeRequest`. `notes` gets what the response's writer has to know.
   */
  translateRequest(
    tape: Tape,
    target: Dialect,
    model: Span,
    systemPrompt: Span,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
    notes: RequestNotes,
  ): void {
    report.reset(limits.strict, target.api, target.supporter);
    report.paths = this.paths;
    request.reset(tape, notes);
    this.readRequest(tape, request, report);
    if (report.fault === null)
      target.writeRequest(request, model, systemPrompt, limits, out, report);
    request.forget();
  }

  /** Adds the edits that every target requires of a body that keeps its dialect. `systemText` may be empty. */
  abstract editRequest(tape: Tape, systemText: Span, edits: Edits): void;

  /** Adds the edit that asks a stream for its usage. Returns whether the client had not asked for it. */
  abstract askUsage(tape: Tape, edits: Edits): bool;

  /** Returns how a client's own key is sent to a provider of this dialect. */
  abstract credentialKind(key: Span): CredentialKind;

  // ---- Responses of a provider

  /** Returns a framer of one stream: server-sent events, unless the dialect has its own framing. */
  newFramer(): Framer {
    return new SseFramer();
  }

  /** Returns a reader of one response. */
  abstract newReader(
    sink: ResponseSink,
    head: ResponseHead,
    usage: Usage,
    dropped: Dropped,
    requestId: ByteBuffer,
  ): ResponseReader;

  /** Returns whether an event's data, which is not JSON, marks the end of the stream. */
  isEndMark(_pointer: usize, _length: u32): bool {
    return false;
  }

  /** Returns the error that the event in the tape reports, or null. */
  failureOf(tape: Tape): Fault | null {
    return tape.isPresent(tape.member(0, constant("error"))) ? readFault(tape, 0, 0) : null;
  }

  /** Returns whether the event in the tape carries content: with it the response has begun. */
  abstract isFirstToken(tape: Tape): bool;

  /** Returns the bytes that the model has written in the event in the tape, and sets `lastText`. */
  textBytes(tape: Tape): u32 {
    return textBytes(tape);
  }

  /** Returns whether the data of a stream's event (not empty) is only the usage that `askUsage` has asked for. */
  isUsageChunk(_pointer: usize, _length: u32): bool {
    return false;
  }

  /** Reads the usage of a complete response or of an event, if it has any. */
  abstract readUsage(tape: Tape, usage: Usage): void;

  /** Returns the node of the model in a complete response, or in an event with usage; NO_NODE if there is none. */
  responseModel(tape: Tape): u32 {
    const model = tape.member(0, MODEL);
    if (tape.isString(model) || this.responseMember.length == 0) return model;
    return tape.member(tape.member(0, this.responseMember), MODEL);
  }

  /** Returns the reason that a word is, of a member `finishMember`: a FINISH_ constant. */
  reasonOf(_tape: Tape, _word: u32): i32 {
    return FINISH_NONE;
  }

  /**
   * Returns why a complete response, or the stream of an event, ended: a FINISH_ constant. Only for responses that pass to
   * a client of this dialect.
   */
  readFinish(_tape: Tape): i32 {
    return FINISH_NONE;
  }

  // ---- Responses to a client

  /** Returns a writer of one streamed response. `head`: what `begin` gets, so far with defaults. */
  abstract newStreamWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    head: ResponseHead,
    requestId: ByteBuffer,
    wantsUsage: bool,
    notes: RequestNotes,
  ): ResponseSink;

  /** Returns a writer of one complete response. */
  abstract newCompleteWriter(
    out: ByteBuffer,
    dropped: Dropped,
    usage: Usage,
    head: ResponseHead,
    requestId: ByteBuffer,
    notes: RequestNotes,
  ): ResponseSink;

  /** Sets the code or message of a fault from another dialect by which SDKs and agents of this one recognise it. */
  abstract adaptFault(fault: Fault): void;

  /** Returns whether clients that asked for a stream expect a fault, which has been adapted, as its events instead of a status. */
  streamsFault(_fault: Fault): bool {
    return false;
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
