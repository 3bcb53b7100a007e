// Reads a chat completion, complete or as a stream, into the hub's events. It supports what providers of this format are known
// to send, and ignores unknown members.
// @see https://platform.openai.com/docs/api-reference/chat/object
// @see https://platform.openai.com/docs/api-reference/chat-streaming
import { DROPPED_CHOICE, DROPPED_FINISH_REASON, DROPPED_LOGPROBS } from "../../../../hub/dropped";
import { Fault } from "../../../../hub/faults/fault";
import {
  findReason,
  FINISH_FAULT,
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_STOP,
  FINISH_STOP_SEQUENCE,
  FINISH_UNKNOWN,
} from "../../../../hub/response/finish-reason";
import { readFault } from "../../../../hub/faults/read-fault";
import { ResponseReader } from "../../../../hub/response/response-reader";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { tierOf } from "../../tier";
import { FINISH_REASONS } from "./finish-reason";
import { MessageReader } from "./read-message";
import { readUsage } from "./read-usage";

const ERROR = constant("error");
const USAGE = constant("usage");
const MESSAGE = constant("message");
const INDEX = constant("index");
const DELTA = constant("delta");
const FINISH_REASON = constant("finish_reason");

export class OpenaiChatReader extends ResponseReader {
  private message: MessageReader = new MessageReader(this.sink, this.translation);
  private isComplete: bool = false;
  /** Members of the current chunk, or NO_NODE. */
  private choices: u32 = NO_NODE;
  private tokens: u32 = NO_NODE;
  private searchResults: u32 = NO_NODE;

  readEvent(tape: Tape): void {
    const root = tape.root();
    if (!this.readRoot(tape, root)) return;
    if (tape.isArray(this.choices)) this.readChoices(tape, this.choices);
    if (this.isOver || !tape.isObject(this.tokens)) return;
    this.repeatable.clear();
    this.useUsage(tape, this.tokens);
  }

  repeat(texts: TextRuns): void {
    if (this.finishReason == FINISH_NONE && texts.count > 0) this.message.repeat(texts);
  }

  readWhole(tape: Tape): void {
    this.isComplete = true;
    this.readEvent(tape);
    if (this.isOver) return;
    if (!this.hasBegun) {
      this.fail(new Fault(502, "The provider's response has no choices."));
      return;
    }
    // A complete response without a reason is still complete.
    if (this.finishReason == FINISH_NONE) this.finish(FINISH_UNKNOWN, 0, 0);
    this.endOfStream();
  }

  release(): void {
    this.message.release();
  }

  /** Finds the members of a chunk. Returns false if it is an error. */
  private readRoot(tape: Tape, root: u32): bool {
    this.choices = NO_NODE;
    this.tokens = NO_NODE;
    this.searchResults = NO_NODE;
    let message = NO_NODE;
    let groq = NO_NODE;
    for (let key = tape.first(root), end = tape.next(root); key < end; key = tape.next(key + 1)) {
      const value = key + 1;
      if (tape.isArray(root)) break;
      if (tape.equals(key, constant("choices"))) this.choices = value;
      else if (tape.equals(key, USAGE)) this.tokens = value;
      else if (tape.equals(key, ERROR)) {
        if (isFault(tape, value)) return this.failWith(tape, root);
      } else if (tape.equals(key, constant("x_groq"))) groq = value;
      else if (tape.equals(key, MESSAGE)) message = value;
      else if (tape.equals(key, constant("search_results"))) this.searchResults = value;
      // Padding against traffic analysis (OpenAI; `p` at Mistral).
      else if (tape.equals(key, constant("obfuscation")) || tape.equals(key, constant("p")))
        this.readNoise(tape, value);
      else if (!this.hasBegun) this.readHead(tape, key);
    }
    if (groq != NO_NODE && !tape.isPresent(this.tokens)) this.tokens = tape.member(groq, USAGE);
    const isErrorObject =
      tape.isString(message) && tape.equals(tape.member(root, constant("object")), ERROR);
    return isErrorObject || tape.isArray(root) ? this.failWith(tape, root) : true;
  }

  private failWith(tape: Tape, root: u32): bool {
    this.fail(readFault(tape, root, 0));
    return false;
  }

  private useUsage(tape: Tape, usage: u32): void {
    readUsage(tape, usage, this.translation.usage);
    // Usage before the finish reason is a running count.
    if (this.finishReason != FINISH_NONE && this.translation.usage.isKnown) this.sink.usageFinal();
  }

  private readHead(tape: Tape, key: u32): void {
    const value = key + 1;
    const head = this.translation.head;
    if (tape.equals(key, constant("created"))) head.setCreated(readCount(tape, value));
    if (!tape.isString(value) || tape.size(value) == 0) return;
    if (tape.equals(key, constant("id"))) this.replace(head.id, tape, value);
    else if (tape.equals(key, constant("model"))) this.replace(head.model, tape, value);
    else if (tape.equals(key, constant("system_fingerprint")))
      this.replace(head.fingerprint, tape, value);
    else if (tape.equals(key, constant("service_tier"))) head.tier = tierOf(tape, value);
  }

