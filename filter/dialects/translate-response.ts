// Translates one response of a provider into the client's dialect, complete or as a stream, whichever the upstream sent.
//
// Each upstream event leaves in the call that brought its last byte. Memory of a stream: its largest event, tool calls
// that a provider interleaves, and signed reasoning for a chat client (docs/decisions/2026-11-21-reasoning-carrier.md).
// All of it is counted: a stream that wants more than it may hold ends with an error, and no other one does.
import { heldBytes, wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/budget";
import { Framer } from "../bytes/framer";
import { Dialect } from "./dialect";
import { defaultDialect } from "./registry";
import { Pattern } from "../bytes/json/pattern";
import { SCAN_OK, scan, scanErrorAt, scanMessage } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { escapeText } from "../bytes/json/text";
import { LOOKS_JSON, LOOKS_OPEN, LOOKS_SSE, looksLike } from "../bytes/sse/looks-like";
import { ByteBuffer, constant, sameBytes, Span } from "../bytes/text/bytes";
import { Dropped } from "../hub/dropped";
import { ResponseHead, ResponseSink } from "../hub/events";
import { Fault, outOfMemory } from "../hub/fault";
import { excerpt, readFault, readFaultBody } from "../hub/read-fault";
import { ResponseReader } from "../hub/response-reader";
import { Usage } from "../hub/usage";

/** An event of a stream, or a complete response inside one, may have this many bytes. */
export const MAX_EVENT: u32 = 32 << 20;
/** What one stream may hold: an event whose buffer has just been doubled, and a second copy of its data. Bytes. */
const MAX_HELD: isize = 4 * <isize>MAX_EVENT;

/** One for all responses: nothing of it is needed from one event to the next. */
const tape = scratchTape();

const ERROR = constant("error");

const NO_MODEL = new Span(0, 0);

/** What a translation has to know besides the response's bytes. */
export class ResponseOptions {
  /** Dialects: the provider's and the client's. */
  from: Dialect = defaultDialect();
  to: Dialect = defaultDialect();
  /** Whether the client asked for a stream. */
  isStreaming: bool = false;
  /** Whether a chat client asked for `stream_options.include_usage`. */
  wantsUsage: bool = false;
  /** Seconds since 1970, for providers that do not say when. */
  created: i64 = 0;
  requestId: string = "";
  /** The model that the upstream was asked for, escaped; used only when it names none. */
  model: Span = NO_MODEL;
}

/** One per response, released by its owner. Either `push` … `end`, or `complete` once. */
export class ResponseTranslator {
  usage: Usage = new Usage();
  dropped: Dropped = new Dropped();
  /** Whether the fault is an event that is not JSON. */
  isGarbled: bool = false;
  private head: ResponseHead = new ResponseHead();
  private framer: Framer;
  private pattern: Pattern = new Pattern();
  private sink: ResponseSink | null = null;
  private reader: ResponseReader | null = null;
  private looks: i32 = LOOKS_OPEN;
  private wroteEvents: bool = false;
  /** A complete response that came where a stream was asked for. */
  private body: ByteBuffer = new ByteBuffer();
  /** Bytes of memory that this response holds from one call to the next. */
  private held: isize = 0;

  constructor(private options: ResponseOptions) {
    this.framer = options.from.newFramer();
    this.head.created = options.created;
    this.head.model.span(options.model);
    escapeText(options.requestId, this.head.id);
  }

  /** What ended the response as an error, null while nothing did. */
  get fault(): Fault | null {
    const reader = this.reader;
    return reader == null ? null : reader.failure;
  }

  /** Whether the client has been told that a response begins. */
  get hasBegun(): bool {
    const reader = this.reader;
    return reader != null && reader.hasBegun;
  }

  /** Whether anything has been written for the client before an error was. */
  get hasWritten(): bool {
    return this.hasBegun || this.wroteEvents;
  }

  /** Events with data that the upstream has sent. */
  get events(): u32 {
    return this.framer.events;
  }

  /** Whether the client has got the end of its stream, clean or not: what else comes is ignored. */
  get isOver(): bool {
    const reader = this.reader;
    return reader != null && reader.isOver;
  }

  /**
   * Takes bytes of a stream as they come, and appends to `out` all that they complete for the client. The block must be
   * writable and have PADDING bytes behind its end; it is the caller's again after the call.
   */
  push(pointer: usize, length: u32, out: ByteBuffer): void {
    const before = heldBytes();
    const reader = this.streamReader(out);
    if (reader.isOver || length == 0) return;
    if (this.looks == LOOKS_OPEN) this.looks = looksLike(pointer, length);
    if (this.looks == LOOKS_JSON) {
      this.body.bytes(pointer, length);
    } else {
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

  /** Bytes of the stream are lost for want of memory: the response ends with an error. */
  lose(out: ByteBuffer): void {
    this.failForMemory(this.streamReader(out));
  }

  /** The upstream has ended: appends what is still owed, an error if the response was not finished. */
  end(out: ByteBuffer): void {
    const reader = this.streamReader(out);
    if (reader.isOver) return;
    if (this.looks == LOOKS_JSON) {
      this.readWhole(reader, this.body.pointer, this.body.length);
    } else {
      // The last event may lack its empty line; if it was cut in the middle, the stream just ended early.
      this.framer.end();
      this.readEvents(reader, true);
      this.framer.hold();
      reader.endOfStream();
    }
    this.failsForMemory(reader, out);
  }

  /**
   * Translates a whole body into a whole body. Answers the status for the client: 200, or that of the error which was
   * written. Bytes as in `push`.
   */
  complete(pointer: usize, length: u32, out: ByteBuffer): u32 {
    const reader = this.makeReader(this.completeWriter(out));
    if (looksLike(pointer, length) == LOOKS_SSE) {
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
    this.head.release();
    this.framer.release();
    this.pattern.release();
    this.body.release();
    const sink = this.sink;
    if (sink != null) sink.release();
    const reader = this.reader;
    if (reader != null) reader.release();
  }

  /** Where the VM had no room for all of it, what was written is not whole: the response ends with an error in its place. */
  private failsForMemory(reader: ResponseReader, out: ByteBuffer): bool {
    if (!wasRefused()) return false;
    out.clear();
    reader.isOver = false;
    this.failForMemory(reader);
    return true;
  }

  /** What the response holds is given back at once, so that no more responses fail than have to. */
  private failForMemory(reader: ResponseReader): void {
    reader.fail(outOfMemory("response"));
    this.framer.release();
    this.body.release();
  }

  private readEvents(reader: ResponseReader, isTail: bool): void {
    const framer = this.framer;
    while (!reader.isOver && framer.next()) {
      if (framer.dataLength > 0) this.readEvent(reader, isTail);
      else if (!isTail && framer.isKeepAlive()) this.ping();
      if (!this.wroteEvents && reader.failure == null) this.noteWriting();
    }
  }

  /** By each event, not by each push: how the stream is cut makes no difference. */
  private noteWriting(): void {
    const sink = this.sink;
    this.wroteEvents = sink != null && sink.out.length > 0;
  }

  private readEvent(reader: ResponseReader, isTail: bool): void {
    const pointer = this.framer.dataPointer;
    const length = this.framer.dataLength;
    const pattern = this.pattern;
    const isError = sameBytes(
      this.framer.namePointer,
      this.framer.nameLength,
      ERROR.pointer,
      ERROR.length,
    );
    if (!isError && pattern.fits(pointer, length)) {
      reader.repeat(pattern.pointer, pattern.length);
      return;
    }
    if (reader.isEndMark(pointer, length)) {
      reader.endOfStream();
      return;
    }
    const code = scan(tape, pointer, length);
    if (code != SCAN_OK) {
      if (isError) reader.fail(readFaultBody(0, pointer, length));
      else if (!isTail) {
        this.isGarbled = true;
        reader.fail(notJson("The upstream sent an event that", code));
      }
      return;
    }
    if (isError) {
      reader.fail(readFault(tape, tape.root(), 0));
      return;
    }
    reader.repeatable = 0;
    reader.readEvent(tape);
    if (reader.repeatable == 0 || !pattern.isUseful) pattern.forget();
    else this.learn(reader, pointer, length);
  }

  private learn(reader: ResponseReader, pointer: usize, length: u32): void {
    const first = reader.repeatable;
    const firstLength = reader.repeatableLength;
    this.pattern.learn(pointer, length, first, firstLength, reader.noise, reader.noiseLength);
  }

  private readWhole(reader: ResponseReader, pointer: usize, length: u32): void {
    const code = scan(tape, pointer, length);
    if (code == SCAN_OK) reader.readWhole(tape);
    else if (length == 0) reader.fail(noResponse(pointer, length));
    else reader.fail(notJson("The upstream's response", code));
  }

  private ping(): void {
    const sink = this.sink;
    if (sink != null) sink.ping();
  }

  private streamReader(out: ByteBuffer): ResponseReader {
    const sink = this.sink;
    if (sink != null) sink.out = out;
    const reader = this.reader;
    return reader != null ? reader : this.makeReader(this.streamWriter(out));
  }

  private makeReader(sink: ResponseSink): ResponseReader {
    this.sink = sink;
    const options = this.options;
    const reader = options.from.newReader(
      sink,
      this.head,
      this.usage,
      this.dropped,
      options.requestId,
    );
    this.reader = reader;
    return reader;
  }

  private streamWriter(out: ByteBuffer): ResponseSink {
    const options = this.options;
    return options.to.newStreamWriter(
      out,
      this.dropped,
      this.usage,
      options.requestId,
      options.wantsUsage,
    );
  }

  private completeWriter(out: ByteBuffer): ResponseSink {
    const options = this.options;
    return options.to.newCompleteWriter(out, this.dropped, this.usage, options.requestId);
  }
}

function notJson(what: string, code: i32): Fault {
  return new Fault(
    502,
    `${what} is not valid JSON: ${scanMessage(code)} (byte ${scanErrorAt.toString()}).`,
  );
}

/** A page of some proxy, or an empty stream. */
function noResponse(pointer: usize, length: u32): Fault {
  const start = excerpt(pointer, length);
  return new Fault(
    502,
    start.length == 0
      ? "The upstream's response is empty."
      : `The upstream's response is neither JSON nor an event stream: ${start}`,
  );
}

function tooLarge(): Fault {
  return new Fault(502, "The upstream sent an event larger than 32 MiB.");
}

/** Returns what an error of a provider (status ≥ 400) says to a client, whatever its body. Bytes as in `push`. */
export function readError(
  from: Dialect,
  to: Dialect,
  status: u32,
  pointer: usize,
  length: u32,
): Fault {
  const fault = readFaultBody(status, pointer, length);
  if (from !== to) to.adaptFault(fault);
  return fault;
}
