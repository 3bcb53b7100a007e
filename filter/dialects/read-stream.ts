// Reads a stream whose bytes keep their dialect: it is cut into events once, an event is scanned at most once, and everybody who
// needs it is offered the result. The usage chunk that only the gateway has asked for is removed; every other byte stays.
import { hasRoom } from "../memory/blocks";
import { mayHold, SMALL } from "../memory/memory-budget";
import { readEventFault } from "../hub/faults/read-fault";
import { lastText, noteText } from "../hub/response/text-bytes";
import { Pattern } from "../bytes/repeat/pattern";
import { Repeatable } from "../bytes/repeat/repeatable";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { ByteBuffer } from "../bytes/text/bytes";
import { SseFramer } from "../bytes/sse/sse-framer";
import { FirstToken } from "./response-start";
import { ProviderDialect } from "./provider-dialect";
import { StreamEnd } from "./stream-end";
import { UsageObserver } from "./usage-observer";

/** A longer event is not a usage chunk, and is not held until its end. Bytes. */
const MAX_EVENT: u32 = 1 << 20;
/** The same if the end is needed: the last event may repeat the response. Bytes. */
const MAX_LAST_EVENT: u32 = 32 << 20;
/** Memory that `push` may need for each new byte and each held byte. Bytes. */
const COST: usize = 8;

/** Of the event that was framed last. */
const tape = scratchTape();

/** The last event that nobody needs: one that repeats it is not needed either. */
class Repeats {
  pattern: Pattern = new Pattern();
  values: Repeatable = new Repeatable();
  /** Whether it is the text in which the events that repeat the last one differ; else they have the same text, of so many bytes. */
  isOfText: bool = false;
  sameText: u32 = 0;
}

/** An event leaves in the call that completed it; one that is too large to be held leaves as it comes. */
export class StreamReader {
  /** Reads the events until it is decided whether the response has begun; null from then on. */
  start: FirstToken | null = null;
  /** Whether the last call changed anything: if not, the bytes it was given can pass as they are. */
  isChanged: bool = false;
  /** How many of the bytes that Envoy holds the client gets as they are, before what is in `out`. */
  unchanged: u32 = 0;
  /** Whether the rest of the stream passes unread, because there is no memory to read it. */
  isPassing: bool = false;

  private framer: SseFramer = new SseFramer();
  /** Whether the event being read is taken out; the LF that follows its last CR goes with it. */
  private isTaken: bool = false;
  /** Where the bytes that Envoy holds would begin, of which those of the call are the last. */
  private origin: usize = 0;
  /** Whether the stream has ended inside of the event being read. */
  private isTail: bool = false;

  /** Null if events are read until the first token only. */
  private repeats: Repeats | null = null;
  /** Bytes of the text of the last event that was scanned for it. */
  private textSize: u32 = 0;

  /**
   * @param dialect the dialect of the stream
   * @param strips whether the gateway has asked for a usage chunk and the client has not; without it nothing is held
   * @param usage reads the events with usage, a finish reason or the first token; null if nobody needs them
   * @param ending reads all events; null if nobody needs to know whether the stream was cut
   */
  constructor(
    private dialect: ProviderDialect,
    public strips: bool,
    private usage: UsageObserver | null,
    private ending: StreamEnd | null,
  ) {
    if (usage !== null || ending !== null) this.repeats = new Repeats();
  }

  /** Whether somebody reads the events that follow. */
  private get isNeeded(): bool {
    return this.usage !== null || this.start !== null || this.ending !== null;
  }

  /** Returns whether there is memory for the next `length` bytes; without it the stream has to `pass`. */
  hasRoomFor(length: u32): bool {
    const bytes = length + this.heldLength;
    return bytes <= SMALL || hasRoom(<usize>bytes * COST);
  }

  /** Lets the rest of the stream pass unread. The caller sends the held bytes first. */
  pass(): void {
    const usage = this.usage;
    if (usage !== null) {
      usage.giveUp();
      usage.streamEvents = 0;
    }
    const ending = this.ending;
    if (ending !== null) ending.end();
    const start = this.start;
    if (start !== null) start.release();
    this.isPassing = true;
    this.isChanged = false;
    this.release();
  }

  /** Bytes of the unfinished event, which have not been sent to the client. */
  get heldLength(): u32 {
    return this.framer.heldLength();
  }

  get heldPointer(): usize {
    return this.framer.heldPointer();
  }

  /**
   * Reads the next bytes. Appends to `out` what the client gets of them after the `unchanged` ones; nothing unless it `strips`.
   * @param before how many bytes that were read already Envoy still holds in front of them: then `out` is the same as before
   */
  push(pointer: usize, length: u32, before: u32, isLast: bool, out: ByteBuffer): void {
    const framer = this.framer;
    if (before == 0) {
      this.isChanged = framer.heldLength() > 0;
      this.unchanged = 0;
    }
    this.origin = pointer - before;
    framer.push(pointer, length);
    this.skipRepeated(out);
    while (framer.next()) {
      if (!framer.isLateLf) this.readEvent();
      if (this.isTaken) this.isChanged = true;
      else if (this.strips) this.send(framer.rawPointer, framer.rawLength, out);
      // Nobody reads what follows the first token: it is not even held.
      if (!this.isNeeded) return;
      this.skipRepeated(out);
    }
    framer.hold();
    const usage = this.usage;
    if (usage !== null) usage.streamEvents = framer.events;
    if (this.heldLength > 0) this.keepRest(isLast, out);
  }

