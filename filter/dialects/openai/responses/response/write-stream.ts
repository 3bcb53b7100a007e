// Writes the hub's events as a stream of the Responses API: response.created, response.in_progress, the items one after the
// other, and one terminal event that repeats all items.
// @see https://platform.openai.com/docs/api-reference/responses-streaming
import { HostedCall } from "../../../../hub/response/hosted-call";
import { mayHold } from "../../../../memory/memory-budget";
import { DROPPED_OUTPUT } from "../../../../hub/dropped";
import { Fault } from "../../../../hub/faults/fault";
import { Translation } from "../../../../hub/response/translation";
import { escapeText } from "../../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";
import { writeOpenaiFault } from "../../write-fault";
import { eventStart } from "./content";
import { adaptFault } from "../write-fault";
import { COMPLETED, INCOMPLETE, ItemWriter } from "./write-items";
import { writeHead, writeState } from "./write-object";

/** A stream repeats its items at the end unless they have more bytes than this. */
const MAX_OUTPUT: u32 = 4 << 20;

const CREATED = eventStart("response.created");
const IN_PROGRESS = eventStart("response.in_progress");
const COMPLETED_EVENT = eventStart("response.completed");
const INCOMPLETE_EVENT = eventStart("response.incomplete");
const FAILED_EVENT = eventStart("response.failed");
const ITEM_ADDED = eventStart("response.output_item.added");
const ITEM_DONE = eventStart("response.output_item.done");
const ANNOTATION_ADDED = eventStart("response.output_text.annotation.added");
const KEEPALIVE = eventStart("keepalive");
const ERROR = eventStart("error");

const PART = constant(',"part":');
const SEQUENCE = constant(',"sequence_number":');
/** Seconds with pings alone after which the client gets an event. */
const MAX_SILENCE: i64 = 30;
/** Not followed by any number of an event. */
const NO_NUMBER: u32 = 0xfffffffe;
const IN_PROGRESS_STATUS = constant("in_progress");

const envelope = scratchBuffer();

export class OpenaiResponsesStreamWriter extends ItemWriter {
  private hasBegun: bool = false;
  private sequenceNumber: u32 = 0;
  /** The number that the next event had at the last ping, and when the first ping with it came. Seconds since 1970. */
  private pingedNumber: u32 = NO_NUMBER;
  private silentSince: i64 = 0;
  /** Whether the items are too large to be repeated. */
  private isTooLarge: bool = false;
  /** What is the same in each response object. */
  private object: ByteBuffer = new ByteBuffer();
  /** The ids and indexes of the open text's events. */
  private place: ByteBuffer = new ByteBuffer();
  /** What is before the text of the open text's deltas: only its number changes from one to the next. */
  private deltaStart: ByteBuffer = new ByteBuffer();
  /** The number in `deltaStart`, and the offset of its last digit. */
  private deltaNumber: u32 = NO_NUMBER;
  private lastDigit: u32 = 0;

  constructor(out: ByteBuffer, translation: Translation) {
    super(out, translation, new ByteBuffer());
  }

  begin(): void {
    this.open();
    this.lifecycle(IN_PROGRESS, IN_PROGRESS_STATUS, null);
  }

  usageFinal(): void {}

  /**
   * A comment keeps the connection alive. Codex gives up after minutes without an event, but older SDKs reject events that they
   * do not know (openai-node up to 6.45, openai-java, Goose): there is one only where nothing has come for long, never first.
   */
  ping(): void {
    const now = this.translation.head.clock();
    const isSilent = this.hasBegun && this.sequenceNumber == this.pingedNumber;
    if (!isSilent) this.silentSince = now;
    this.pingedNumber = this.sequenceNumber;
    if (!isSilent || now - this.silentSince < MAX_SILENCE) {
      this.out.text(": ping\n\n");
      return;
    }
    this.out.span(KEEPALIVE);
    this.eventEnd();
    this.pingedNumber = this.sequenceNumber;
    this.silentSince = now;
  }

  end(): void {
    const isComplete = this.incompleteReason.length == 0;
    if (isComplete) this.lifecycle(COMPLETED_EVENT, COMPLETED, null);
    else this.lifecycle(INCOMPLETE_EVENT, INCOMPLETE, null);
  }

  /** SDKs act on the `error` event, flat or nested; Codex on `response.failed`. */
  fault(fault: Fault): void {
    adaptFault(fault);
    if (!this.hasBegun) this.open();
    const out = this.out;
    out.span(ERROR);
    out.text(',"code":');
    writeNullable(fault.code, out);
    out.text(',"message":"');
    escapeText(fault.message, out);
    out.text('","param":');
    writeNullable(fault.member, out);
    // The members of the envelope, after its brace.
    envelope.clear();
    writeOpenaiFault(fault, envelope);
    out.byte(0x2c);
    out.bytes(envelope.pointer + 1, envelope.length - 2);
    this.eventEnd();
    this.lifecycle(FAILED_EVENT, constant("failed"), fault);
  }

  release(): void {
    super.release();
    this.items.release();
    this.object.release();
    this.place.release();
    this.deltaStart.release();
  }

  protected itemAdded(rest: Span): void {
    const out = this.out;
    this.itemStarts(ITEM_ADDED);
    out.span(rest);
    this.eventEnd();
  }

