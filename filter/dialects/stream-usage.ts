// Reads the usage of a stream whose bytes keep their dialect, and removes the usage chunk that only the gateway has asked for;
// every other byte stays.
import { hasRoom } from "../memory/blocks";
import { mayHold, SMALL } from "../memory/memory-budget";
import { Pattern } from "../bytes/repeat/pattern";
import { Repeatable } from "../bytes/repeat/repeatable";
import { ByteBuffer } from "../bytes/text/bytes";
import { SseFramer } from "../bytes/sse/sse-framer";
import { lastText } from "../hub/response/text-bytes";
import { ProviderDialect } from "./provider-dialect";
import { UsageObserver } from "./usage-observer";

/** A longer event is not a usage chunk, and is not held until its end. Bytes. */
const MAX_EVENT: u32 = 1 << 20;
/** Memory that `push` may need for each new byte and each held byte. Bytes. */
const COST: usize = 8;

/** An event leaves in the call that completed it; one that is too large to be held leaves as it comes. */
export class StreamUsageFilter {
  private framer: SseFramer = new SseFramer();
  /** Whether the last call changed anything: if not, the bytes it was given can pass as they are. */
  isChanged: bool = false;
  /** Whether the event being read is taken out; the LF that follows its last CR goes with it. */
  private isTaken: bool = false;
  /** The bytes of the call. */
  private start: usize = 0;

  /** The last event without any of `eventMembers`: one that repeats it has none either. */
  private pattern: Pattern = new Pattern();
  private values: Repeatable = new Repeatable();
  /** Whether it is the text in which the events that repeat the last one differ; else they have the same text, of so many bytes. */
  private isOfText: bool = false;
  private sameText: u32 = 0;

  /** Whether the rest of the stream passes unread, because there is no memory to read it. */
  isPassing: bool = false;

  /**
   * @param dialect the dialect of the stream
   * @param strips whether the gateway has asked for a usage chunk and the client has not; without it nothing is held
   * @param observer reads the events with usage, a finish reason or the first token
   */
  constructor(
    private dialect: ProviderDialect,
    public strips: bool,
    private observer: UsageObserver,
  ) {}

  /** Returns whether there is memory for the next `length` bytes; without it the stream has to `pass`. */
  hasRoomFor(length: u32): bool {
    const bytes = length + this.heldLength;
    return bytes <= SMALL || hasRoom(<usize>bytes * COST);
  }

  /** Lets the rest of the stream pass unread. The caller sends the held bytes first. */
  pass(): void {
    this.observer.giveUp();
    this.observer.streamEvents = 0;
    this.isPassing = true;
    this.release();
  }

  /** Bytes of the unfinished event, which have not been sent to the client. */
  get heldLength(): u32 {
    return this.framer.heldLength();
  }

  get heldPointer(): usize {
    return this.framer.heldPointer();
  }

  /** How many of the bytes of the last `push` the client gets as they are, before what is in `out`. */
  unchanged: u32 = 0;

  /** Appends to `out` what the client gets of these bytes after the `unchanged` ones; nothing unless it `strips`. */
  push(pointer: usize, length: u32, isLast: bool, out: ByteBuffer): void {
    const framer = this.framer;
    this.isChanged = framer.heldLength() > 0;
    this.start = pointer;
    this.unchanged = 0;
    framer.push(pointer, length);
    this.skipRepeated(out);
    while (framer.next()) {
      if (!framer.isLateLf) this.readEvent();
      if (this.isTaken) this.isChanged = true;
      else if (this.strips) this.send(framer.rawPointer, framer.rawLength, out);
      this.skipRepeated(out);
    }
    framer.hold();
    this.observer.streamEvents = framer.events;
    const held = this.heldLength;
    if (held == 0) return;
    this.isChanged = true;
    const isTooLarge = framer.isCut || held > MAX_EVENT || !mayHold(held);
    if (!isLast && !isTooLarge) return;
    // What it would have shown is not known: neither its tokens nor whether the stream has ended.
    if (isTooLarge) this.observer.giveUp();
    // An unfinished event at the end is the provider's; the client sees it as it came.
    out.bytes(this.heldPointer, held);
    framer.cut();
  }

  release(): void {
    this.framer.release();
    this.pattern.release();
  }

  /** Passes over the events that repeat the last one. */
  private skipRepeated(out: ByteBuffer): void {
    const framer = this.framer;
    for (let unread = framer.unread(); unread != 0; unread = framer.unread()) {
      const end = this.pattern.fits(unread, framer.bytesEnd(), this.values);
      if (end == 0) return;
      this.observer.textBytes += this.isOfText ? this.pattern.length : this.sameText;
      if (this.strips) this.send(unread, <u32>(end - unread), out);
      framer.skipTo(end, 1);
    }
  }

  private send(pointer: usize, length: u32, out: ByteBuffer): void {
    if (out.length == 0 && pointer == this.start + this.unchanged) this.unchanged += length;
    else out.bytes(pointer, length);
  }

  private readEvent(): void {
    this.isTaken = false;
    const framer = this.framer;
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    if (length == 0) return;
    const observer = this.observer;
    const end = pointer + length;
    const hasMember = this.dialect.eventMembers.next(pointer, end) < end;
    this.isTaken = this.strips && hasMember && this.dialect.isUsageChunk(pointer, length);
    if (hasMember || observer.seeksToken) observer.event(pointer, length);
    else this.learn(pointer, length);
  }

  private learn(pointer: usize, length: u32): void {
    const framer = this.framer;
    const observer = this.observer;
    if (observer.countsText) this.sameText = observer.countText(pointer, length);
    const values = this.values;
    this.pattern.learnChange(framer.textPointer, framer.textLength, values, lastText);
    this.isOfText = observer.countsText && values.pointer == lastText;
  }
}
