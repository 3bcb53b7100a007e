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
import {
  TIER_FLEX,
  TIER_PRIORITY,
  TIER_UNKNOWN,
  Translation,
} from "../../../../hub/response/translation";
import { ResponseSink } from "../../../../hub/response/events";
import { ResponseReader } from "../../../../hub/response/response-reader";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { ERROR, failureIn } from "./failure";
import { FINISH_REASONS } from "./finish-reason";
import { readLogprobs } from "./read-logprobs";
import { endOfText, MAX_CALLS, PartReader } from "./read-parts";
import { SourceReader } from "./read-sources";
import { serviceIn, UsageReader } from "./read-usage";

/** A candidate: one choice of the response. */
class Candidate {
  parts: PartReader;
  sources: SourceReader;
  reason: i32 = FINISH_NONE;

  constructor(
    public sink: ResponseSink,
    translation: Translation,
    index: i32 = 0,
  ) {
    const sources = new SourceReader(sink, translation);
    this.parts = new PartReader(sink, translation, sources, index * MAX_CALLS);
    this.sources = sources;
  }

  release(): void {
    this.parts.release();
    this.sources.release();
  }
}

export class GeminiReader extends ResponseReader {
  private tokens: UsageReader = new UsageReader();
  private first: Candidate = new Candidate(this.sink, this.translation);
  /** Those after the first one, by their index; null for one that has not begun. */
  private others: Array<Candidate | null> = [];
  /** The one that was read last. */
  private last: Candidate = this.first;
  private isWhole: bool = false;

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
    this.last.sink.out = this.sink.out;
    if (texts.count > 0) this.last.parts.repeat(texts);
  }

  readWhole(tape: Tape): void {
    this.isWhole = true;
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
    const others = this.others;
    for (let i = 0; i < others.length; i++) {
      const one = others[i];
      // A choice that was cut is a broken response.
      if (one !== null && one.reason == FINISH_NONE && !this.isWhole)
        this.finishReason = FINISH_NONE;
    }
    if (!this.isOver && this.finishReason != FINISH_NONE) {
      this.finish(this.first, this.finishReason);
      for (let i = 0; i < others.length; i++) {
        const one = others[i];
        if (one === null) continue;
        // Its bytes go where the first one's go now.
        one.sink.out = this.sink.out;
        this.finish(one, one.reason == FINISH_NONE ? FINISH_UNKNOWN : one.reason);
      }
    }
    super.endOfStream();
  }

  private finish(candidate: Candidate, reason: i32): void {
    candidate.parts.endCode();
    candidate.parts.end();
    candidate.sources.endSearch();
    if (reason == FINISH_UNKNOWN) this.translation.dropped.add(DROPPED_FINISH_REASON);
    candidate.sink.finish(reason, 0, 0);
  }

  release(): void {
    this.first.release();
    for (let i = 0; i < this.others.length; i++) {
      const one = unchecked(this.others[i]);
      if (one !== null) one.release();
    }
  }

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
    this.first.parts.single = NO_NODE;
    let single = NO_NODE;
    const end = tape.next(candidates);
    for (let node = tape.first(candidates); node < end; node = tape.next(node)) {
      if (!tape.isObject(node)) continue;
      const index = max(readCount(tape, tape.member(node, constant("index"))), 0);
      const one = this.candidate(index);
      if (one === null) {
        this.translation.dropped.add(DROPPED_CHOICE);
        continue;
      }
      this.last = one;
      this.readCandidate(tape, node, one);
      if (index == 0) this.finishReason = one.reason;
      single = one.reason == FINISH_NONE ? one.parts.single : NO_NODE;
    }
    const isOnlyOne = tape.next(tape.first(candidates)) == end;
    if (single != NO_NODE && isOnlyOne) this.canRepeat(tape, single);
  }

  /** Returns a candidate by its index; null if the client has not asked for it. */
  private candidate(index: i64): Candidate | null {
    const sink = index == 0 ? this.sink : this.sink.choice(index);
    if (sink === null) return null;
    this.begin();
    if (index == 0) return this.first;
    const place = <i32>index - 1;
    while (this.others.length <= place) this.others.push(null);
    let one = this.others[place];
    if (one === null) {
      one = new Candidate(sink, this.translation, <i32>index);
      this.others[place] = one;
      sink.begin();
    }
    return one;
  }

  /** A blocked prompt has the status 200 and no candidate. */
  private readFeedback(tape: Tape, feedback: u32): void {
    const reason = tape.member(feedback, constant("blockReason"));
    if (!tape.isString(reason) || tape.size(reason) == 0) return;
    this.begin();
    this.first.reason = FINISH_REFUSAL;
    this.finishReason = FINISH_REFUSAL;
    this.refuse(this.first, tape, tape.member(feedback, constant("blockReasonMessage")));
  }

  private readCandidate(tape: Tape, candidate: u32, one: Candidate): void {
    let content = NO_NODE;
    let logprobs = NO_NODE;
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
      else if (tape.equals(key, constant("logprobsResult"))) logprobs = key + 1;
    }
    const hasLogprobs = tape.isObject(logprobs) && readLogprobs(tape, logprobs, one.sink);
    const parts = tape.member(content, constant("parts"));
    const last = tape.isArray(parts) ? tape.next(parts) : 0;
    let part = tape.first(parts);
    if (tape.isObject(grounding) || tape.isObject(citations)) {
      if (tape.isObject(grounding)) one.sources.readSearch(tape, grounding);
      // Sources belong to a text, to which nothing can be written after its end.
      const rest = endOfText(tape, part, last);
      one.parts.read(tape, part, rest);
      one.sources.isLate = !one.parts.hasOpenText;
      if (tape.isObject(grounding)) one.sources.readGrounding(tape, grounding, one.parts.openText);
      one.sources.readCitations(tape, citations);
      part = rest;
    }
    one.parts.read(tape, part, last);
    if (hasLogprobs) one.parts.single = NO_NODE;
    const reason = findReason(FINISH_REASONS, tape, word);
    if (reason == FINISH_NONE) return;
    if (reason == FINISH_REFUSAL && one.reason != FINISH_REFUSAL) this.refuse(one, tape, message);
    one.reason = reason;
  }

  private refuse(one: Candidate, tape: Tape, message: u32): void {
    if (!tape.isString(message) || tape.size(message) == 0) return;
    one.parts.end();
    one.sink.refusal(tape.pointer(message), tape.size(message));
  }
}

function tierOf(service: i32): i32 {
  if (service == SERVICE_PRIORITY) return TIER_PRIORITY;
  return service == SERVICE_FLEX ? TIER_FLEX : TIER_UNKNOWN;
}
