// Reads a response of the Responses API, complete or as a stream of events, into the hub's events. Unknown events are ignored.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import { DROPPED_FINISH_REASON } from "../../../../hub/dropped";
import { TIER_STANDARD } from "../../../../hub/response/translation";
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
import { constant } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { tierOf } from "../../tier";
import { failureOf } from "./failure";
import { incompleteReason } from "./finish-reason";
import { Item, ITEM_CALL, ITEM_CUSTOM, ITEM_MESSAGE, ITEM_REASONING } from "./item";
import { ItemReader } from "./read-output";
import { readCharges, readUsage } from "./read-usage";

const REFUSAL_DELTA = constant("response.refusal.delta");
const INCOMPLETE = constant("response.incomplete");

const OUTPUT = constant("output");
const STATUS = constant("status");

export class OpenaiResponsesReader extends ResponseReader {
  private items: ItemReader = new ItemReader(this.sink, this.translation);
  /** What a repeated event continues. */
  private repeats: Item | null = null;
  private repeatsPart: i64 = NO_COUNT;
  private repeatsSummary: bool = false;
  /** Members of the current event, or NO_NODE. */
  private type: u32 = NO_NODE;
  private delta: u32 = NO_NODE;
  private item: u32 = NO_NODE;
  private itemId: u32 = NO_NODE;
  /** `logprobs`, which is empty unless the client has asked for them. */
  private list: u32 = NO_NODE;
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
    else if (tape.equals(type, constant("response.output_item.added"))) {
      this.begin();
      this.items.add(tape, this.index, this.item);
    } else if (tape.equals(type, constant("response.output_item.done"))) {
      this.begin();
      this.items.finish(tape, this.index, this.item);
    } else if (tape.equals(type, constant("response.function_call_arguments.done")))
      this.readCallEnd(tape, ITEM_CALL);
    else if (tape.equals(type, constant("response.custom_tool_call_input.done")))
      this.readCallEnd(tape, ITEM_CUSTOM);
    else if (tape.equals(type, constant("response.output_text.annotation.added")))
      this.readAnnotation(tape);
    else if (tape.equals(type, constant("keepalive"))) this.sink.ping();
    else if (
      tape.equals(type, constant("response.created")) ||
      tape.equals(type, constant("response.in_progress"))
    )
      this.readHead(tape, this.response);
    else if (tape.equals(type, constant("response.completed")) || tape.equals(type, INCOMPLETE))
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
    if (tape.equals(status, constant("queued")) || tape.equals(status, constant("in_progress"))) {
      this.fail(
        new Fault(502, "The provider responds in the background, which was not asked for."),
      );
      return;
    }
    if (!tape.isArray(tape.member(root, OUTPUT))) {
      this.fail(new Fault(502, "The provider's response has no output."));
      return;
    }
    this.readEnd(tape, root);
  }

  private readMembers(tape: Tape): void {
    this.type = NO_NODE;
    this.delta = NO_NODE;
    this.item = NO_NODE;
    this.itemId = NO_NODE;
    this.list = NO_NODE;
    this.response = NO_NODE;
    this.index = NO_COUNT;
    this.part = NO_COUNT;
    const root = tape.root();
    if (!tape.isObject(root)) return;
    for (let key = tape.first(root), end = tape.next(root); key < end; key = tape.next(key + 1)) {
      const value = key + 1;
      if (tape.equals(key, constant("type"))) this.type = value;
      else if (tape.equals(key, constant("delta"))) this.delta = value;
      else if (tape.equals(key, constant("item_id"))) this.itemId = value;
      else if (tape.equals(key, constant("output_index"))) this.index = readCount(tape, value);
      else if (tape.equals(key, constant("summary_index"))) this.part = readCount(tape, value);
      else if (tape.equals(key, constant("content_index"))) this.part = readCount(tape, value);
      else if (tape.equals(key, constant("sequence_number"))) this.readNumber(tape, value);
      else if (tape.equals(key, constant("obfuscation"))) this.readNoise(tape, value);
      else if (tape.equals(key, constant("item"))) this.item = value;
      else if (tape.equals(key, constant("response"))) this.response = value;
      else if (tape.equals(key, constant("logprobs"))) this.list = value;
    }
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
    const isSummary = tape.equals(type, constant("response.reasoning_summary_text.delta"));
    let kind = ITEM_MESSAGE;
    if (isSummary || tape.equals(type, constant("response.reasoning_text.delta")))
      kind = ITEM_REASONING;
    else if (tape.equals(type, constant("response.function_call_arguments.delta")))
      kind = ITEM_CALL;
    else if (tape.equals(type, constant("response.custom_tool_call_input.delta")))
      kind = ITEM_CUSTOM;
    else if (
      !tape.equals(type, constant("response.output_text.delta")) &&
      !tape.equals(type, REFUSAL_DELTA)
    )
      return;
    this.begin();
    const item = this.items.itemOf(tape, this.index, this.itemId, kind);
    if (item === null) return;
    if (tape.equals(type, REFUSAL_DELTA)) {
      this.items.refusal(item, tape.pointer(delta), tape.size(delta));
      return;
    }
    if (this.list != NO_NODE) this.items.logprobs(item, tape, this.list);
    this.repeats = item;
    this.repeatsPart = this.part;
    this.repeatsSummary = isSummary;
    this.goOn(item, tape.pointer(delta), tape.size(delta));
    if (!tape.isArray(this.list) || tape.isEmpty(this.list)) this.canRepeat(tape, delta);
  }

  private readCallEnd(tape: Tape, kind: i32): void {
    this.begin();
    const item = this.items.itemOf(tape, this.index, this.itemId, kind);
    const text = tape.member(
      tape.root(),
      kind == ITEM_CALL ? constant("arguments") : constant("input"),
    );
    if (item !== null) this.items.callEnd(tape, item, text);
  }

  private readAnnotation(tape: Tape): void {
    this.begin();
    const item = this.items.itemOf(tape, this.index, this.itemId, ITEM_MESSAGE);
    if (item !== null)
      this.items.cite(tape, item, tape.member(tape.root(), constant("annotation")));
  }

  private readHead(tape: Tape, response: u32): void {
    if (this.hasBegun) return;
    const head = this.translation.head;
    this.replace(head.id, tape, tape.member(response, constant("id")));
    this.replace(head.model, tape, tape.member(response, constant("model")));
    head.setCreated(readCount(tape, tape.member(response, constant("created_at"))));
    const tier = tape.member(response, constant("service_tier"));
    const served = tierOf(tape, tier);
    if (served != TIER_STANDARD || tape.equals(tier, constant("default"))) head.tier = served;
    this.begin();
  }

  /** Reads the response after its last item; a complete response has the same members. */
  private readEnd(tape: Tape, response: u32): void {
    this.readHead(tape, response);
    this.items.finishAll(tape, tape.member(response, OUTPUT));
    const usage = tape.member(response, constant("usage"));
    if (tape.isObject(usage)) readUsage(tape, usage, this.translation.usage);
    readCharges(tape, response, usage, this.translation.usage);
    this.finishReason = this.reasonOf(tape, response);
    if (this.finishReason == FINISH_UNKNOWN) this.translation.dropped.add(DROPPED_FINISH_REASON);
    this.sink.finish(this.finishReason, 0, 0);
    this.endOfStream();
  }

  private reasonOf(tape: Tape, response: u32): i32 {
    const isIncomplete =
      tape.equals(this.type, INCOMPLETE) ||
      tape.equals(tape.member(response, STATUS), constant("incomplete"));
    if (isIncomplete) return incompleteReason(tape, response);
    if (this.items.hasCalls) return FINISH_TOOLS;
    return this.items.hasRefusal ? FINISH_REFUSAL : FINISH_STOP;
  }
}
