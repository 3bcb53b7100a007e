// Collects what is written at the end of a response: reasoning in the form in which it must come back, and citations.
//
// Clients that accumulate a stream keep the last delta of an unknown member, or merge its items by `index`. Each list is
// therefore sent once and complete (docs/decisions/2026-11-21-reasoning-carrier.md).
import { Dropped, DROPPED_SIGNATURE } from "../../../../hub/dropped";
import { Citation } from "../../../../hub/response/events";
import { CARRIER_ENCRYPTED, CARRIER_SIGNED } from "../../../../hub/reasoning-carrier";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";

/** More reasoning than this is not carried. Bytes. */
const MAX_CARRIER: u32 = 4 << 20;

const ENCRYPTED_ITEM = constant('{"type":"reasoning.encrypted","data":"');
const ANTHROPIC_FORMAT = constant('","format":"anthropic-claude-v1","index":');
const OPENAI_FORMAT = constant('","format":"openai-responses-v1","index":');
/** OpenRouter's word for what it sends to no provider. */
const OTHER_FORMAT = constant('","format":"unknown","index":');

/** The list `reasoning_details`. It omits blocks without a signature, which are of no use. */
export class ReasoningCarrier {
  /** The items, comma-separated. */
  items: ByteBuffer = new ByteBuffer();
  /** The text of the open block. */
  private open: ByteBuffer = new ByteBuffer();
  private count: i32 = 0;
  private isFull: bool = false;

  constructor(private dropped: Dropped) {}

  text(pointer: usize, length: u32): void {
    if (this.hasRoom(length)) this.open.bytes(pointer, length);
  }

  /** `carrier`: CARRIER_, whose signature it is. */
  signature(carrier: i32, pointer: usize, length: u32): void {
    if (!this.hasRoom(length)) return;
    const text = this.open;
    if (carrier != CARRIER_SIGNED) {
      if (text.length > 0) {
        this.begin(constant('{"type":"reasoning.summary","summary":"'), text.pointer, text.length);
        this.end(OPENAI_FORMAT);
      }
      this.begin(ENCRYPTED_ITEM, pointer, length);
      this.end(carrier == CARRIER_ENCRYPTED ? OPENAI_FORMAT : OTHER_FORMAT);
    } else {
      this.begin(constant('{"type":"reasoning.text","text":"'), text.pointer, text.length);
      this.items.text('","signature":"');
      this.items.bytes(pointer, length);
      this.end(ANTHROPIC_FORMAT);
    }
    text.clear();
  }

  redacted(pointer: usize, length: u32): void {
    this.blockEnd();
    if (!this.hasRoom(length)) return;
    this.begin(ENCRYPTED_ITEM, pointer, length);
    this.end(ANTHROPIC_FORMAT);
  }

  /** Forgets the block's text if it had no signature. */
  blockEnd(): void {
    this.open.clear();
  }

  release(): void {
    this.items.release();
    this.open.release();
  }

  private begin(head: Span, pointer: usize, length: u32): void {
    if (this.count > 0) this.items.byte(0x2c);
    this.items.span(head);
    this.items.bytes(pointer, length);
  }

  private end(format: Span): void {
    this.items.span(format);
    this.items.integer(this.count++);
    this.items.byte(0x7d);
  }

  /** A provider rejects a part of the blocks on the next turn, so all of them are carried or none. */
  private hasRoom(length: u32): bool {
    if (this.isFull) return false;
    if (this.items.length + this.open.length + length <= MAX_CARRIER) return true;
    this.isFull = true;
    this.dropped.add(DROPPED_SIGNATURE);
    this.release();
    return false;
  }
}

/** The list `annotations`. A citation without a place covers its whole text block, so it waits for the block's end. */
export class AnnotationList {
  /** The entries, comma-separated. */
  entries: ByteBuffer = new ByteBuffer();
  private waiting: ByteBuffer = new ByteBuffer();
  /** Where each entry in `waiting` ends, and where its place ends; 0 without a place. */
  private ends: Array<u32> = [];

  /** `start`: characters of the message's content before the text block. */
  add(citation: Citation, start: u32): void {
    const waiting = this.waiting;
    waiting.text('{"type":"url_citation","url_citation":{"url":"');
    waiting.bytes(citation.url, citation.urlLength);
    waiting.text('","title":"');
    waiting.bytes(citation.title, citation.titleLength);
    waiting.text('","start_index":');
    waiting.integer(citation.hasRange ? start + citation.from : start);
    this.ends.push(waiting.length);
    this.ends.push(citation.hasRange ? start + <u32>citation.to : 0);
  }

  /** `end`: characters of the message's content with the text block. */
  blockEnd(end: u32): void {
    let from: u32 = 0;
    for (let i = 0; i < this.ends.length; i += 2) {
      const to = unchecked(this.ends[i]);
      const placeEnd = unchecked(this.ends[i + 1]);
      if (this.entries.length > 0) this.entries.byte(0x2c);
      this.entries.bytes(this.waiting.pointer + from, to - from);
      this.entries.text(',"end_index":');
      this.entries.integer(placeEnd > 0 ? placeEnd : end);
      this.entries.text("}}");
      from = to;
    }
    this.ends.length = 0;
    this.waiting.clear();
  }

  release(): void {
    this.entries.release();
    this.waiting.release();
  }
}
