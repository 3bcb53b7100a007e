// Translates one response of a provider into the client's dialect. Either may be complete or a stream.
//
// An event is translated in the call that brings its last byte. Memory of a stream: its largest event, tool calls that a
// provider interleaves, and signed reasoning for a chat client (docs/decisions/2026-11-21-reasoning-carrier.md). All of it is
// counted: a stream that needs more than it may hold ends with an error. Longer than other files because it is one class.
import { heldBytes, wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/memory-budget";
import { Framer } from "../bytes/framer";
import { LOOKS_JSON, LOOKS_OPEN, LOOKS_SSE } from "../bytes/sse/looks-like";
import { FirstToken, MAX_HELD_BYTES } from "./response-start";
import { ClientDialect } from "./client-dialect";
import { ProviderDialect } from "./provider-dialect";
import { defaultDialect } from "./dialect-registry";
import { Pattern } from "../bytes/repeat/pattern";
import { SCAN_OK, scan, scanErrorAt, scanMessage } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { escape } from "../bytes/json/text";
import { ByteBuffer, Span } from "../bytes/text/bytes";
import { TextRuns } from "../bytes/text/text-runs";
import { Dropped } from "../hub/dropped";
import { ResponseSink } from "../hub/response/events";
import { noClock, Translation } from "../hub/response/translation";
import { Fault, outOfMemory } from "../hub/faults/fault";
import { FINISH_NONE } from "../hub/response/finish-reason";
import { excerpt, readEventFault, readFaultBody } from "../hub/faults/read-fault";
import { NO_NOTES, RequestNotes } from "../hub/request/request-notes";
import { ResponseReader } from "../hub/response/response-reader";
import { ResponseFacts } from "../hub/response/facts";
import { Usage } from "../hub/response/usage";
import { NO_REQUEST_ID } from "./write-fault";

/** An event of a stream, or a complete response inside one, may have this many bytes. */
const MAX_EVENT: u32 = 32 << 20;
/** Bytes of memory per stream: an event whose buffer has just been doubled, and a second copy of its data. */
const MAX_HELD: isize = 4 * <isize>MAX_EVENT;

/** Shared by all responses: no event needs the tape of an earlier one. */
const tape = scratchTape();

/** Of events that repeat each other. */
const texts = new TextRuns();

const NO_MODEL = new Span(0, 0);
const NO_USAGE = new Usage();

/** What a translation depends on besides the response's bytes. */
export class ResponseOptions {
  /** The provider's dialect. */
  from: ProviderDialect = defaultDialect();
  /** The client's. */
  to: ClientDialect = defaultDialect();
  /** Whether the client asked for a stream. */
  isStreaming: bool = false;
  /** Whether the client asked for the usage of a stream. */
  wantsUsage: bool = false;
  /** Seconds since 1970, for providers that send no time. */
  created: i64 = 0;
  /** Returns the seconds since 1970, 0 if there is no clock. */
  clock: () => i64 = noClock;
  requestId: ByteBuffer = NO_REQUEST_ID;
  /** The model of the request, escaped, for providers that send no model. */
  model: Span = NO_MODEL;
  /** What the writer has to know of the request; the owner of the response releases it. */
  notes: RequestNotes = NO_NOTES;
  /** The provider, by which its unsigned reasoning finds back to it. */
  origin: Span = NO_MODEL;
  /** How the provider marks reasoning in the content, as in RequestLimits. */
  thinkTags: i32 = 0;
  /** Whether `hasToken` is needed. */
  seeksToken: bool = false;
  /** Whether `textBytes` is needed. */
  countsText: bool = false;
}

/** One per response, released by its owner. Either `push` … `end`, or `complete` once. */
export class ResponseTranslator extends ResponseFacts {
  /** Reads the events until it is decided whether the response has begun; null from then on. */
  start: FirstToken | null = null;
  private translation: Translation;
  private framer: Framer;
  private pattern: Pattern = new Pattern();
  private sink: ResponseSink | null = null;
  private reader: ResponseReader | null = null;
  private contentKind: i32 = LOOKS_OPEN;
  /** White space that came before the first piece with anything else. Bytes. */
  private blank: u32 = 0;
  private wroteEvents: bool = false;
  /** A complete response, received instead of a stream. */
  private body: ByteBuffer = new ByteBuffer();
  /** Bytes of memory that this response holds between calls. */
  private held: isize = 0;

  constructor(private options: ResponseOptions) {
    super(NO_USAGE);
    this.framer = options.from.newFramer();
    const translation = new Translation(options.requestId);
    translation.wantsUsage = options.wantsUsage;
    translation.notes = options.notes;
    translation.origin = options.origin;
    translation.thinkTags = options.thinkTags;
    translation.head.setCreated(options.created);
    translation.head.clock = options.clock;
    translation.head.model.span(options.model);
    escape(options.requestId.pointer, options.requestId.length, translation.head.id);
    this.translation = translation;
    this.usage = translation.usage;
  }

  get dropped(): Dropped {
    return this.translation.dropped;
  }

  /** The error that ended the response, or null. */
  get fault(): Fault | null {
    const reader = this.reader;
    return reader == null ? null : reader.failure;
  }

  /** Why the response ended, a FINISH_ constant. */
  get finish(): i32 {
    const reader = this.reader;
    return reader == null ? FINISH_NONE : reader.finishReason;
  }

  /** Returns the model that the provider reports, else the target's: escaped. */
  get model(): ByteBuffer {
    return this.translation.head.model;
  }

  /** Whether the beginning of the response has been written. */
  get hasBegun(): bool {
    const reader = this.reader;
    return reader != null && reader.hasBegun;
  }

  get isCutOff(): bool {
    return this.options.isStreaming && this.hasWritten && this.fault !== null;
  }

  get isFree(): bool {
    return this.fault !== null && !this.usage.isKnown;
  }

  get droppedNames(): string {
    return this.dropped.total > 0 ? this.dropped.names() : "";
  }

  /** Whether anything was written before an error. */
  get hasWritten(): bool {
    return this.hasBegun || this.wroteEvents;
  }

  /** Number of events with data. */
  get events(): u32 {
    return this.framer.events;
  }

  /** Whether the end of the stream has been written: further bytes are ignored. */
  get isOver(): bool {
    const reader = this.reader;
    return reader != null && reader.isOver;
  }

  /**
   * Reads the next bytes of a stream, and appends the events that they complete to `out`. The block must be writable, have
   * PADDING bytes after its end, and remains the caller's.
   */
  push(pointer: usize, length: u32, out: ByteBuffer): void {
    const before = heldBytes();
    const reader = this.streamReader(out);
    if (reader.isOver || length == 0) return;
    if (this.contentKind == LOOKS_OPEN) this.contentKind = this.framer.kindOf(pointer, length);
    if (this.contentKind == LOOKS_JSON) {
      this.holdBody(pointer, length);
    } else {
      if (this.contentKind == LOOKS_OPEN) this.blank += length;
      this.framer.push(pointer, length);
      this.readEvents(reader, false);
      this.framer.hold();
    }
    this.held += heldBytes() - before;
    if (this.failsForMemory(reader, out)) return;
    const event = max(this.body.length, this.framer.heldLength());
    if (event > MAX_EVENT) reader.fail(tooLarge());
    else if (this.held > MAX_HELD || !mayHold(this.held)) this.failForMemory(reader);
  }

  /** Ends the stream with a fault that is not in its bytes. */
  fail(fault: Fault, out: ByteBuffer): void {
    this.streamReader(out).fail(fault);
  }

  /** Bytes of the stream were lost because memory ran out: ends the response with an error. */
  lose(out: ByteBuffer): void {
    this.failForMemory(this.streamReader(out));
  }

  /** The provider has ended: appends the rest of the response, or an error if it was not finished. */
  end(out: ByteBuffer): void {
    const reader = this.streamReader(out);
    if (reader.isOver) return;
    if (this.contentKind == LOOKS_JSON) {
      this.readWhole(reader, this.body.pointer, this.body.length);
    } else {
      // The last event may lack its empty line. One that is cut in the middle is ignored.
      this.framer.end();
      this.readEvents(reader, true);
      this.framer.hold();
      reader.endOfStream();
    }
    this.failsForMemory(reader, out);
  }

  /**
   * Translates a complete body into a complete body. Returns the status: 200, or that of the error which was written. Bytes
   * as in `push`.
   */
  complete(pointer: usize, length: u32, out: ByteBuffer): u32 {
    const reader = this.makeReader(this.options.to.newCompleteWriter(out, this.translation));
    if (this.framer.kindOf(pointer, length) == LOOKS_SSE) {
      this.framer.push(pointer, length);
      this.readEvents(reader, false);
      this.framer.hold();
      this.framer.end();
      this.readEvents(reader, true);
      this.framer.hold();
      if (!reader.hasBegun) reader.fail(noResponse(pointer, length));
      reader.endOfStream();
    } else {
      this.readWhole(reader, pointer, length);
    }
    this.failsForMemory(reader, out);
    const failure = reader.failure;
    return failure == null ? 200 : failure.status;
  }

  release(): void {
    this.translation.release();
    this.framer.release();
    this.pattern.release();
    this.body.release();
    const sink = this.sink;
    if (sink != null) sink.release();
    const reader = this.reader;
    if (reader != null) reader.release();
  }

  /** Replaces what was written by an error if memory ran out, because it is incomplete. Returns whether it did. */
  private failsForMemory(reader: ResponseReader, out: ByteBuffer): bool {
    if (!wasRefused()) return false;
    out.clear();
    reader.isOver = false;
    this.failForMemory(reader);
    return true;
  }

  /** Frees what the response holds at once, so that as few responses as possible fail. */
  private failForMemory(reader: ResponseReader): void {
    reader.fail(outOfMemory("response"));
    this.framer.release();
    this.body.release();
  }

  /** Offers an event that has been read. */
  private offer(start: FirstToken, reader: ResponseReader): void {
    start.readEvent(tape);
    const failure = reader.failure;
    if (failure !== null) start.fail(failure);
  }

  private holdBody(pointer: usize, length: u32): void {
    const body = this.body;
    const start = this.start;
    body.bytes(pointer, length);
    if (start !== null && start.isJson && body.length >= MAX_HELD_BYTES)
      start.judge(body.pointer, body.length, SCAN_OK);
  }

  private readEvents(reader: ResponseReader, isTail: bool): void {
    const framer = this.framer;
    while (!reader.isOver) {
      const unread = framer.unread();
      if (unread == 0 || !this.repeats(reader, unread)) {
        if (!framer.next()) return;
        // Where it is not known that the event does not repeat the last one.
        const isNew = unread != 0 || !this.repeatsFramed(reader);
        if (isNew && framer.dataLength > 0) this.readEvent(reader, isTail);
        else if (isNew && !isTail && framer.isKeepAlive()) this.ping();
      }
      if (!this.wroteEvents && reader.failure == null) this.noteWriting();
    }
  }

  /** After each event, not each push: the result does not depend on how the stream is cut. */
  private noteWriting(): void {
    const sink = this.sink;
    this.wroteEvents = sink != null && sink.out.length > 0;
  }

  /** Reads the events that repeat the last one, without framing them. Returns false if there are none. */
  private repeats(reader: ResponseReader, unread: usize): bool {
    const pattern = this.pattern;
    const framer = this.framer;
    const end = pattern.matchesEach(unread, framer.bytesEnd(), reader.repeatable, texts);
    if (end == 0) return false;
    framer.skipTo(end, pattern.matched);
    this.textBytes += texts.bytes;
    reader.repeat(texts);
    return true;
  }

  /**
   * Reads the framed event and those after it, as long as they repeat the last one. Returns whether all that were framed do: then the
   * next one is not framed yet.
   */
  private repeatsFramed(reader: ResponseReader): bool {
    const framer = this.framer;
    const pattern = this.pattern;
    texts.clear();
    let hasRepeated = false;
    let isFramed = true;
    while (isFramed && framer.dataLength > 0 && !framer.isError()) {
      const end = framer.textPointer + framer.textLength;
      if (pattern.matches(framer.textPointer, end, reader.repeatable) != end) break;
      texts.add(pattern.pointer, pattern.length);
      hasRepeated = true;
      // Counts are those of one text, and an event that need not be framed is read without.
      if (texts.isFull || pattern.hasCounts || framer.unread() != 0) {
        isFramed = false;
        break;
      }
      isFramed = framer.next();
    }
    if (hasRepeated) {
      this.textBytes += texts.bytes;
      reader.repeat(texts);
    }
    return !isFramed;
  }

  private readEvent(reader: ResponseReader, isTail: bool): void {
    const framer = this.framer;
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    const start = this.start;
    if (this.options.from.isEndMark(pointer, length)) {
      if (start !== null) start.end();
      reader.endOfStream();
      return;
    }
    if (framer.isError()) {
      const fault = readEventFault(framer);
      if (start !== null) start.fail(fault);
      reader.fail(fault);
      return;
    }
    const code = scan(tape, pointer, length);
    if (code != SCAN_OK) {
      if (start !== null) start.rejectEvent(pointer, length);
      if (isTail) return;
      reader.fail(notJson("The provider sent an event that", code, 0));
      return;
    }
    if (this.options.countsText) this.textBytes += this.options.from.textBytes(tape);
    reader.repeatable.clear();
    reader.readEvent(tape);
    if (start !== null) this.offer(start, reader);
    if (this.options.seeksToken && !this.hasToken && reader.failure == null)
      this.hasToken = this.options.from.isFirstToken(tape);
    // An event that repeats one before the first token may be the first token.
    if (start === null || !start.isPending)
      this.pattern.remember(framer.textPointer, framer.textLength, reader.repeatable);
  }

  private readWhole(reader: ResponseReader, pointer: usize, length: u32): void {
    const code = scan(tape, pointer, length);
    const start = this.start;
    if (start !== null) start.judge(pointer, length, code);
    if (code == SCAN_OK) reader.readWhole(tape);
    else if (length == 0) reader.fail(noResponse(pointer, length));
    else reader.fail(notJson("The provider's response", code, this.blank));
  }

  private ping(): void {
    const sink = this.sink;
    if (sink != null) sink.ping();
  }

  private streamReader(out: ByteBuffer): ResponseReader {
    const sink = this.sink;
    if (sink != null) sink.out = out;
    const reader = this.reader;
    return reader != null
      ? reader
      : this.makeReader(this.options.to.newStreamWriter(out, this.translation));
  }

  private makeReader(sink: ResponseSink): ResponseReader {
    this.sink = sink;
    const reader = this.options.from.newReader(sink, this.translation);
    this.reader = reader;
    return reader;
  }
}

/** @param before how many bytes came before those that were scanned */
function notJson(what: string, code: i32, before: u32): Fault {
  return new Fault(
    502,
    `${what} is not valid JSON: ${scanMessage(code)} (byte ${(before + scanErrorAt).toString()}).`,
  );
}

/** Returns the fault for a proxy's page, or for an empty stream. */
function noResponse(pointer: usize, length: u32): Fault {
  const start = excerpt(pointer, length);
  return new Fault(
    502,
    start.length == 0
      ? "The provider's response is empty."
      : `The provider's response is neither JSON nor an event stream: ${start}`,
  );
}

function tooLarge(): Fault {
  return new Fault(502, "The provider sent an event larger than 32 MiB.");
}

/** Returns the fault of an error response (status ≥ 400), whatever its body. Bytes as in `push`. */
export function readError(
  from: ProviderDialect,
  to: ClientDialect,
  status: u32,
  pointer: usize,
  length: u32,
): Fault {
  const fault = readFaultBody(status, pointer, length);
  if (from !== to) to.adaptFault(fault);
  return fault;
}
