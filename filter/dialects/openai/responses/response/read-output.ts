// Reads the items of a response into the hub's events: whole, or in the events of a stream. Providers of this format omit
// `output_index`, change an item's id between two events, or send arguments and texts only with the end of their item.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import {
  DROPPED_BLOCK,
  DROPPED_CITATION,
  DROPPED_SERVER_TOOL,
  DROPPED_SIGNATURE,
  DROPPED_TOOL_ARGUMENTS,
  DROPPED_TOOL_CALL,
} from "../../../../hub/dropped";
import { Citation, ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { appendGeneratedId } from "../../../../hub/response/generated-id";
import { CARRIER_ENCRYPTED } from "../../../../hub/reasoning-carrier";
import { BLANK_LINE } from "../../../../hub/request/request-writing";
import { NO_COUNT } from "../../../../bytes/json/number";
import { minify } from "../../../../bytes/json/minify";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { escape, isBoundary } from "../../../../bytes/json/text";
import { startsWith } from "../../../../bytes/text/at";
import { ByteBuffer, constant, sameBytes } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { hostedCallOf } from "./read-hosted";
import {
  Item,
  ITEM_CALL,
  ITEM_CUSTOM,
  ITEM_MESSAGE,
  ITEM_OTHER,
  ITEM_REASONING,
  ITEM_SEARCH,
} from "./item";

const TYPE = constant("type");
const ID = constant("id");
const CALL_ID = constant("call_id");
const CONTENT = constant("content");
const TEXT = constant("text");
const CALL_SUFFIX = constant("_call");
/** Around the input of a custom tool, which is a text, in the arguments of a function: the inside of a JSON string. */
const INPUT_BEGIN = constant('{\\"input\\":\\"');
const INPUT_END = constant('\\"}');

/** More items in one response are dropped and counted. */
const MAX_ITEMS: i32 = 1024;

export class ItemReader {
  hasCalls: bool = false;
  hasRefusal: bool = false;
  private items: Array<Item> = [];
  private calls: i32 = 0;
  private citation: Citation = new Citation();
  private scratch: ByteBuffer = new ByteBuffer();

  constructor(
    private sink: ResponseSink,
    private translation: Translation,
  ) {}

  release(): void {
    this.scratch.release();
  }

  /** An item begins: response.output_item.added. */
  add(tape: Tape, index: i64, node: u32): void {
    const item = this.push(index, kindOf(tape, node));
    if (item === null) return;
    item.setIds(tape, tape.member(node, ID), tape.member(node, CALL_ID));
    if (item.isCall) this.beginCall(tape, item, node);
  }

  /** An item is complete: response.output_item.done, or an item of a complete response. */
  finish(tape: Tape, index: i64, node: u32): void {
    this.finishAmong(tape, index, node, this.items.length);
  }

  /** `count`: how many of the items it may be; more have ended already, and xAI gives all reasoning of a response one id. */
  private finishAmong(tape: Tape, index: i64, node: u32, count: i32): void {
    const kind = kindOf(tape, node);
    let item = this.find(tape, index, tape.member(node, ID), kind, count);
    if (item === null) {
      this.add(tape, index, node);
      item = this.last();
      if (item === null || item.kind != kind) return;
    }
    this.complete(tape, item, node);
  }

  /**
   * Completes the items that have not ended, at the end of the response. `output`: all items in their order, if the provider
   * repeats them; those that no event had are read from it. What ran at the provider and was cut is dropped.
   */
  finishAll(tape: Tape, output: u32): void {
    let position = 0;
    const count = this.items.length;
    if (tape.isArray(output)) {
      const end = tape.next(output);
      for (let node = tape.first(output); node < end; node = tape.next(node)) {
        const item = position < count ? unchecked(this.items[position]) : null;
        position++;
        if (item === null) this.finishAmong(tape, NO_COUNT, node, count);
        else if (!item.isDone && item.kind == kindOf(tape, node)) this.complete(tape, item, node);
      }
    }
    for (let i = 0; i < this.items.length; i++) {
      const item = unchecked(this.items[i]);
      if (!item.isDone && !item.isCall && !item.isBlock)
        this.translation.dropped.add(DROPPED_SERVER_TOOL);
      this.close(item);
    }
  }

  /** Returns the item that an event belongs to, which may be a new one; null if there are too many. `id`: `item_id`. */
  itemOf(tape: Tape, index: i64, id: u32, kind: i32): Item | null {
    const item = this.find(tape, index, id, kind, this.items.length);
    return item === null ? this.push(index, kind) : item;
  }

  text(item: Item, pointer: usize, length: u32): void {
    if (length == 0 || item.isDone) return;
    item.received += length;
    this.sink.text(pointer, length);
  }

  /** The log probabilities of the text after it: a list, of which the form is that of chat completions. */
  logprobs(item: Item, tape: Tape, list: u32): void {
    if (item.isDone || !tape.isArray(list) || tape.isEmpty(list)) return;
    item.hasLogprobs = true;
    const entries = this.scratch;
    entries.clear();
    entries.bytes(tape.pointer(list), tape.size(list));
    minify(entries);
    // Without memory for the list, the response ends with that error.
    if (entries.length < 2) return;
    this.sink.logprobs(entries.pointer + 1, entries.length - 2);
  }

  texts(item: Item, texts: TextRuns): void {
    if (item.isDone) return;
    item.received += texts.bytes;
    this.sink.texts(texts);
  }

  refusal(item: Item, pointer: usize, length: u32): void {
    if (length == 0 || item.isDone) return;
    item.received += length;
    this.hasRefusal = true;
    this.sink.refusal(pointer, length);
  }

  /** `part`: the index of the summary or of the content. `isSummary`: else it is the reasoning itself; the first kind counts. */
  reasoning(item: Item, part: i64, isSummary: bool, pointer: usize, length: u32): void {
    if (length == 0 || item.isDone) return;
    if (item.received == 0) item.isSummary = isSummary;
    else if (item.isSummary != isSummary) return;
    else if (item.part != part) this.sink.reasoning(BLANK_LINE.pointer, BLANK_LINE.length);
    item.part = part;
    item.received += length;
    this.sink.reasoning(pointer, length);
  }

  /** A fragment of a call's arguments, or of a custom tool's input. Before the call's name it waits for the item's end. */
  callText(item: Item, pointer: usize, length: u32): void {
    if (length == 0 || item.isDone || item.slot < 0) return;
    if (item.kind == ITEM_CUSTOM) {
      if (item.received == 0) this.arguments(item, INPUT_BEGIN.pointer, INPUT_BEGIN.length);
      this.scratch.clear();
      escape(pointer, length, this.scratch);
      this.arguments(item, this.scratch.pointer, this.scratch.length);
    } else {
      this.arguments(item, pointer, length);
    }
    item.received += length;
  }

  /** The whole text of a call: what its fragments lacked is added, and the call ends. */
  callEnd(tape: Tape, item: Item, node: u32): void {
    if (item.isDone || item.slot < 0) return;
    if (tape.isString(node)) {
      const size = tape.size(node);
      const text = tape.pointer(node);
      // A text that does not continue what came before may begin anywhere.
      if (!isBoundary(text, size, min(item.received, size)))
        this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
      else if (size > item.received)
        this.callText(item, text + item.received, size - item.received);
    } else if (tape.isObject(node) && item.received == 0 && item.kind == ITEM_CALL) {
      this.scratch.clear();
      escape(tape.pointer(node), tape.size(node), this.scratch);
      this.arguments(item, this.scratch.pointer, this.scratch.length);
    }
    this.close(item);
  }

  /** Reads an annotation of a text. */
  cite(tape: Tape, item: Item, node: u32): void {
    if (item.isDone) return;
    item.hasCitations = true;
    const url = tape.member(node, constant("url"));
    if (!tape.equals(tape.member(node, TYPE), constant("url_citation")) || !tape.isString(url)) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    this.citation.set(tape, url, tape.member(node, constant("title")), NO_NODE);
    this.sink.citation(this.citation);
  }

  private arguments(item: Item, pointer: usize, length: u32): void {
    this.sink.toolArguments(item.slot, pointer, length);
  }

  private push(index: i64, kind: i32): Item | null {
    if (this.items.length >= MAX_ITEMS) {
      this.translation.dropped.add(DROPPED_BLOCK);
      return null;
    }
    // Texts and reasoning do not go on after the next item; calls, and what runs at the provider, may.
    const last = this.last();
    if (last !== null && last.isBlock) this.close(last);
    // A search is charged although its end may not come.
    if (kind == ITEM_SEARCH) this.translation.usage.searches++;
    const item = new Item(index, kind);
    this.items.push(item);
    return item;
  }

  private last(): Item | null {
    return this.items.length > 0 ? unchecked(this.items[this.items.length - 1]) : null;
  }

  /** Returns the item of the first `count` with this index, else with this id, else the last of all; null if it is of another kind. */
  private find(tape: Tape, index: i64, id: u32, kind: i32, count: i32): Item | null {
    let found: Item | null = null;
    for (let i = min(count, this.items.length) - 1; i >= 0 && found === null; i--) {
      const item = unchecked(this.items[i]);
      const isSame = index != NO_COUNT ? item.index == index : item.hasId(tape, id);
      if (isSame && item.kind == kind) found = item;
    }
    if (found !== null || index != NO_COUNT) return found;
    const last = this.last();
    return last !== null && last.kind == kind && !last.isDone ? last : null;
  }

  private beginCall(tape: Tape, item: Item, node: u32): void {
    const name = tape.member(node, constant("name"));
    if (item.slot >= 0 || !tape.isString(name) || tape.size(name) == 0) return;
    let id = tape.member(node, CALL_ID);
    if (tape.size(id) == 0 || !tape.isString(id)) id = tape.member(node, ID);
    this.hasCalls = true;
    item.slot = this.calls++;
    let pointer = tape.pointer(id);
    let length = tape.isString(id) ? tape.size(id) : 0;
    if (length == 0) {
      const made = this.scratch;
      made.clear();
      appendGeneratedId(constant("call_"), this.translation.requestId, item.slot, made);
      pointer = made.pointer;
      length = made.length;
    }
    this.sink.toolBegin(item.slot, pointer, length, tape.pointer(name), tape.size(name));
  }

  private complete(tape: Tape, item: Item, node: u32): void {
    if (item.isCall) {
      this.beginCall(tape, item, node);
      if (item.slot < 0 && !item.isDone) this.translation.dropped.add(DROPPED_TOOL_CALL);
      this.callEnd(
        tape,
        item,
        tape.member(node, item.kind == ITEM_CALL ? constant("arguments") : constant("input")),
      );
    } else if (item.kind == ITEM_MESSAGE) {
      this.completeMessage(tape, item, node);
    } else if (item.kind == ITEM_REASONING) {
      this.completeReasoning(tape, item, node);
    } else if (!item.isDone) {
      this.readOther(tape, node);
    }
    this.close(item);
  }

  private completeMessage(tape: Tape, item: Item, node: u32): void {
    const hadText = item.received > 0;
    const hadCitations = item.hasCitations;
    const hadLogprobs = item.hasLogprobs;
    const content = tape.member(node, CONTENT);
    if (tape.isString(content) && !hadText)
      this.text(item, tape.pointer(content), tape.size(content));
    if (!tape.isArray(content)) return;
    const end = tape.next(content);
    for (let part = tape.first(content); part < end; part = tape.next(part)) {
      const text = tape.member(part, TEXT);
      const refusal = tape.member(part, constant("refusal"));
      if (!hadLogprobs) this.logprobs(item, tape, tape.member(part, constant("logprobs")));
      if (!hadText && tape.isString(text)) this.text(item, tape.pointer(text), tape.size(text));
      if (!hadText && tape.isString(refusal))
        this.refusal(item, tape.pointer(refusal), tape.size(refusal));
      if (!hadCitations) this.citeAll(tape, item, tape.member(part, constant("annotations")));
    }
  }

  private citeAll(tape: Tape, item: Item, list: u32): void {
    if (!tape.isArray(list)) return;
    const end = tape.next(list);
    for (let entry = tape.first(list); entry < end; entry = tape.next(entry))
      this.cite(tape, item, entry);
  }

  /** `encrypted_content` counts only here: an item's beginning has a different one. */
  private completeReasoning(tape: Tape, item: Item, node: u32): void {
    if (item.received == 0) {
      this.readThoughts(tape, item, tape.member(node, constant("summary")), true);
      this.readThoughts(tape, item, tape.member(node, CONTENT), false);
    }
    const data = tape.member(node, constant("encrypted_content"));
    if (!tape.isString(data) || tape.size(data) == 0) return;
    if (item.isDone) this.translation.dropped.add(DROPPED_SIGNATURE);
    else this.sink.signature(CARRIER_ENCRYPTED, tape.pointer(data), tape.size(data));
  }

  private readThoughts(tape: Tape, item: Item, list: u32, isSummary: bool): void {
    if (!tape.isArray(list)) return;
    let index: i64 = 0;
    const end = tape.next(list);
    for (let part = tape.first(list); part < end; part = tape.next(part)) {
      const text = tape.member(part, TEXT);
      if (tape.isString(text))
        this.reasoning(item, index, isSummary, tape.pointer(text), tape.size(text));
      index++;
    }
  }

  private close(item: Item): void {
    if (item.isDone) return;
    item.isDone = true;
    if (item.isCall) {
      if (item.slot < 0) return;
      if (item.kind == ITEM_CUSTOM) {
        if (item.received == 0) this.arguments(item, INPUT_BEGIN.pointer, INPUT_BEGIN.length);
        this.arguments(item, INPUT_END.pointer, INPUT_END.length);
      }
      this.sink.toolEnd(item.slot);
    } else if (item.isBlock) {
      this.sink.blockEnd();
    }
  }

  /** Reads what OpenAI's servers did; an unknown item is dropped. */
  private readOther(tape: Tape, node: u32): void {
    const type = tape.member(node, TYPE);
    const call = hostedCallOf(tape, node, type);
    if (call !== null) {
      this.sink.hosted(call);
      call.release();
      return;
    }
    const size = tape.size(type);
    const suffix = CALL_SUFFIX.length;
    const isCall =
      size > suffix &&
      sameBytes(tape.pointer(type) + size - suffix, suffix, CALL_SUFFIX.pointer, suffix);
    const isTool = isCall || startsWith(tape.pointer(type), size, constant("mcp_"));
    this.translation.dropped.add(isTool ? DROPPED_SERVER_TOOL : DROPPED_BLOCK);
  }
}

function kindOf(tape: Tape, node: u32): i32 {
  const type = tape.member(node, TYPE);
  if (tape.equals(type, constant("message"))) return ITEM_MESSAGE;
  if (tape.equals(type, constant("function_call"))) return ITEM_CALL;
  if (tape.equals(type, constant("reasoning"))) return ITEM_REASONING;
  if (tape.equals(type, constant("custom_tool_call"))) return ITEM_CUSTOM;
  return tape.equals(type, constant("web_search_call")) ? ITEM_SEARCH : ITEM_OTHER;
}
