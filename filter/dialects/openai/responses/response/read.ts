// Reads a response of the Responses API, complete or as a stream of events, into the hub's events. Unknown events are ignored.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import { DROPPED_FINISH_REASON } from "../../../../hub/dropped";
import {
  TIER_FLEX,
  TIER_PRIORITY,
  TIER_SCALE,
  TIER_STANDARD,
} from "../../../../hub/response/events";
import { Fault } from "../../../../hub/faults/fault";
import {
  FINISH_NONE,
  FINISH_REFUSAL,
  FINISH_STOP,
  FINISH_TOOLS,
  FINISH_UNKNOWN,
} from "../../../../hub/response/finish-reason";
import { ResponseReader } from "../../../../hub/response/response-reader";
import { NO_COUNT, readCount } from "../../../../bytes/json/number";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/repeat/text-runs";
import { failureOf } from "./failure";
import { incompleteReason } from "./finish-reason";
import { Item, ITEM_CALL, ITEM_CUSTOM, ITEM_MESSAGE, ITEM_REASONING } from "./item";
import { ItemReader } from "./read-output";
import { readUsage } from "./read-usage";

const TYPE = constant("type");
const DELTA = constant("delta");
const ITEM = constant("item");
const ITEM_ID = constant("item_id");
const OUTPUT_INDEX = constant("output_index");
const CONTENT_INDEX = constant("content_index");
const SUMMARY_INDEX = constant("summary_index");
const SEQUENCE_NUMBER = constant("sequence_number");
const OBFUSCATION = constant("obfuscation");
const RESPONSE = constant("response");
const ANNOTATION = constant("annotation");
const ARGUMENTS = constant("arguments");
const INPUT = constant("input");

const TEXT_DELTA = constant("response.output_text.delta");
const REFUSAL_DELTA = constant("response.refusal.delta");
const SUMMARY_DELTA = constant("response.reasoning_summary_text.delta");
const REASONING_DELTA = constant("response.reasoning_text.delta");
const ARGUMENTS_DELTA = constant("response.function_call_arguments.delta");
const ARGUMENTS_DONE = constant("response.function_call_arguments.done");
const INPUT_DELTA = constant("response.custom_tool_call_input.delta");
const INPUT_DONE = constant("response.custom_tool_call_input.done");
const ANNOTATION_ADDED = constant("response.output_text.annotation.added");
const ITEM_ADDED = constant("response.output_item.added");
const ITEM_DONE = constant("response.output_item.done");
const CREATED = constant("response.created");
const IN_PROGRESS = constant("response.in_progress");
const COMPLETED = constant("response.completed");
const INCOMPLETE = constant("response.incomplete");
const KEEPALIVE = constant("keepalive");

const ID = constant("id");
const MODEL = constant("model");
const CREATED_AT = constant("created_at");
const SERVICE_TIER = constant("service_tier");
const PRIORITY = constant("priority");
const FLEX = constant("flex");
const SCALE = constant("scale");
const DEFAULT = constant("default");
const OUTPUT = constant("output");
const USAGE = constant("usage");
const STATUS = constant("status");
const QUEUED_STATUS = constant("queued");
const IN_PROGRESS_STATUS = constant("in_progress");
const INCOMPLETE_STATUS = constant("incomplete");

export class OpenaiResponsesReader extends ResponseReader {
  private items: ItemReader = new ItemReader(this.sink, this.dropped, this.requestId);
  /** What a repeated event continues. */
  private repeats: Item | null = null;
  private repeatsPart: i64 = NO_COUNT;
  private repeatsSummary: bool = false;
  /** Members of the current event, or NO_NODE. */
  private type: u32 = NO_NODE;
  private delta: u32 = NO_NODE;
  private item: u32 = NO_NODE;
  private itemId: u32 = NO_NODE;
  private response: u32 = NO_NODE;
  private index: i64 = NO_COUNT;
  private part: i64 = NO_COUNT;

  release(): void {
    this.items.release();
  }