  /** The stream has ended: reads what is held for want of its last line. */
  end(): void {
    if (this.heldLength == 0) return;
    const framer = this.framer;
    this.isTail = true;
    framer.end();
    while (framer.next()) this.readEvent();
    framer.hold();
  }

  release(): void {
    this.framer.release();
    const repeats = this.repeats;
    if (repeats !== null) repeats.pattern.release();
  }

  /** Holds an unfinished event, unless it is the last one or too large. */
  private keepRest(isLast: bool, out: ByteBuffer): void {
    const framer = this.framer;
    const held = this.heldLength;
    this.isChanged = true;
    const ending = this.ending;
    const most = ending === null ? MAX_EVENT : MAX_LAST_EVENT;
    const isTooLarge = framer.isCut || held > most || !mayHold(held);
    if (!isLast && !isTooLarge) return;
    // An unfinished event at the end is the provider's; the client sees it as it came.
    if (this.strips) out.bytes(this.heldPointer, held);
    // What it would have shown is not known: neither its tokens nor whether the stream has ended.
    if (isTooLarge) {
      const usage = this.usage;
      if (usage !== null) usage.giveUp();
      if (ending !== null) ending.end();
    }
    if (isLast && !isTooLarge) this.end();
    else framer.cut();
  }

  /** Passes over the events that repeat the last one. */
  private skipRepeated(out: ByteBuffer): void {
    const framer = this.framer;
    const repeats = this.repeats;
    if (repeats === null) return;
    const pattern = repeats.pattern;
    for (let unread = framer.unread(); unread != 0; unread = framer.unread()) {
      const end = pattern.matches(unread, framer.bytesEnd(), repeats.values);
      if (end == 0) return;
      const usage = this.usage;
      if (usage !== null) usage.textBytes += repeats.isOfText ? pattern.length : repeats.sameText;
      if (this.strips) this.send(unread, <u32>(end - unread), out);
      framer.skipTo(end, 1);
    }
  }

  private send(pointer: usize, length: u32, out: ByteBuffer): void {
    if (out.length == 0 && pointer == this.origin + this.unchanged) this.unchanged += length;
    else out.bytes(pointer, length);
  }

  private readEvent(): void {
    this.isTaken = false;
    const framer = this.framer;
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    if (length == 0) return;
    const end = pointer + length;
    const usage = this.usage;
    const hasMember = usage !== null && this.dialect.eventMembers.next(pointer, end) < end;
    const isFirst = this.start !== null || (usage !== null && usage.seeksToken);
    if (hasMember || isFirst || this.ending !== null) this.offer(usage, hasMember);
    else if (usage !== null && usage.countsText) this.countText(usage);
    if (!hasMember && !isFirst) this.remember();
  }

  /** Scans an event, and offers it to everybody. */
  private offer(usage: UsageObserver | null, hasMember: bool): void {
    const framer = this.framer;
    const dialect = this.dialect;
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    const start = this.start;
    const ending = this.ending;
    this.forgetText();
    if (framer.isError() || dialect.isEndMark(pointer, length)) {
      if (ending !== null) ending.end();
      if (start === null) return;
      if (framer.isError()) start.fail(readEventFault(framer));
      else start.end();
      return;
    }
    if (scan(tape, pointer, length) != SCAN_OK) {
      if (start !== null) start.rejectEvent(pointer, length);
      if (ending !== null && !this.isTail) ending.rejectEvent();
      return;
    }
    if (start !== null) {
      start.readEvent(tape);
      if (!start.isPending) this.start = null;
    }
    if (ending !== null) ending.readEvent(tape);
    const counts = usage !== null && usage.countsText;
    if (counts || ending !== null) this.textSize = dialect.textBytes(tape);
    if (usage !== null) {
      if (counts) usage.textBytes += this.textSize;
      usage.readEvent(tape);
      this.isTaken = this.strips && hasMember && dialect.isUsageChunk(tape);
    }
    tape.reset();
  }

  /** Counts the text of an event of which nothing else is read. */
  private countText(usage: UsageObserver): void {
    const framer = this.framer;
    this.forgetText();
    if (scan(tape, framer.dataPointer, framer.dataLength) != SCAN_OK) return;
    this.textSize = this.dialect.textBytes(tape);
    usage.textBytes += this.textSize;
    tape.reset();
  }

  private forgetText(): void {
    noteText(0);
    this.textSize = 0;
  }

  private remember(): void {
    const framer = this.framer;
    const usage = this.usage;
    const repeats = this.repeats;
    // Without a text it may be like the last event, which `ending` has to see.
    if (repeats === null || (this.ending !== null && lastText == 0)) return;
    const counts = usage !== null && usage.countsText;
    repeats.pattern.rememberChange(
      framer.textPointer,
      framer.textLength,
      repeats.values,
      counts ? lastText : 0,
    );
    repeats.isOfText = counts && repeats.values.pointer == lastText;
    repeats.sameText = this.textSize;
  }
}