  protected itemDone(): void {
    this.itemStarts(ITEM_DONE);
    this.eventEnd();
    const items = this.items;
    if (!this.isTooLarge && (items.length > MAX_OUTPUT || !mayHold(items.length))) {
      this.isTooLarge = true;
      this.translation.dropped.add(DROPPED_OUTPUT);
    }
    if (this.isTooLarge) items.release();
  }

  protected hostedStep(type: Span, step: Span, member: Span, call: HostedCall): void {
    const out = this.out;
    for (let i = 0; i < 2; i++) {
      out.span(i == 0 ? constant("event: response.") : constant('\ndata: {"type":"response.'));
      out.span(type);
      out.span(step);
    }
    out.byte(0x22);
    this.setPlace();
    out.bytes(this.place.pointer, this.place.length);
    if (member.length > 0) {
      out.text(',"');
      out.span(member);
      out.text('":"');
      out.bytes(call.input.pointer, call.input.length);
      out.byte(0x22);
    }
    this.eventEnd();
  }

  /** Writes the item's place of its events. */
  private setPlace(): void {
    const place = this.place;
    place.clear();
    place.text(',"item_id":"');
    place.bytes(this.itemId.pointer, this.itemId.length);
    place.text('","output_index":');
    place.integer(this.outputIndex);
  }

  protected contentAdded(): void {
    const content = this.content;
    const place = this.place;
    this.setPlace();
    if (content.index.length > 0) {
      place.span(content.index);
      place.integer(this.contentIndex);
      const out = this.out;
      out.span(content.partAdded);
      out.bytes(place.pointer, place.length);
      out.span(PART);
      out.span(content.open);
      out.span(content.close);
      this.eventEnd();
    }
    this.deltaNumber = NO_NUMBER;
  }

  protected contentDelta(pointer: usize, length: u32): void {
    const start = this.deltaStart;
    const number = this.sequenceNumber++;
    if (this.deltaNumber + 1 != number || !start.increment(this.lastDigit)) this.startDelta(number);
    this.deltaNumber = number;
    const end = this.content.end;
    this.out.between(start, pointer, length, end.pointer, end.length);
  }

  protected annotationAdded(index: i32, start: u32): void {
    const out = this.out;
    out.span(ANNOTATION_ADDED);
    out.bytes(this.place.pointer, this.place.length);
    out.text(',"annotation_index":');
    out.integer(index);
    out.text(',"annotation":');
    out.bytes(this.items.pointer + start, this.items.length - start);
    this.eventEnd();
  }

  protected contentDone(textEnd: u32): void {
    const out = this.out;
    const items = this.items;
    const content = this.content;
    out.span(content.done);
    out.bytes(this.place.pointer, this.place.length);
    out.span(SEQUENCE);
    out.integer(this.sequenceNumber++);
    out.span(content.member);
    out.bytes(items.pointer + this.textStart, textEnd - this.textStart);
    out.span(content.end);
    if (content.index.length == 0) return;
    out.span(content.partDone);
    out.bytes(this.place.pointer, this.place.length);
    out.span(PART);
    out.bytes(items.pointer + this.partStart, items.length - this.partStart);
    this.eventEnd();
  }

  private open(): void {
    this.hasBegun = true;
    writeHead(this.translation, this.object);
    this.lifecycle(CREATED, IN_PROGRESS_STATUS, null);
  }

  /** Writes an event with the whole response. */
  private lifecycle(event: Span, status: Span, fault: Fault | null): void {
    const out = this.out;
    const isFinal = status !== IN_PROGRESS_STATUS;
    out.span(event);
    out.text(',"response":');
    out.bytes(this.object.pointer, this.object.length);
    if (!this.isTooLarge) {
      out.text(',"output":[');
      out.bytes(this.items.pointer, this.finished);
      out.byte(0x5d);
    }
    writeState(
      status,
      status === COMPLETED ? this.translation.head.clock() : 0,
      fault,
      status === INCOMPLETE ? this.incompleteReason : constant(""),
      isFinal ? this.translation.usage : null,
      out,
    );
    this.eventEnd();
  }

  /** Writes an event with the item, up to the end of what is known of it. */
  private itemStarts(event: Span): void {
    const out = this.out;
    const items = this.items;
    out.span(event);
    out.text(',"output_index":');
    out.integer(this.outputIndex);
    out.text(',"item":');
    out.bytes(items.pointer + this.itemStart, items.length - this.itemStart);
  }

  private startDelta(number: u32): void {
    const start = this.deltaStart;
    start.clear();
    start.span(this.content.delta);
    start.bytes(this.place.pointer, this.place.length);
    start.span(SEQUENCE);
    start.integer(number);
    this.lastDigit = start.length - 1;
    start.text(',"delta":"');
  }

  private eventEnd(): void {
    const out = this.out;
    out.span(SEQUENCE);
    out.integer(this.sequenceNumber++);
    out.text("}\n\n");
  }
}

function writeNullable(text: string, out: ByteBuffer): void {
  if (text.length == 0) {
    out.text("null");
    return;
  }
  out.byte(0x22);
  escapeText(text, out);
  out.byte(0x22);
}