  repeat(texts: TextRuns): void {
    const item = this.repeats;
    if (item === null || this.finishReason != FINISH_NONE) return;
    if (item.kind == ITEM_MESSAGE) {
      this.items.texts(item, texts);
      return;
    }
    for (let i: u32 = 0; i < texts.count; i++) this.goOn(item, texts.pointer(i), texts.length(i));
  }

  /** Continues an item. */
  private goOn(item: Item, pointer: usize, length: u32): void {
    if (item.kind == ITEM_MESSAGE) this.items.text(item, pointer, length);
    else if (item.kind == ITEM_REASONING)
      this.items.reasoning(item, this.repeatsPart, this.repeatsSummary, pointer, length);
    else this.items.callText(item, pointer, length);
  }

  readEvent(tape: Tape): void {
    this.readMembers(tape);
    const failure = failureOf(tape);
    if (failure !== null) {
      this.fail(failure);
      return;
    }
    const type = this.type;
    if (this.finishReason != FINISH_NONE) return;
    if (tape.isString(this.delta)) this.readDelta(tape);
    else if (tape.equals(type, ITEM_ADDED)) {
      this.begin();
      this.items.add(tape, this.index, this.item);
    } else if (tape.equals(type, ITEM_DONE)) {
      this.begin();
      this.items.finish(tape, this.index, this.item);
    } else if (tape.equals(type, ARGUMENTS_DONE)) this.readCallEnd(tape, ITEM_CALL);
    else if (tape.equals(type, INPUT_DONE)) this.readCallEnd(tape, ITEM_CUSTOM);
    else if (tape.equals(type, ANNOTATION_ADDED)) this.readAnnotation(tape);
    else if (tape.equals(type, KEEPALIVE)) this.sink.ping();
    else if (tape.equals(type, CREATED) || tape.equals(type, IN_PROGRESS))
      this.readHead(tape, this.response);
    else if (tape.equals(type, COMPLETED) || tape.equals(type, INCOMPLETE))
      this.readEnd(tape, this.response);
  }

  readWhole(tape: Tape): void {
    const root = tape.root();
    const failure = failureOf(tape);
    if (failure !== null) {
      this.fail(failure);
      return;
    }
    const status = tape.member(root, STATUS);
    if (tape.equals(status, QUEUED_STATUS) || tape.equals(status, IN_PROGRESS_STATUS)) {
      this.fail(
        new Fault(502, "The upstream responds in the background, which was not asked for."),
      );
      return;
    }
    if (!tape.isArray(tape.member(root, OUTPUT))) {
      this.fail(new Fault(502, "The upstream's response has no output."));
      return;
    }
    this.readEnd(tape, root);
  }

  private readMembers(tape: Tape): void {
    this.type = NO_NODE;
    this.delta = NO_NODE;
    this.item = NO_NODE;
    this.itemId = NO_NODE;
    this.response = NO_NODE;
    this.index = NO_COUNT;
    this.part = NO_COUNT;
    const root = tape.root();
    if (!tape.isObject(root)) return;
    for (let key = tape.first(root), end = tape.next(root); key < end; key = tape.next(key + 1)) {
      const value = key + 1;
      if (tape.equals(key, TYPE)) this.type = value;
      else if (tape.equals(key, DELTA)) this.delta = value;
      else if (tape.equals(key, ITEM_ID)) this.itemId = value;
      else if (tape.equals(key, OUTPUT_INDEX)) this.index = readCount(tape, value);
      else if (tape.equals(key, SUMMARY_INDEX)) this.part = readCount(tape, value);
      else if (tape.equals(key, CONTENT_INDEX)) this.part = readCount(tape, value);
      else if (tape.equals(key, SEQUENCE_NUMBER)) this.readNumber(tape, value);
      else if (tape.equals(key, OBFUSCATION)) this.readNoise(tape, value);
      else if (tape.equals(key, ITEM)) this.item = value;
      else if (tape.equals(key, RESPONSE)) this.response = value;
    }
  }

  /** Padding against traffic analysis, different in every event. */
  private readNoise(tape: Tape, node: u32): void {
    if (!tape.isString(node)) return;
    this.repeatable.noise = tape.pointer(node);
    this.repeatable.noiseLength = tape.size(node);
  }

