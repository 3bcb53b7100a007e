// What both writers of chat completions share: the text block that is being written, and what is kept for the end.
import { unwrapInput } from "../../../../hub/request/custom-input";
import {
  DROPPED_CITATION,
  DROPPED_FINISH_REASON,
  DROPPED_SIGNATURE,
  DROPPED_TOOL_CALL,
} from "../../../../hub/dropped";
import { readSignedId } from "../../../../hub/request/signed-call-id";
import { Citation, ResponseSink } from "../../../../hub/response/events";
import { Translation } from "../../../../hub/response/translation";
import { countCharacters } from "../../../../bytes/json/count-characters";
import { writeMember } from "../../../../hub/request/request-writing";
import { Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { TextRuns } from "../../../../bytes/text/text-runs";
import { isInexact } from "../../finish-reason";
import { AnnotationList, ReasoningCarrier } from "./write-extras";

/** OpenAI's maximum of `n`. */
const MAX_CHOICES: i64 = 128;

const input = scratchBuffer();

class Call {
  hasArguments: bool = false;

  constructor(
    /** The arguments of a custom tool's call, which are unwrapped when they are whole; null for a function. */
    public wrapped: ByteBuffer | null,
  ) {}
}

export abstract class OpenaiChatSink extends ResponseSink {
  protected carrier: ReasoningCarrier;
  /** null: there is no citation. */
  protected annotations: AnnotationList | null = null;
  /** The tool calls, by their slots. */
  protected calls: Array<Call> = [];
  /** Whether the next reasoning begins a new block. */
  protected needsBreak: bool = false;
  /** Members of the provider's own, with a comma before each; null if there are none. */
  protected extras: ByteBuffer | null = null;
  private hasReasoning: bool = false;
  /** Characters of the content so far, and before the current text block. */
  private characters: u32 = 0;
  private blockStart: u32 = 0;
  /** Those before the last text block that has ended. */
  private lastStart: u32 = 0;

  /** Which choice of the response it writes, and the sinks of the others, in the first one's. */
  protected index: i32 = 0;
  /** The number of images so far. */
  protected images: i32 = 0;
  protected others: Array<OpenaiChatSink> | null = null;
  /** Log probabilities that are not written yet: entries, comma-separated. null: there were none. */
  private entries: ByteBuffer | null = null;

  constructor(out: ByteBuffer, translation: Translation) {
    super(out, translation);
    this.carrier = new ReasoningCarrier(translation.dropped);
  }

  /** Writes an image as LiteLLM and OpenRouter do. */
  protected putImage(
    type: usize,
    typeLength: u32,
    data: usize,
    length: u32,
    out: ByteBuffer,
  ): void {
    out.text('{"type":"image_url","index":');
    out.integer(this.images++);
    out.text(',"image_url":{"url":"data:');
    out.bytes(type, typeLength);
    out.text(";base64,");
    out.bytes(data, length);
    out.text('"}}');
  }

  protected abstract newChoice(): OpenaiChatSink;

  choice(index: i64): ResponseSink | null {
    if (index < 1 || index >= this.translation.notes.choices || index >= MAX_CHOICES) return null;
    let others = this.others;
    if (others === null) {
      others = [];
      this.others = others;
    }
    while (others.length < <i32>index) {
      const other = this.newChoice();
      others.push(other);
      other.index = others.length;
    }
    const choice = others[<i32>index - 1];
    choice.out = this.out;
    return choice;
  }

  logprobs(pointer: usize, length: u32): void {
    let entries = this.entries;
    if (entries === null) {
      entries = new ByteBuffer();
      this.entries = entries;
    }
    if (entries.length > 0) entries.byte(0x2c);
    entries.bytes(pointer, length);
  }

  protected get hasLogprobs(): bool {
    const entries = this.entries;
    return entries !== null && entries.length > 0;
  }

  /** Writes the value of `logprobs`. */
  protected writeLogprobs(): void {
    const out = this.out;
    const entries = this.entries;
    if (entries === null || entries.length == 0) {
      out.text("null");
      return;
    }
    out.text('{"content":[');
    out.bytes(entries.pointer, entries.length);
    out.text('],"refusal":null}');
    entries.clear();
  }

  text(pointer: usize, length: u32): void {
    this.characters += countCharacters(pointer, length);
    this.putText(pointer, length);
  }

  texts(texts: TextRuns): void {
    for (let i: u32 = 0; i < texts.count; i++)
      this.characters += countCharacters(texts.pointer(i), texts.length(i));
    this.putTexts(texts);
  }

  reasoning(pointer: usize, length: u32): void {
    this.carrier.text(pointer, length);
    this.putReasoning(pointer, length);
    this.hasReasoning = true;
    this.needsBreak = false;
  }

  signature(carrier: i32, pointer: usize, length: u32): void {
    this.carrier.signature(carrier, pointer, length);
  }

  redactedReasoning(pointer: usize, length: u32): void {
    this.carrier.redacted(pointer, length);
  }

  extra(name: Span, tape: Tape, node: u32): void {
    let extras = this.extras;
    if (extras === null) {
      extras = new ByteBuffer();
      this.extras = extras;
    }
    writeMember(tape, node, name, extras);
  }

  protected putExtraMembers(): void {
    const extras = this.extras;
    if (extras !== null) this.out.bytes(extras.pointer, extras.length);
  }

  citation(citation: Citation): void {
    // An annotation has the URL of a page.
    if (citation.urlLength == 0) {
      this.translation.dropped.add(DROPPED_CITATION);
      return;
    }
    let annotations = this.annotations;
    if (annotations === null) {
      annotations = new AnnotationList();
      this.annotations = annotations;
    }
    annotations.add(citation, citation.isLate ? this.lastStart : this.blockStart);
  }

  blockEnd(): void {
    const annotations = this.annotations;
    if (annotations !== null) annotations.blockEnd(this.characters);
    if (this.characters > this.blockStart) this.lastStart = this.blockStart;
    this.blockStart = this.characters;
    this.carrier.blockEnd();
    this.needsBreak = this.hasReasoning;
  }

  /** Whether the client knows one call without an id, `function_call`, instead of tool calls. */
  protected get hasFunctions(): bool {
    return this.translation.notes.hasFunctions;
  }

  /** Of functions only the first call has a place. */
  toolBegin(slot: i32, id: usize, idLength: u32, name: usize, nameLength: u32): void {
    if (this.hasFunctions) {
      const dropped = this.translation.dropped;
      if (readSignedId(id, idLength)) dropped.add(DROPPED_SIGNATURE);
      if (this.calls.length > 0) {
        dropped.add(DROPPED_TOOL_CALL);
        return;
      }
    }
    const tool = this.translation.notes.tools.find(name, nameLength);
    if (tool !== null && tool.isCustom) {
      this.calls.push(new Call(new ByteBuffer()));
      this.putCustomCall(slot, id, idLength, tool.name, tool.nameLength);
    } else {
      this.calls.push(new Call(null));
      if (tool === null) this.putCall(slot, id, idLength, name, nameLength);
      else this.putCall(slot, id, idLength, tool.name, tool.nameLength);
    }
  }

  toolArguments(slot: i32, pointer: usize, length: u32): void {
    if (slot < 0 || slot >= this.calls.length) return;
    const call = unchecked(this.calls[slot]);
    call.hasArguments = true;
    const wrapped = call.wrapped;
    if (wrapped !== null) wrapped.bytes(pointer, length);
    else this.putArguments(slot, pointer, length);
  }

  /** Arguments must be JSON: a call without them has an empty object. */
  toolEnd(slot: i32): void {
    if (slot < 0 || slot >= this.calls.length) return;
    const call = unchecked(this.calls[slot]);
    const wrapped = call.wrapped;
    if (wrapped !== null) this.endCustomCall(slot, wrapped);
    else if (!call.hasArguments) this.putNoArguments(slot);
  }

  finish(reason: i32, _sequence: usize, _sequenceLength: u32): void {
    this.blockEnd();
    if (isInexact(reason)) this.translation.dropped.add(DROPPED_FINISH_REASON);
    this.putFinish(reason);
  }

  usageFinal(): void {}

  release(): void {
    this.carrier.release();
    const annotations = this.annotations;
    if (annotations !== null) annotations.release();
    const entries = this.entries;
    if (entries !== null) entries.release();
    const others = this.others;
    for (let i = 0; others !== null && i < others.length; i++) unchecked(others[i]).release();
    this.others = null;
    const extras = this.extras;
    if (extras !== null) extras.release();
    for (let i = 0; i < this.calls.length; i++) {
      const wrapped = unchecked(this.calls[i]).wrapped;
      if (wrapped !== null) wrapped.release();
    }
    this.calls.length = 0;
  }

  private endCustomCall(slot: i32, wrapped: ByteBuffer): void {
    input.clear();
    unwrapInput(wrapped.pointer, wrapped.length, input);
    wrapped.release();
    if (input.length > 0) this.putInput(slot, input.pointer, input.length);
  }

  protected abstract putFinish(reason: i32): void;
  protected abstract putText(pointer: usize, length: u32): void;
  protected putTexts(texts: TextRuns): void {
    for (let i: u32 = 0; i < texts.count; i++) this.putText(texts.pointer(i), texts.length(i));
  }
  protected abstract putReasoning(pointer: usize, length: u32): void;
  protected abstract putCall(
    slot: i32,
    id: usize,
    idLength: u32,
    name: usize,
    nameLength: u32,
  ): void;
  protected abstract putCustomCall(
    slot: i32,
    id: usize,
    idLength: u32,
    name: usize,
    nameLength: u32,
  ): void;
  /** The whole input of a custom call. */
  protected abstract putInput(slot: i32, pointer: usize, length: u32): void;
  protected abstract putArguments(slot: i32, pointer: usize, length: u32): void;
  protected abstract putNoArguments(slot: i32): void;
}
