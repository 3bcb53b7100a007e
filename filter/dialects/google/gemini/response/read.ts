// Reads a response, complete or as a stream, into the hub's events. An event of a stream is a response with the next parts.
// @see https://ai.google.dev/api/generate-content#generatecontentresponse
import { DROPPED_CHOICE, DROPPED_FINISH_REASON } from "../../../../hub/dropped";
import { Fault } from "../../../../hub/faults/fault";
import {
  findReason,
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_UNKNOWN,
} from "../../../../hub/response/finish-reason";
import { SERVICE_FLEX, SERVICE_PRIORITY } from "../../../../hub/response/service";
import { TIER_FLEX, TIER_PRIORITY, TIER_UNKNOWN } from "../../../../hub/response/translation";
import { ResponseReader } from "../../../../hub/response/response-reader";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { ERROR, failureIn } from "./failure";
import { FINISH_REASONS } from "./finish-reason";
import { PartReader } from "./read-parts";
import { SourceReader } from "./read-sources";
import { serviceIn, UsageReader } from "./read-usage";

export class GeminiReader extends ResponseReader {
  private parts: PartReader = new PartReader(this.sink, this.translation);
  private tokens: UsageReader = new UsageReader();
  private sources: SourceReader = new SourceReader(this.sink, this.translation);

  /** A stream without `alt=sse`, and some proxies, have a list of responses. */
  readEvent(tape: Tape): void {
    const root = tape.root();
    if (!tape.isArray(root)) {
      this.readResponse(tape, root);
      return;
    }
    const end = tape.next(root);
    for (let one = tape.first(root); one < end && !this.isOver; one = tape.next(one))
      this.readResponse(tape, one);
    this.repeatable.clear();
  }

  repeat(texts: TextRuns): void {
    this.tokens.repeat(this.repeatable, this.translation.usage);
    if (texts.count > 0) this.parts.repeat(texts);
  }

  readWhole(tape: Tape): void {
    this.readEvent(tape);
    if (this.isOver) return;
    if (!this.hasBegun) {
      this.fail(new Fault(502, "The provider's response has no candidates."));
      return;
    }
    // A complete response without a reason is still complete.
    if (this.finishReason == FINISH_NONE) this.finishReason = FINISH_UNKNOWN;
    this.endOfStream();
  }

  /** The reason may come in any event, also in several, and before the last parts: the client gets it at the end. */
  endOfStream(): void {
    if (!this.isOver && this.finishReason != FINISH_NONE) {
      this.parts.end();
      if (this.finishReason == FINISH_UNKNOWN) this.translation.dropped.add(DROPPED_FINISH_REASON);
      this.sink.finish(this.finishReason, 0, 0);
    }
    super.endOfStream();
  }

  release(): void {}

  private readResponse(tape: Tape, response: u32): void {
    let candidates = NO_NODE;
    let usage = NO_NODE;
    let model = NO_NODE;
    let id = NO_NODE;
    let feedback = NO_NODE;
    let error = NO_NODE;
    const end = tape.isObject(response) ? tape.next(response) : 0;
    for (let key = tape.first(response); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, constant("candidates"))) candidates = key + 1;
      else if (tape.equals(key, constant("usageMetadata"))) usage = key + 1;
      else if (tape.equals(key, constant("modelVersion"))) model = key + 1;
      else if (tape.equals(key, constant("responseId"))) id = key + 1;
      else if (tape.equals(key, constant("promptFeedback"))) feedback = key + 1;
      else if (tape.equals(key, ERROR)) error = key + 1;
    }
    if (tape.isObject(usage)) this.tokens.read(tape, usage, this.translation.usage);
    const failure = failureIn(tape, response, error, candidates);
    if (failure !== null) {
      this.fail(failure);
      return;
    }
    if (!this.hasBegun) {
      this.replace(this.translation.head.model, tape, model);
      this.replace(this.translation.head.id, tape, id);
      if (tape.isObject(usage)) this.translation.head.tier = tierOf(serviceIn(tape, usage));
    }
    this.readFeedback(tape, feedback);
    if (tape.isArray(candidates)) this.readCandidates(tape, candidates);
    if (tape.isObject(usage)) this.tokens.addCounts(tape, usage, this.repeatable);
  }

  private readCandidates(tape: Tape, candidates: u32): void {
    this.parts.single = NO_NODE;
    const end = tape.next(candidates);
    for (let one = tape.first(candidates); one < end; one = tape.next(one)) {
      if (readCount(tape, tape.member(one, constant("index"))) > 0)
        this.translation.dropped.add(DROPPED_CHOICE);
      else if (tape.isObject(one)) this.readCandidate(tape, one);
    }
    const single = this.parts.single;
    const isOnlyOne = tape.next(tape.first(candidates)) == end;
    if (single != NO_NODE && isOnlyOne && this.finishReason == FINISH_NONE)
      this.canRepeat(tape, single);
  }

  /** A blocked prompt has the status 200 and no candidate. */
  private readFeedback(tape: Tape, feedback: u32): void {
    const reason = tape.member(feedback, constant("blockReason"));
    if (!tape.isString(reason) || tape.size(reason) == 0) return;
    this.begin();
    this.finishReason = FINISH_REFUSAL;
    this.refuse(tape, tape.member(feedback, constant("blockReasonMessage")));
  }

  private readCandidate(tape: Tape, candidate: u32): void {
    this.begin();
    let content = NO_NODE;
    let word = NO_NODE;
    let message = NO_NODE;
    let grounding = NO_NODE;
    let citations = NO_NODE;
    const end = tape.next(candidate);
    for (let key = tape.first(candidate); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, constant("content"))) content = key + 1;
      else if (tape.equals(key, constant("finishReason"))) word = key + 1;
      else if (tape.equals(key, constant("finishMessage"))) message = key + 1;
      else if (tape.equals(key, constant("groundingMetadata"))) grounding = key + 1;
      else if (tape.equals(key, constant("citationMetadata"))) citations = key + 1;
    }
    this.parts.read(tape, tape.member(content, constant("parts")));
    if (tape.isObject(grounding)) this.sources.readGrounding(tape, grounding);
    if (tape.isObject(citations)) this.sources.readCitations(tape, citations);
    const reason = findReason(FINISH_REASONS, tape, word);
    if (reason == FINISH_NONE) return;
    if (reason == FINISH_REFUSAL && this.finishReason != FINISH_REFUSAL) this.refuse(tape, message);
    this.finishReason = reason;
  }

  private refuse(tape: Tape, message: u32): void {
    if (!tape.isString(message) || tape.size(message) == 0) return;
    this.parts.end();
    this.sink.refusal(tape.pointer(message), tape.size(message));
  }
}

function tierOf(service: i32): i32 {
  if (service == SERVICE_PRIORITY) return TIER_PRIORITY;
  return service == SERVICE_FLEX ? TIER_FLEX : TIER_UNKNOWN;
}