  /** The event's place in the stream. */
  private readNumber(tape: Tape, node: u32): void {
    if (readCount(tape, node) == NO_COUNT) return;
    this.repeatable.number = tape.pointer(node);
    this.repeatable.numberLength = tape.size(node);
  }

  private readDelta(tape: Tape): void {
    const type = this.type;
    const delta = this.delta;
    const isSummary = tape.equals(type, SUMMARY_DELTA);
    let kind = ITEM_MESSAGE;
    if (isSummary || tape.equals(type, REASONING_DELTA)) kind = ITEM_REASONING;
    else if (tape.equals(type, ARGUMENTS_DELTA)) kind = ITEM_CALL;
    else if (tape.equals(type, INPUT_DELTA)) kind = ITEM_CUSTOM;
    else if (!tape.equals(type, TEXT_DELTA) && !tape.equals(type, REFUSAL_DELTA)) return;
    this.begin();
    const item = this.items.itemOf(tape, this.index, this.itemId, kind);
    if (item === null) return;
    if (tape.equals(type, REFUSAL_DELTA)) {
      this.items.refusal(item, tape.pointer(delta), tape.size(delta));
      return;
    }
    this.repeats = item;
    this.repeatsPart = this.part;
    this.repeatsSummary = isSummary;
    this.goOn(item, tape.pointer(delta), tape.size(delta));
    this.canRepeat(tape, delta);
  }

  private readCallEnd(tape: Tape, kind: i32): void {
    this.begin();
    const item = this.items.itemOf(tape, this.index, this.itemId, kind);
    const text = tape.member(tape.root(), kind == ITEM_CALL ? ARGUMENTS : INPUT);
    if (item !== null) this.items.callEnd(tape, item, text);
  }

  private readAnnotation(tape: Tape): void {
    this.begin();
    const item = this.items.itemOf(tape, this.index, this.itemId, ITEM_MESSAGE);
    if (item !== null) this.items.cite(tape, item, tape.member(tape.root(), ANNOTATION));
  }

  private readHead(tape: Tape, response: u32): void {
    if (this.hasBegun) return;
    const head = this.head;
    replaceIfPresent(head.id, tape, tape.member(response, ID));
    replaceIfPresent(head.model, tape, tape.member(response, MODEL));
    head.setCreated(readCount(tape, tape.member(response, CREATED_AT)));
    const tier = tape.member(response, SERVICE_TIER);
    if (tape.equals(tier, PRIORITY)) head.tier = TIER_PRIORITY;
    else if (tape.equals(tier, FLEX)) head.tier = TIER_FLEX;
    else if (tape.equals(tier, SCALE)) head.tier = TIER_SCALE;
    else if (tape.equals(tier, DEFAULT)) head.tier = TIER_STANDARD;
    this.begin();
  }

  /** Reads the response behind its last item; a complete response has the same members. */
  private readEnd(tape: Tape, response: u32): void {
    this.readHead(tape, response);
    this.items.finishAll(tape, tape.member(response, OUTPUT));
    const usage = tape.member(response, USAGE);
    if (tape.isObject(usage)) readUsage(tape, usage, this.usage);
    this.finishReason = this.reasonOf(tape, response);
    if (this.finishReason == FINISH_UNKNOWN) this.dropped.add(DROPPED_FINISH_REASON);
    this.sink.finish(this.finishReason, 0, 0);
    this.endOfStream();
  }

  private reasonOf(tape: Tape, response: u32): i32 {
    const isIncomplete =
      tape.equals(this.type, INCOMPLETE) ||
      tape.equals(tape.member(response, STATUS), INCOMPLETE_STATUS);
    if (isIncomplete) return incompleteReason(tape, response);
    if (this.items.hasCalls) return FINISH_TOOLS;
    return this.items.hasRefusal ? FINISH_REFUSAL : FINISH_STOP;
  }
}

function replaceIfPresent(text: ByteBuffer, tape: Tape, node: u32): void {
  if (!tape.isString(node) || tape.size(node) == 0) return;
  text.clear();
  text.bytes(tape.pointer(node), tape.size(node));
}
