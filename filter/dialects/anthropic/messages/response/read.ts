// Reads a message, complete or as a stream, into the hub's events.
// @see https://docs.anthropic.com/en/api/messages
// @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
import { DROPPED_FINISH_REASON } from "../../../../hub/dropped";
import { TIER_BATCH, TIER_PRIORITY, TIER_STANDARD } from "../../../../hub/response/translation";
import { Fault } from "../../../../hub/faults/fault";
import {
  findReason,
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_UNKNOWN,
} from "../../../../hub/response/finish-reason";
import { readFault } from "../../../../hub/faults/read-fault";
import { ResponseReader } from "../../../../hub/response/response-reader";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { STOP_REASONS } from "./finish-reason";
import { BlockReader } from "./read-blocks";
import { readUsage } from "./read-usage";

const TYPE = constant("type");
const ERROR = constant("error");
const USAGE = constant("usage");
const TRACE = constant(',"trace":');

export class AnthropicMessagesReader extends ResponseReader {
  /** Whether a guardrail has replaced the model's text. */
  private isBlocked: bool = false;
  private hasTrace: bool = false;
  private blocks: BlockReader = new BlockReader(this.sink, this.translation);

  release(): void {
    this.blocks.release();
  }

  repeat(texts: TextRuns): void {
    if (texts.count > 0 && this.finishReason == FINISH_NONE) this.blocks.repeat(texts);
  }

  readEvent(tape: Tape): void {
    const root = tape.root();
    let type = NO_NODE;
    let index = NO_NODE;
    let delta = NO_NODE;
    let block = NO_NODE;
    let message = NO_NODE;
    let usage = NO_NODE;
    let error = NO_NODE;
    if (!tape.isObject(root)) return;
    for (let key = tape.first(root), end = tape.next(root); key < end; key = tape.next(key + 1)) {
      if (tape.equals(key, TYPE)) type = key + 1;
      else if (tape.equals(key, constant("delta"))) delta = key + 1;
      else if (tape.equals(key, constant("index"))) index = key + 1;
      else if (tape.equals(key, constant("content_block"))) block = key + 1;
      else if (tape.equals(key, constant("message"))) message = key + 1;
      else if (tape.equals(key, USAGE)) usage = key + 1;
      else if (tape.equals(key, ERROR)) error = key + 1;
      else this.readAmazon(tape, key);
    }
    if (tape.equals(type, constant("content_block_delta"))) this.readDelta(tape, index, delta);
    else if (tape.equals(type, constant("content_block_start")))
      this.readStart(tape, readCount(tape, index), block);
    else if (tape.equals(type, constant("content_block_stop")))
      this.blocks.stop(readCount(tape, index));
    else if (tape.equals(type, constant("ping"))) this.sink.ping();
    else if (tape.equals(type, constant("message_start"))) this.readMessageStart(tape, message);
    else if (tape.equals(type, constant("message_delta")))
      this.readMessageDelta(tape, delta, usage);
    else if (tape.equals(type, constant("message_stop"))) this.endOfStream();
    else if (tape.equals(type, ERROR) || tape.isObject(error)) this.fail(readFault(tape, root, 0));
  }

  readWhole(tape: Tape): void {
    const root = tape.root();
    if (
      tape.equals(tape.member(root, TYPE), ERROR) ||
      tape.isObject(tape.member(root, ERROR)) ||
      tape.isArray(root)
    ) {
      this.fail(readFault(tape, root, 0));
      return;
    }
    const content = tape.member(root, constant("content"));
    if (!tape.isArray(content)) {
      this.fail(new Fault(502, "The provider's response has no content."));
      return;
    }
    this.readMessageStart(tape, root);
    for (let key = tape.first(root), last = tape.next(root); key < last; key = tape.next(key + 1))
      this.readAmazon(tape, key);
    const end = tape.next(content);
    for (let block = tape.first(content); block < end; block = tape.next(block)) {
      this.readStart(tape, NO_COUNT, block);
      this.blocks.stop(NO_COUNT);
    }
    this.readMessageDelta(tape, root, tape.member(root, USAGE));
    // A complete response without a reason is still complete.
    if (this.finishReason == FINISH_NONE) {
      this.finishReason = FINISH_UNKNOWN;
      this.translation.dropped.add(DROPPED_FINISH_REASON);
      this.sink.finish(FINISH_UNKNOWN, 0, 0);
    }
    this.endOfStream();
  }

  /**
   * Reads what a guardrail of Amazon Bedrock adds to a response, or to an event of a stream: what it did, and what it found.
   * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
   */
  private readAmazon(tape: Tape, key: u32): void {
    if (tape.equals(key, constant("amazon-bedrock-guardrailAction")))
      this.isBlocked = this.isBlocked || tape.equals(key + 1, constant("INTERVENED"));
    else if (
      tape.equals(key, constant("amazon-bedrock-trace")) &&
      this.hasBegun &&
      !this.hasTrace
    ) {
      this.hasTrace = true;
      this.sink.extra(TRACE, tape, key + 1);
    }
  }

  private readMessageStart(tape: Tape, message: u32): void {
    const usage = tape.member(message, USAGE);
    if (tape.isObject(usage)) readUsage(tape, usage, this.translation.usage);
    if (this.hasBegun) return;
    this.replace(this.translation.head.id, tape, tape.member(message, constant("id")));
    this.replace(this.translation.head.model, tape, tape.member(message, constant("model")));
    const tier = tape.member(usage, constant("service_tier"));
    const isFast = tape.equals(tape.member(usage, constant("speed")), constant("fast"));
    if (isFast || tape.equals(tier, constant("priority")))
      this.translation.head.tier = TIER_PRIORITY;
    else if (tape.equals(tier, constant("batch"))) this.translation.head.tier = TIER_BATCH;
    else if (tape.isString(tier)) this.translation.head.tier = TIER_STANDARD;
    this.begin();
  }

  private readStart(tape: Tape, index: i64, block: u32): void {
    if (this.finishReason != FINISH_NONE) return;
    this.begin();
    this.blocks.start(tape, index, block);
  }

  private readDelta(tape: Tape, index: u32, delta: u32): void {
    if (this.finishReason != FINISH_NONE) return;
    this.begin();
    this.blocks.delta(tape, index, delta);
    if (this.blocks.single != NO_NODE) this.canRepeat(tape, this.blocks.single);
  }

  /** Reads a stream's message_delta; a complete message has the same members. */
  private readMessageDelta(tape: Tape, delta: u32, usage: u32): void {
    this.begin();
    if (tape.isObject(usage)) readUsage(tape, usage, this.translation.usage);
    let reason = findReason(STOP_REASONS, tape, tape.member(delta, constant("stop_reason")));
    if (this.isBlocked && reason != FINISH_NONE) reason = FINISH_REFUSAL;
    if (reason == FINISH_NONE || this.finishReason != FINISH_NONE) return;
    this.blocks.stopAll();
    const explanation = tape.member(
      tape.member(delta, constant("stop_details")),
      constant("explanation"),
    );
    if (tape.isString(explanation) && tape.size(explanation) > 0) {
      this.sink.refusal(tape.pointer(explanation), tape.size(explanation));
    }
    if (reason == FINISH_UNKNOWN) this.translation.dropped.add(DROPPED_FINISH_REASON);
    this.finishReason = reason;
    const sequence = tape.member(delta, constant("stop_sequence"));
    const hasSequence = tape.isString(sequence);
    this.sink.finish(
      reason,
      hasSequence ? tape.pointer(sequence) : 0,
      hasSequence ? tape.size(sequence) : 0,
    );
  }
}
