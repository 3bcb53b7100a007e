// Reads a response of Converse, complete or as a stream, into the hub's events. An event is recognised by its members: its
// name is in the frame, and holds nothing else.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
import { DROPPED_FINISH_REASON } from "../../../../hub/dropped";
import { Fault } from "../../../../hub/faults/fault";
import {
  FINISH_FAULT,
  FINISH_NONE,
  FINISH_UNKNOWN,
  findReason,
} from "../../../../hub/response/finish-reason";
import { readFault } from "../../../../hub/faults/read-fault";
import { ResponseReader } from "../../../../hub/response/response-reader";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { STOP_REASONS } from "./finish-reason";
import { ContentReader, KIND_NONE } from "./read-content";
import { readUsage } from "./read-usage";

const OUTPUT = constant("output");
const DELTA = constant("delta");
const STOP_REASON = constant("stopReason");
const STOP_SEQUENCE = constant("stop_sequence");
const USAGE = constant("usage");
const TRACE = constant(',"trace":');
const FIELDS = constant(',"additionalModelResponseFields":');

export class BedrockConverseReader extends ResponseReader {
  private content: ContentReader = new ContentReader(this.sink, this.translation);
  /** What a repeated event continues. */
  private hasTrace: bool = false;
  private repeatsKind: i32 = KIND_NONE;
  private repeatsIndex: i64 = -1;

  release(): void {}

  repeat(texts: TextRuns): void {
    if (this.finishReason == FINISH_NONE && texts.count > 0)
      this.content.repeat(this.repeatsKind, this.repeatsIndex, texts);
  }

  readEvent(tape: Tape): void {
    const root = tape.root();
    if (!tape.isObject(root)) return;
    let index = NO_NODE;
    let start = NO_NODE;
    let delta = NO_NODE;
    let reason = NO_NODE;
    let usage = NO_NODE;
    let isEnd = false;
    for (let key = tape.first(root), end = tape.next(root); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, DELTA)) delta = key + 1;
      else if (tape.equals(key, constant("contentBlockIndex"))) index = key + 1;
      else if (tape.equals(key, constant("p"))) this.readNoise(tape, key + 1);
      else if (tape.equals(key, constant("start"))) start = key + 1;
      else if (tape.equals(key, STOP_REASON)) reason = key + 1;
      else if (tape.equals(key, USAGE)) usage = key + 1;
      else if (tape.equals(key, constant("metrics"))) isEnd = true;
      else this.readOther(tape, key);
    }
    const isContent = this.finishReason == FINISH_NONE && index != NO_NODE;
    if (isContent) this.begin();
    if (isContent && delta != NO_NODE) this.readDelta(tape, readCount(tape, index), delta);
    else if (isContent && start != NO_NODE) this.content.start(tape, readCount(tape, index), start);
    else if (isContent) this.content.stop(readCount(tape, index));
    else if (reason != NO_NODE) this.readFinish(tape, reason);
    if (tape.isObject(usage)) readUsage(tape, usage, this.translation.usage);
    // The last event is `metadata`, after the reason.
    if ((usage != NO_NODE || isEnd) && this.finishReason != FINISH_NONE) this.endOfStream();
  }

  /** Reads the start of the message, or what the guardrail has found, which comes at the end. */
  private readOther(tape: Tape, key: u32): void {
    if (tape.equals(key, constant("role"))) this.begin();
    else if (
      tape.equals(key, constant("trace")) &&
      this.finishReason != FINISH_NONE &&
      !this.hasTrace
    ) {
      this.hasTrace = true;
      this.readExtra(tape, key + 1, TRACE);
    }
  }

  readWhole(tape: Tape): void {
    const root = tape.root();
    const content = tape.member(
      tape.member(tape.member(root, OUTPUT), constant("message")),
      constant("content"),
    );
    if (!tape.isArray(content)) {
      this.fail(tape.isObject(tape.member(root, OUTPUT)) ? noContent() : readFault(tape, root, 0));
      return;
    }
    const reason = tape.member(root, STOP_REASON);
    if (findReason(STOP_REASONS, tape, reason) == FINISH_FAULT) {
      this.readFinish(tape, reason);
      return;
    }
    this.begin();
    const end = tape.next(content);
    for (let block = tape.first(content); block < end; block = tape.next(block))
      this.content.whole(tape, block);
    const usage = tape.member(root, USAGE);
    if (tape.isObject(usage)) readUsage(tape, usage, this.translation.usage);
    this.readExtra(tape, tape.member(root, constant("trace")), TRACE);
    this.readFinish(tape, reason);
    // A complete response without a reason is still complete.
    if (this.finishReason == FINISH_NONE) this.finish(FINISH_UNKNOWN, 0, 0);
    this.endOfStream();
  }

  private readDelta(tape: Tape, index: i64, delta: u32): void {
    const kind = this.content.delta(tape, index, delta);
    this.repeatsKind = kind;
    this.repeatsIndex = index;
    if (kind != KIND_NONE) this.canRepeat(tape, this.content.piece);
  }

  private readFinish(tape: Tape, node: u32): void {
    const reason = findReason(STOP_REASONS, tape, node);
    if (reason == FINISH_NONE || this.finishReason != FINISH_NONE) return;
    if (reason == FINISH_FAULT) {
      this.fail(new Fault(502, "The model's output was malformed, and the provider rejected it."));
      return;
    }
    const more = tape.member(tape.root(), constant("additionalModelResponseFields"));
    let sequence = tape.member(more, STOP_SEQUENCE);
    const first = tape.first(more);
    const isGateways = tape.equals(first, STOP_SEQUENCE) || tape.equals(first, DELTA);
    if (tape.isObject(more) && !tape.isEmpty(more)) {
      // A stop sequence alone is what the gateway has asked for.
      if (!isGateways || tape.next(first + 1) != tape.next(more))
        this.readExtra(tape, more, FIELDS);
    }
    // A stream has the member of the model's own event.
    if (!tape.isString(sequence)) sequence = tape.member(tape.member(more, DELTA), STOP_SEQUENCE);
    if (tape.isString(sequence)) this.finish(reason, tape.pointer(sequence), tape.size(sequence));
    else this.finish(reason, 0, 0);
  }

  /** Reads what the guardrail has found, or members of the model that the client has asked for. */
  private readExtra(tape: Tape, node: u32, name: Span): void {
    if (tape.isObject(node)) this.sink.extra(name, tape, node);
  }

  private finish(reason: i32, sequence: usize, sequenceLength: u32): void {
    this.begin();
    this.content.stopAll();
    if (reason == FINISH_UNKNOWN) this.translation.dropped.add(DROPPED_FINISH_REASON);
    this.finishReason = reason;
    this.sink.finish(reason, sequence, sequenceLength);
  }
}

function noContent(): Fault {
  return new Fault(502, "The provider's response has no content.");
}
