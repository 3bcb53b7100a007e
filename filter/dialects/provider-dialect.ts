// A dialect: everything that the gateway needs of a wire format, in one class. registry.ts lists the dialects; each has a
// folder. The rest of the filter calls these methods and never asks which dialect it has. The provider's side is here, which
// every dialect has; client-dialect.ts has the client's.
import { CredentialKind } from "../../contract/credentials";
import { DialectRow } from "../../contract/dialects";
import { Fault } from "../hub/faults/fault";
import { readFault } from "../hub/faults/read-fault";
import { Feature } from "../hub/request/feature";
import { RequestLimits } from "../hub/request/request-limits";
import { RequestWriter } from "../hub/request/request-writer";
import { ResponseSink } from "../hub/response/events";
import { FINISH_NONE, FinishWord, findReason } from "../hub/response/finish-reason";
import { ResponseReader } from "../hub/response/response-reader";
import { textBytes } from "../hub/response/text-bytes";
import { Translation } from "../hub/response/translation";
import { Usage } from "../hub/response/usage";
import { Framer } from "../bytes/framer";
import { MemberFinder } from "../bytes/json/member-finder";
import { Tape } from "../bytes/json/tape";
import { SseFramer } from "../bytes/sse/sse-framer";
import { ByteBuffer, constant, sameSpan, Span } from "../bytes/text/bytes";
import { percentEncode } from "../bytes/text/url-value";

/** A header of a request that its provider requires; `value` is sent if the client has sent none. */
export class RequiredHeader {
  constructor(
    public name: Span,
    public value: Span,
  ) {}
}

const MODEL = constant("model");
const NO_MEMBER = new Span(0, 0);
const NO_WORDS = new StaticArray<FinishWord>(0);
const USAGE = constant('"usage":');
const OPEN_BRACE: u32 = 0x7b;
/** The usage of an event; of a chat stream alone, because only there the gateway asks for it. */
const USAGE_MEMBER = new MemberFinder(USAGE, OPEN_BRACE, USAGE, OPEN_BRACE);

export abstract class ProviderDialect {
  /** Its place in the registry. */
  index: i32 = 0;
  /** The dialect's bit in `Feature.supporters`. */
  supporter: u32 = 0;
  /** The name in the filter's configuration. */
  name: string;
  nameSpan: Span;
  /** The API in error messages: "the Anthropic Messages API". */
  api: string;
  path: Span;
  /** How much of a provider's path is the dialect's own, after its base path. Bytes. */
  ownPathLength: u32;
  /** Those of the row and the required ones. */
  ownHeaders: Span[] = [];
  requiredHeaders: RequiredHeader[] = [];
  requestIdHeader: Span;
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
  /** Whether the service tier of a complete response is beside the usage, and what the model wrote is no JSON before it. */
  hasTierBesideUsage: bool = false;
  /** The values of `finishMember`. */
  finishWords: StaticArray<FinishWord> = NO_WORDS;
  /** What an event of a stream has that has usage, or the reason why the response ended. */
  eventMembers: MemberFinder = USAGE_MEMBER;
  /**
   * Whether its conversations leave the gateway's marks with chat clients: signatures in the ids of calls
   * (hub/request/signed-call-id.ts), or what its tools did (hub/reasoning-carrier.ts).
   */
  leavesMarks: bool = false;

  constructor(
    protected row: DialectRow,
    /** What the request writer can express beyond the hub's common slots. */
    public supported: Feature[],
    public requestWriter: RequestWriter,
  ) {
    this.name = row.name;
    this.nameSpan = constant(row.name);
    this.api = "the " + row.title + " API";
    this.path = constant(row.path);
    this.ownPathLength = <u32>max(row.path.length - row.basePath.length, 0);
    this.requestIdHeader = constant(row.requestIdHeader);
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

  /** Turns a written request into what the provider accepts to count its tokens; `path` and `model` as in `writePath`. */
  cutToCount(_out: ByteBuffer, _path: Span, _model: Span): void {}

  /** Appends the path of a request that counts tokens, as `writePath`, if the dialect has a `countMember`. */
  writeCountPath(_path: Span, _model: Span, _out: ByteBuffer): void {}

  /** Appends the path of a request; `path`: the configured one. A dialect may put the model and the method into it. */
  writePath(path: Span, _model: Span, _isStreaming: bool, out: ByteBuffer): void {
    out.span(path);
  }

  /** Appends a path with the model as one segment, and the method after it. */
  protected writeModelPath(path: Span, model: Span, method: Span, out: ByteBuffer): void {
    out.span(path);
    percentEncode(model.pointer, model.length, out);
    out.span(method);
  }

  /** Returns how a client's own key is sent to a provider of this dialect. */
  credentialKind(_key: Span): CredentialKind {
    return this.row.credential;
  }

  /** Returns whether a model searches the web in this API. */
  searches(_limits: RequestLimits): bool {
    return true;
  }

  /** Returns whether a model reasons beside tools in this API. */
  reasonsWithTools(_limits: RequestLimits): bool {
    return true;
  }

  /** Returns whether the model's reasoning comes back, and goes to its next turn. */
  carriesReasoning(_limits: RequestLimits): bool {
    return true;
  }

  /** Returns whether a request's stop sequences are supported. */
  supportsStop(limits: RequestLimits): bool {
    return limits.supportsStop;
  }

  // ---- Responses

  /** Returns a framer of one stream: server-sent events, unless the dialect has its own framing. */
  newFramer(): Framer {
    return new SseFramer();
  }

  /** Returns a reader of one response. */
  abstract newReader(sink: ResponseSink, translation: Translation): ResponseReader;

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

  /** Returns whether the event in the tape is the last one of its stream, whatever reason it has. */
  isLastEvent(_tape: Tape): bool {
    return false;
  }

  /** Returns whether the event in the tape is only the usage that `askUsage` has asked for. */
  isUsageChunk(_tape: Tape): bool {
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

  /** Returns the reason that a word of a member `finishMember` is: a FINISH_ constant. */
  reasonOf(tape: Tape, word: u32): i32 {
    return findReason(this.finishWords, tape, word);
  }

  /**
   * Returns why a complete response, or the stream of an event, ended: a FINISH_ constant. Only for responses that pass to
   * a client of this dialect.
   */
  readFinish(_tape: Tape): i32 {
    return FINISH_NONE;
  }
}
