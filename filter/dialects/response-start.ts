// Inspects the beginning of a 200 response that is still held: is it a response of the model, or an error?
//
// It is a response from the first event with content on (text, reasoning, a tool call, or the finish reason). The events
// before it (a role, an empty block, pings) are held with the headers, up to MAX_HOLD_SECONDS and MAX_HELD_BYTES.
import { wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/memory-budget";
import { Fault } from "../hub/faults/fault";
import { excerpt, readEventFault, readFaultBody } from "../hub/faults/read-fault";
import { scan, scanMessage, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { LOOKS_JSON, LOOKS_OPEN } from "../bytes/sse/looks-like";
import { byteAt, startsWith } from "../bytes/text/at";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { Framer } from "../bytes/framer";
import { ProviderDialect } from "./provider-dialect";

/** What the beginning of a response shows. */
export const PENDING: i32 = 0;
export const HAS_CONTENT: i32 = 1;
export const IS_ERROR: i32 = 2;

/** A longer complete response, and a stream with so many bytes before its content, are released. */
const MAX_HELD_BYTES: u32 = 64 << 10;
/** Since the first event: the pings of a model that thinks for long must reach the client. */
const MAX_HOLD_SECONDS: i64 = 5;

const ERROR = constant("error");
const TYPE = constant("type");

const tape = scratchTape();

/** One per response, released by its owner. */
export class FirstToken {
  /** The error, if the response is one. */
  fault: Fault | null = null;
  /** Bytes received so far. */
  seen: u32 = 0;
  private framer: Framer;
  private contentKind: i32 = LOOKS_OPEN;
  /** The beginning of a JSON body; all of it if it is an error. */
  private body: ByteBuffer = new ByteBuffer();
  private firstEvent: i64 = 0;

  constructor(
    private dialect: ProviderDialect,
    private isStreaming: bool,
  ) {
    this.framer = dialect.newFramer();
  }

  /** Reads the next bytes, with PADDING behind them. `now` in seconds. Returns what the response shows so far. */
  push(pointer: usize, length: u32, isLast: bool, now: i64): i32 {
    this.seen += length;
    if (this.contentKind == LOOKS_OPEN && length > 0)
      this.contentKind = this.framer.kindOf(pointer, length);
    if (this.contentKind == LOOKS_OPEN)
      return isLast ? this.fail("The upstream's response is empty.") : PENDING;
    if (this.contentKind == LOOKS_JSON) return this.readJson(pointer, length, isLast);
    if (!this.isStreaming && this.seen == length) return this.readOther(pointer, length);
    return this.readStream(pointer, length, isLast, now);
  }

  release(): void {
    this.framer.release();
    this.body.release();
  }

  private fail(message: string): i32 {
    this.fault = new Fault(502, message);
    return IS_ERROR;
  }

  /** Reads a complete response, or an error: the first member decides. It is held to its end, to detect an incomplete one. */
  private readJson(pointer: usize, length: u32, isLast: bool): i32 {
    const body = this.body;
    if (body.length == 0 && (isLast || length >= MAX_HELD_BYTES))
      return this.judge(pointer, length, isLast);
    body.bytes(pointer, length);
    if (!isLast && body.length < MAX_HELD_BYTES && mayHold(body.length)) return PENDING;
    body.reserve(0);
    return this.judge(body.pointer, body.length, isLast);
  }

  private judge(pointer: usize, length: u32, isLast: bool): i32 {
    if (beginsWithError(pointer, length)) {
      this.fault = readFaultBody(0, pointer, length);
      return IS_ERROR;
    }
    // By its length alone, however it is cut: a longer one is not checked.
    const isHeld = isLast && length < MAX_HELD_BYTES;
    const code = isHeld ? scan(tape, pointer, length) : SCAN_OK;
    tape.reset();
    if (code == SCAN_OK) return HAS_CONTENT;
    return this.fail("The upstream's response is not valid JSON: " + scanMessage(code) + ".");
  }

  /** Reads a response that is neither JSON nor requested as a stream. */
  private readOther(pointer: usize, length: u32): i32 {
    const first = byteAt(pointer);
    // Some providers always stream: `data:`, `event:`, a comment.
    if (first == 0x64 || first == 0x65 || first == 0x3a) return HAS_CONTENT;
    return this.fail("The upstream's response is not JSON: " + excerpt(pointer, length));
  }

  private readStream(pointer: usize, length: u32, isLast: bool, now: i64): i32 {
    const isPage = this.seen == length && byteAt(pointer) == 0x3c;
    if (isPage)
      return this.fail(
        "The upstream's response is not an event stream: " + excerpt(pointer, length),
      );
    const framer = this.framer;
    framer.push(pointer, length);
    let result = this.readEvents(framer, now);
    // Nothing behind the first token is read here: a copy of it would cost as much as all that is.
    if (result == PENDING) framer.hold();
    if (result == PENDING && isLast) {
      framer.end();
      result = this.readEvents(framer, now);
      if (result == PENDING) return this.fail("The upstream ended the stream without a response.");
    }
    const isLong = this.seen >= MAX_HELD_BYTES || !mayHold(this.seen) || wasRefused();
    return result == PENDING && isLong ? HAS_CONTENT : result;
  }

  private readEvents(framer: Framer, now: i64): i32 {
    while (framer.next()) {
      if (this.firstEvent == 0) this.firstEvent = now;
      const result = framer.dataLength > 0 ? this.readEvent(framer) : PENDING;
      if (result != PENDING) return result;
      if (now - this.firstEvent >= MAX_HOLD_SECONDS) return HAS_CONTENT;
    }
    return PENDING;
  }

  private readEvent(framer: Framer): i32 {
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    if (framer.isError()) {
      this.fault = readEventFault(framer);
      return IS_ERROR;
    }
    if (this.dialect.isEndMark(pointer, length))
      return this.fail("The upstream ended the stream without a response.");
    if (scan(tape, pointer, length) != SCAN_OK) {
      return this.fail(
        "The upstream sent an event that is not valid JSON: " + excerpt(pointer, length),
      );
    }
    this.fault = this.dialect.failureOf(tape);
    if (this.fault !== null) return IS_ERROR;
    return this.dialect.isFirstToken(tape) ? HAS_CONTENT : PENDING;
  }
}

/** Returns whether a body begins with a non-empty member `"error"`, or with `"type": "error"`. */
function beginsWithError(pointer: usize, length: u32): bool {
  let at = afterSpace(pointer, length, 0);
  if (at >= length || byteAt(pointer, at) != 0x7b) return false;
  at = afterSpace(pointer, length, at + 1);
  const isError = isWord(pointer, length, at, ERROR);
  const isType = isWord(pointer, length, at, TYPE);
  if (!isError && !isType) return false;
  at = afterSpace(pointer, length, at + 2 + (isError ? ERROR.length : TYPE.length));
  if (at >= length || byteAt(pointer, at) != 0x3a) return false;
  at = afterSpace(pointer, length, at + 1);
  if (isType) return isWord(pointer, length, at, ERROR);
  // Neither null nor false.
  return at < length && byteAt(pointer, at) != 0x6e && byteAt(pointer, at) != 0x66;
}

/** Returns the offset of the next byte at or behind `at` that is not white space, or the length. */
function afterSpace(pointer: usize, length: u32, at: u32): u32 {
  while (at < length && byteAt(pointer, at) <= 0x20) at++;
  return at;
}

/** Returns whether the JSON string at `at` is this word. */
function isWord(pointer: usize, length: u32, at: u32, word: Span): bool {
  if (at + word.length + 2 > length || byteAt(pointer, at) != 0x22) return false;
  if (byteAt(pointer, at + 1 + word.length) != 0x22) return false;
  return startsWith(pointer + at + 1, word.length, word);
}