  /** The first choice is the response: a request for several was rejected. */
  private readChoices(tape: Tape, choices: u32): void {
    const end = tape.next(choices);
    for (let choice = tape.first(choices); choice < end; choice = tape.next(choice)) {
      if (!tape.isObject(choice)) continue;
      if (readCount(tape, tape.member(choice, INDEX)) > 0) {
        this.repeatable.clear();
        this.translation.dropped.add(DROPPED_CHOICE);
        continue;
      }
      if (!this.hasBegun && !isOfMessage(tape, choice)) continue;
      this.begin();
      this.repeatable.pointer = 0;
      this.readChoice(tape, choice);
      if (this.isOver) return;
    }
  }

  private readChoice(tape: Tape, choice: u32): void {
    let delta = NO_NODE;
    let whole = NO_NODE;
    let finish = NO_NODE;
    let stop = NO_NODE;
    let usage = NO_NODE;
    let isOnlyDelta = true;
    const end = tape.next(choice);
    for (let key = tape.first(choice); key < end; key = tape.next(key + 1)) {
      const value = key + 1;
      if (tape.equals(key, DELTA)) delta = value;
      else if (tape.equals(key, INDEX) || !tape.isPresent(value)) continue;
      else if (tape.equals(key, FINISH_REASON)) finish = value;
      else if (tape.equals(key, MESSAGE)) whole = value;
      else if (tape.equals(key, constant("stop_reason"))) stop = value;
      else if (tape.equals(key, USAGE)) usage = value;
      else if (tape.equals(key, constant("logprobs")))
        this.translation.dropped.add(DROPPED_LOGPROBS);
      else if (tape.equals(key, ERROR) && isFault(tape, value)) {
        this.fail(readFault(tape, choice, 0));
        return;
      }
      isOnlyDelta = isOnlyDelta && key + 1 == delta;
    }
    if (this.finishReason == FINISH_NONE) {
      const message = this.message;
      message.single = NO_NODE;
      // Some streams repeat the whole message in their chunks: it is read only if nothing came before it. A complete response
      // of Perplexity has an empty delta beside its message.
      const isWhole = tape.isObject(whole) && (this.isComplete || !tape.isObject(delta));
      if (!isWhole && tape.isObject(delta)) message.read(tape, delta);
      else if (isWhole && !message.isBegun) message.read(tape, whole);
      if (message.single != NO_NODE && isOnlyDelta) this.canRepeat(tape, message.single);
      this.readFinish(tape, finish, stop);
    }
    if (!this.isOver && tape.isObject(usage)) this.useUsage(tape, usage);
  }

  private readFinish(tape: Tape, node: u32, stop: u32): void {
    const reason = findReason(FINISH_REASONS, tape, node);
    if (reason == FINISH_NONE) return;
    if (reason == FINISH_FAULT) {
      const why = "The provider ended its response with an error: it failed or is overloaded.";
      this.fail(new Fault(503, why));
      return;
    }
    if (tape.isArray(this.searchResults)) this.message.readSearchResults(tape, this.searchResults);
    // vLLM sends the stop sequence beside the reason.
    const hasSequence = reason == FINISH_STOP && tape.isString(stop) && tape.size(stop) > 0;
    if (hasSequence) this.finish(FINISH_STOP_SEQUENCE, tape.pointer(stop), tape.size(stop));
    else this.finish(reason, 0, 0);
  }

  private finish(reason: i32, sequence: usize, sequenceLength: u32): void {
    if (reason == FINISH_UNKNOWN) this.translation.dropped.add(DROPPED_FINISH_REASON);
    this.finishReason = reason;
    this.message.finish();
    // OpenAI sends a refusal in its own member, with the reason "stop".
    if (this.message.hasRefusal && reason == FINISH_STOP) reason = FINISH_REFUSAL;
    this.sink.finish(reason, sequence, sequenceLength);
  }
}

/** Returns whether a choice is a part of the message. Azure reports on its content filter in choices without one. */
function isOfMessage(tape: Tape, choice: u32): bool {
  return (
    tape.isPresent(tape.member(choice, DELTA)) ||
    tape.isPresent(tape.member(choice, MESSAGE)) ||
    tape.isPresent(tape.member(choice, FINISH_REASON))
  );
}

/** Returns whether an `error` member is an error: some providers send null or an empty one with every chunk. */
function isFault(tape: Tape, node: u32): bool {
  if (tape.isString(node)) return tape.size(node) > 0;
  return tape.isObject(node) && !tape.isEmpty(node);
}
