// Reads the usage of a stream whose bytes keep their dialect, and removes the usage chunk if the client has not asked for
// it; every other byte stays.
import { hasRoom } from "../memory/blocks";
import { countRefusal, mayHold, SMALL } from "../memory/budget";
import { Pattern } from "../bytes/json/pattern";
import { Repeatable } from "../bytes/json/repeatable";
import { ByteBuffer, constant } from "../bytes/text/bytes";
import { findLast } from "../bytes/text/find";
import { SseFramer } from "../bytes/sse/framer";
import { Dialect, USAGE_MEMBER } from "./dialect";
import { UsageObserver } from "./usage-observer";

/** Whatever ends its lines, an event ends here. */
const BLANK_LINE = constant("\n\n");
/** In place of the values of a pattern, until there is one. */
const NO_VALUES = new Repeatable();
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
  /** The bytes of the call, and where in them the next of the dialect's `eventMembers` is, at or behind the event being read. */
  private start: usize = 0;
  private end: usize = 0;
  private found: usize = 0;

  /** The last event without any of `eventMembers`: one that repeats it has none either. Null without an observer. */
  private pattern: Pattern | null = null;
  private values: Repeatable = NO_VALUES;

  /** Reads the events with usage, a finish reason or the first token; null if nobody needs them. */
  observer: UsageObserver | null = null;
  /** Whether the rest of the stream passes unread, because there is no memory to read it. */
  isPassing: bool = false;

  /**
   * @param dialect the dialect of the stream
   * @param strips whether the gateway has asked for a usage chunk and the client has not; without it nothing is held
   */
  constructor(
    private dialect: Dialect,
    public strips: bool,
  ) {}

  /** Events with data so far. */
  get events(): u32 {
    return this.framer.events;
  }

  /** Returns whether there is memory for the next `length` bytes; without it the stream has to `pass`. */
  hasRoomFor(length: u32): bool {
    const bytes = length + this.heldLength;
    return bytes <= SMALL || hasRoom(<usize>bytes * COST);
  }

  /** Lets the rest of the stream pass unread. The caller sends the held bytes first. */
  pass(): void {
    const observer = this.observer;
    if (observer !== null) observer.giveUp();
    else countRefusal();
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
    this.end = pointer + length;
    this.start = pointer;
    this.found = 0;
    this.unchanged = 0;
    framer.push(pointer, length);
    this.skipEvents(out);
    while (framer.next()) {
      if (!framer.isLateLf) this.readEvent();
      if (this.isTaken) this.isChanged = true;
      else if (this.strips) this.send(framer.rawPointer, framer.rawLength, out);
      this.skipEvents(out);
    }
    framer.hold();
    const held = this.heldLength;
    if (held == 0) return;
    this.isChanged = true;
    const isTooLarge = framer.isCut || held > MAX_EVENT || !mayHold(held);
    if (!isLast && !isTooLarge) return;
    // What it would have shown is not known: neither its tokens nor whether the stream has ended.
    const observer = this.observer;
    if (isTooLarge && observer !== null) observer.giveUp();
    // An unfinished event at the end is the provider's; the client sees it as it came.
    out.bytes(this.heldPointer, held);
    framer.cut();
  }

  release(): void {
    this.framer.release();
    const pattern = this.pattern;
    if (pattern !== null) pattern.release();
  }

  /** Passes over events that nobody but the client reads. */
  private skipEvents(out: ByteBuffer): void {
    if (this.observer === null) this.skipToUsage(out);
    else this.skipRepeated(out);
  }

  /** Passes over the events that repeat the last one. */
  private skipRepeated(out: ByteBuffer): void {
    const pattern = this.pattern;
    if (pattern === null) return;
    const framer = this.framer;
    for (let unread = framer.unread(); unread != 0; unread = framer.unread()) {
      const end = pattern.fits(unread, framer.bytesEnd(), this.values);
      if (end == 0) return;
      if (this.strips) this.send(unread, <u32>(end - unread), out);
      framer.skipTo(end, 1);
    }
  }

  /** Passes over the events before the next one with a usage member. */
  private skipToUsage(out: ByteBuffer): void {
    const framer = this.framer;
    const unread = framer.unread();
    if (unread == 0 || unread < this.start || unread >= this.end) return;
    if (this.found < unread) this.found = USAGE_MEMBER.next(unread, this.end);
    const last = findLast(unread, <u32>(this.found - unread), BLANK_LINE);
    if (last == 0) return;
    const after = last + BLANK_LINE.length;
    if (this.strips) this.send(unread, <u32>(after - unread), out);
    framer.skipTo(after, 0);
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
    const hasMember = this.hasMember(pointer, pointer + length);
    this.isTaken = this.strips && hasMember && this.dialect.isUsageChunk(pointer, length);
    if (observer === null) return;
    if (hasMember || observer.seeksToken) observer.event(pointer, length);
    else this.learn();
  }

  private learn(): void {
    let pattern = this.pattern;
    if (pattern === null) {
      pattern = new Pattern();
      this.pattern = pattern;
      this.values = new Repeatable();
    }
    pattern.learnChange(this.framer.textPointer, this.framer.textLength, this.values);
  }

  /** Returns whether the data of an event has a member that somebody reads. */
  private hasMember(pointer: usize, end: usize): bool {
    // Most events behind it repeat it.
    if (this.observer !== null) return this.dialect.eventMembers.next(pointer, end) < end;
    // An event that began in an earlier call is in the framer's block.
    if (pointer < this.start || end > this.end) return USAGE_MEMBER.next(pointer, end) < end;
    if (this.found < pointer) this.found = USAGE_MEMBER.next(pointer, this.end);
    return this.found < end;
  }
}
