// Turns the blocks of a response into output items: a message for each run of text, a reasoning item for each block of
// reasoning, an item for each call. Streams and complete responses build the same bytes; a stream also reports each step.
//
// A message and a call end when the next item begins or the response is finished, because only the reason of the finish
// decides whether they are complete. Items never interleave, so the position in `output` is their `output_index`.
import { BlockWriter } from "../../../../hub/response/block-writer";
import { unwrapInput } from "../../../../hub/request/custom-input";
import {
  DROPPED_CITATION,
  DROPPED_FINISH_REASON,
  DROPPED_TOOL_ARGUMENTS,
} from "../../../../hub/dropped";
import { KIND_COMPUTER, KIND_CUSTOM, KIND_FUNCTION } from "../../../../hub/request/client-tools";
import { HOSTED_CODE, HOSTED_MCP, HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import { HostedCall, partOf } from "../../../../hub/response/hosted-call";
import { Citation } from "../../../../hub/response/events";
import {
  FINISH_CONTEXT,
  FINISH_LENGTH,
  FINISH_REFUSAL,
} from "../../../../hub/response/finish-reason";
import {
  CARRIER_SIGNED,
  HOSTED_MARK,
  MARK_REDACTED,
  MARK_SIGNATURE,
} from "../../../../hub/reasoning-carrier";
import { Translation } from "../../../../hub/response/translation";
import { scan, SCAN_OK } from "../../../../bytes/json/scan";
import { scratchTape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { countCharacters } from "../../../../bytes/json/count-characters";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { isInexact } from "../../finish-reason";
import { ARGUMENTS, Content, INPUT, REFUSAL, SUMMARY, TEXT } from "./content";
import { writeAction } from "../computer-actions";
import { writeStem } from "../response-id";

const NO_ITEM: i32 = 0;
const MESSAGE: i32 = 1;
const CALL: i32 = 2;
const REASONING: i32 = 3;
const COMPUTER: i32 = 4;

const NO_ARGUMENTS = constant("{}");

/** The rest of an item that has just begun. */
const MESSAGE_REST = constant('],"status":"in_progress"}');
const REASONING_REST = constant("]}");

const inputTape = scratchTape();

const STRING_END = constant('"}');

export const COMPLETED = constant("completed");
export const INCOMPLETE = constant("incomplete");
const NOTHING = constant("");

/**
 * By HOSTED_: the type, what is before its input, what an item lacks while it runs, what is before and after its output, and what
 * is before that of a failure.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
const HOSTED: StaticArray<Span> = [
  constant(
    'web_search_call\n","action":{"type":"search","query":"\n"},"status":"in_progress"}\n","sources":[\n]}\n","sources":[\n',
  ),
  constant(
    'code_interpreter_call\n","container_id":"","code":"\n","outputs":null,"status":"in_progress"}\n","outputs":[{"type":"logs","logs":"\n"}]\n","outputs":[{"type":"logs","logs":"\n',
  ),
  constant(
    'mcp_call\n","approval_request_id":null,"name":"\n","error":null,"output":null,"status":"in_progress"}\n","error":null,"output":"\n"\n","output":null,"error":"\n',
  ),
];
const HOSTED_TYPE: i32 = 0;
const HOSTED_OPEN: i32 = 1;
const HOSTED_REST: i32 = 2;
const HOSTED_OUTPUT: i32 = 3;
const HOSTED_CLOSE: i32 = 4;
const HOSTED_FAILURE: i32 = 5;

export abstract class ItemWriter extends BlockWriter {
  /** The open item's `output_index`; the number of items before the first one is -1. */
  protected outputIndex: i32 = -1;
  protected itemId: ByteBuffer = new ByteBuffer();
  /** Where in `items` the open item begins, and where the finished ones end. */
  protected itemStart: u32 = 0;
  protected finished: u32 = 0;
  /** The kind of the open text, its index in the item, and where in `items` its part and its text begin. */
  protected content: Content = TEXT;
  protected contentIndex: i32 = -1;
  protected partStart: u32 = 0;
  protected textStart: u32 = 0;
  private kind: i32 = NO_ITEM;
  private hasMessage: bool = false;
  private hasRefusal: bool = false;
  /** The sources of the open text or, if they come first, of the next one; and where each of them ends. */
  private citations: ByteBuffer = new ByteBuffer();
  private citationEnds: Array<u32> = [];
  /** From where to where in the text each of them stands; 0 for the whole text. Characters. */
  private citationPlaces: Array<i64> = [];
  /** The arguments of the open custom call, which are unwrapped when they are whole. */
  private wrapped: ByteBuffer = new ByteBuffer();
  private unwrapped: ByteBuffer = new ByteBuffer();
  private toolKind: u32 = KIND_FUNCTION;

  constructor(
    out: ByteBuffer,
    translation: Translation,
    /** Finished items, comma-separated, and the open one as far as it is known. */
    protected items: ByteBuffer,
  ) {
    super(out, translation);
  }

  /** An item has begun; `rest` is what its beginning in `items` lacks. */
  protected abstract itemAdded(rest: Span): void;
  protected abstract contentAdded(): void;
  protected abstract contentDelta(pointer: usize, length: u32): void;
  /** The last bytes of `items`, from `start`, are an annotation of the open text. */
  protected abstract annotationAdded(index: i32, start: u32): void;
  /** The text is whole: from `textStart` to `textEnd`; its part ends with `items`. */
  protected abstract contentDone(textEnd: u32): void;
  protected abstract itemDone(): void;

  refusal(pointer: usize, length: u32): void {
    this.hasRefusal = true;
    this.refusalBlock(pointer, length);
  }

  /** A citation without a place covers its whole block of text, before or inside of which it comes. */
  citation(citation: Citation): void {
    const citations = this.citations;
    if (citation.urlLength == 0) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    citations.text(',"url":"');
    citations.bytes(citation.url, citation.urlLength);
    citations.text('","title":"');
    citations.bytes(citation.title, citation.titleLength);
    citations.span(STRING_END);
    this.citationEnds.push(citations.length);
    this.citationPlaces.push(citation.hasRange ? citation.from : 0);
    this.citationPlaces.push(citation.hasRange ? citation.to : 0);
  }

  finish(reason: i32, sequence: usize, sequenceLength: u32): void {
    super.finish(reason, sequence, sequenceLength);
    if (isInexact(reason)) this.translation.dropped.add(DROPPED_FINISH_REASON);
    const isComplete = this.incompleteReason.length == 0;
    // A turn without a message and without a call makes agents ask for another one.
    if (isComplete && !this.hasMessage && !this.hasTools) {
      this.openText();
      this.closeText();
    }
    for (let i = 0; i < this.citationEnds.length; i++)
      this.translation.dropped.add(DROPPED_CITATION);
    this.endItem(isComplete ? COMPLETED : INCOMPLETE);
  }

  /** Why the finished response is incomplete; empty if it is complete. */
  protected get incompleteReason(): Span {
    const reason = this.reason;
    if (reason == FINISH_LENGTH || reason == FINISH_CONTEXT) return constant("max_output_tokens");
    return reason == FINISH_REFUSAL && !this.hasRefusal ? constant("content_filter") : NOTHING;
  }

  release(): void {
    super.release();
    this.itemId.release();
    this.citations.release();
    this.wrapped.release();
    this.unwrapped.release();
  }

  protected openText(): void {
    this.openMessagePart(TEXT);
  }

  protected putText(pointer: usize, length: u32): void {
    this.put(pointer, length);
  }

  /** Citations wait for the end of their text: see `citation`. */
  protected putCitation(_citation: Citation): void {}

  protected closeText(): void {
    if (this.citationEnds.length == 0) {
      this.closePart();
      return;
    }
    const items = this.items;
    const textEnd = items.length;
    items.text('","annotations":[');
    this.putCitations(countCharacters(items.pointer + this.textStart, textEnd - this.textStart));
    items.text('],"logprobs":[]}');
    this.contentDone(textEnd);
  }

  protected openRefusal(): void {
    this.openMessagePart(REFUSAL);
  }

  protected closeRefusal(): void {
    this.closePart();
  }

  protected openReasoning(): void {
    this.startItem(REASONING, constant("rs_"), constant('","type":"reasoning","summary":['));
    this.itemAdded(REASONING_REST);
  }

  protected putReasoning(pointer: usize, length: u32): void {
    if (this.contentIndex < 0) this.openPart(SUMMARY);
    this.put(pointer, length);
  }

  protected putSignature(carrier: i32, pointer: usize, length: u32): void {
    if (this.contentIndex >= 0) this.closePart();
    this.putEncrypted(carrier == CARRIER_SIGNED ? MARK_SIGNATURE : NOTHING, pointer, length);
  }

  protected closeReasoning(): void {
    if (!this.isSigned) {
      if (this.contentIndex >= 0) this.closePart();
      const mark = this.translation.reasoningMark;
      if (mark === null) this.items.span(REASONING_REST);
      else this.putEncrypted(NOTHING, mark.pointer, mark.length);
    }
    this.itemEnds();
  }

  protected putRedacted(pointer: usize, length: u32): void {
    this.openReasoning();
    this.putEncrypted(MARK_REDACTED, pointer, length);
    this.itemEnds();
  }

  /** Writes a call with the name and the kind that the client has declared. */
  protected openTool(id: usize, idLength: u32, name: usize, nameLength: u32): void {
    const tool = this.translation.notes.tools.find(name, nameLength);
    const kind = tool === null ? KIND_FUNCTION : tool.kind;
    const isCustom = kind == KIND_CUSTOM;
    this.toolKind = kind;
    this.wrapped.clear();
    if (kind > KIND_CUSTOM) {
      this.startItem(COMPUTER, constant("cu_"), constant('","type":"computer_call","call_id":"'));
      this.items.bytes(id, idLength);
      this.items.text('","pending_safety_checks":[]');
      this.itemAdded(constant(',"status":"in_progress"}'));
      return;
    }
    if (isCustom)
      this.startItem(CALL, constant("ctc_"), constant('","type":"custom_tool_call","call_id":"'));
    else this.startItem(CALL, constant("fc_"), constant('","type":"function_call","call_id":"'));
    const items = this.items;
    items.bytes(id, idLength);
    items.text('","name":"');
    if (tool === null) {
      items.bytes(name, nameLength);
    } else {
      items.bytes(tool.name, tool.nameLength);
      if (tool.spaceLength > 0) {
        items.text('","namespace":"');
        items.bytes(tool.space, tool.spaceLength);
      }
    }
    items.span(isCustom ? constant('","input":"') : constant('","arguments":"'));
    this.itemAdded(constant('","status":"in_progress"}'));
    this.content = isCustom ? INPUT : ARGUMENTS;
    this.textStart = items.length;
    this.contentAdded();
  }

  protected putArguments(pointer: usize, length: u32): void {
    if (this.toolKind != KIND_FUNCTION) this.wrapped.bytes(pointer, length);
    else this.put(pointer, length);
  }

  protected closeTool(): void {
    if (this.toolKind > KIND_CUSTOM) {
      this.putAction();
      return;
    }
    if (this.toolKind == KIND_CUSTOM) {
      const input = this.unwrapped;
      input.clear();
      unwrapInput(this.wrapped.pointer, this.wrapped.length, input);
      if (input.length > 0) this.put(input.pointer, input.length);
    } else if (this.items.length == this.textStart) {
      this.put(NO_ARGUMENTS.pointer, NO_ARGUMENTS.length);
    }
    this.contentDone(this.items.length);
  }

  /** Writes the action of a computer's call, unless the call was cut. */
  private putAction(): void {
    const input = this.unwrapped;
    input.clear();
    if (this.wrapped.length == 0) this.wrapped.span(NO_ARGUMENTS);
    unescape(this.wrapped.pointer, this.wrapped.length, input);
    input.reserve(0);
    if (scan(inputTape, input.pointer, input.length) != SCAN_OK) return;
    const isList = this.toolKind == KIND_COMPUTER;
    this.items.span(isList ? constant(',"actions":[') : constant(',"action":'));
    if (!writeAction(inputTape, this.items)) this.translation.dropped.add(DROPPED_TOOL_ARGUMENTS);
    if (isList) this.items.byte(0x5d);
    inputTape.reset();
  }

  /** Writes an item of OpenAI's own tools, of which a stream reports the steps; only MCP has one for failures. */
  protected putHosted(call: HostedCall): void {
    const words = HOSTED[call.kind];
    const items = this.items;
    this.startItem(CALL, HOSTED_MARK, constant('","type":"'));
    items.span(partOf(words, HOSTED_TYPE));
    items.span(partOf(words, HOSTED_OPEN));
    if (call.kind == HOSTED_MCP) {
      items.bytes(call.name.pointer, call.name.length);
      items.text('","server_label":"');
      items.bytes(call.server.pointer, call.server.length);
      items.text('","arguments":"');
    }
    if (call.kind == HOSTED_MCP && call.input.length == 0) items.span(NO_ARGUMENTS);
    else items.bytes(call.input.pointer, call.input.length);
    this.itemAdded(partOf(words, HOSTED_REST));
    const type = partOf(words, HOSTED_TYPE);
    this.hostedStep(type, constant(".in_progress"), NOTHING, call);
    if (call.kind == HOSTED_CODE) {
      this.hostedStep(type, constant("_code.delta"), constant("delta"), call);
      this.hostedStep(type, constant("_code.done"), constant("code"), call);
    }
    const hasFailed = call.isError && call.kind == HOSTED_MCP;
    this.hostedStep(type, hasFailed ? constant(".failed") : constant(".completed"), NOTHING, call);
    items.span(partOf(words, call.isError ? HOSTED_FAILURE : HOSTED_OUTPUT));
    if (call.kind == HOSTED_SEARCH)
      call.writePages(constant('{"type":"url","url":"'), NOTHING, STRING_END, items);
    else items.bytes(call.output.pointer, call.output.length);
    items.span(partOf(words, HOSTED_CLOSE));
    items.text(',"status":"');
    items.span(call.isError ? constant("failed") : COMPLETED);
    items.span(STRING_END);
    this.itemEnds();
  }

  /** A step of an item, with its input in `member` if that is not empty. */
  protected abstract hostedStep(type: Span, step: Span, member: Span, call: HostedCall): void;

  private openMessagePart(content: Content): void {
    if (this.kind != MESSAGE) {
      this.startItem(
        MESSAGE,
        constant("msg_"),
        constant('","type":"message","role":"assistant","content":['),
      );
      this.hasMessage = true;
      this.itemAdded(MESSAGE_REST);
    }
    if (this.contentIndex >= 0) this.items.byte(0x2c);
    this.openPart(content);
  }

  private openPart(content: Content): void {
    this.content = content;
    this.contentIndex++;
    this.partStart = this.items.length;
    this.items.span(content.open);
    this.textStart = this.items.length;
    this.contentAdded();
  }

  private put(pointer: usize, length: u32): void {
    this.items.bytes(pointer, length);
    this.contentDelta(pointer, length);
  }

  private closePart(): void {
    const textEnd = this.items.length;
    this.items.span(this.content.close);
    this.contentDone(textEnd);
  }

  private putEncrypted(mark: Span, pointer: usize, length: u32): void {
    const items = this.items;
    items.text('],"encrypted_content":"');
    items.span(mark);
    items.bytes(pointer, length);
    items.span(STRING_END);
  }

  /** `characters`: of the text. */
  private putCitations(characters: u32): void {
    const items = this.items;
    let from: u32 = 0;
    for (let i = 0; i < this.citationEnds.length; i++) {
      const to = unchecked(this.citationEnds[i]);
      if (i > 0) items.byte(0x2c);
      const start = items.length;
      const placeEnd = unchecked(this.citationPlaces[2 * i + 1]);
      items.text('{"type":"url_citation","start_index":');
      items.integer(unchecked(this.citationPlaces[2 * i]));
      items.text(',"end_index":');
      items.integer(placeEnd > 0 ? placeEnd : characters);
      items.bytes(this.citations.pointer + from, to - from);
      this.annotationAdded(i, start);
      from = to;
    }
    this.citationEnds.length = 0;
    this.citationPlaces.length = 0;
    this.citations.clear();
  }

  private startItem(kind: i32, prefix: Span, start: Span): void {
    this.endItem(COMPLETED);
    this.kind = kind;
    this.contentIndex = -1;
    const id = this.itemId;
    id.clear();
    id.span(prefix);
    writeStem(this.translation.head.id, id);
    id.byte(0x5f);
    id.integer(++this.outputIndex);
    const items = this.items;
    if (this.outputIndex > 0) items.byte(0x2c);
    this.itemStart = items.length;
    items.text('{"id":"');
    items.bytes(id.pointer, id.length);
    items.span(start);
  }

  /** Ends the open item, unless it was reasoning, which ends with its block. */
  private endItem(status: Span): void {
    if (this.kind == NO_ITEM) return;
    const items = this.items;
    if (this.kind == MESSAGE) items.byte(0x5d);
    else if (this.kind != COMPUTER) items.byte(0x22);
    items.text(',"status":"');
    items.span(status);
    items.span(STRING_END);
    this.itemEnds();
  }

  private itemEnds(): void {
    this.kind = NO_ITEM;
    this.itemDone();
    this.finished = this.items.length;
  }
}
