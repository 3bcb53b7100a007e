// Decides what the beginning of a 200 response that is still held is: a response of the model, or an error.
//
// It is a response from the first event with content on (text, reasoning, a tool call, or the finish reason). The events
// before it (a role, an empty block, pings) are held with the headers, up to MAX_HOLD_SECONDS and MAX_HELD_BYTES. Whoever reads
// the response offers what it has framed and scanned: nothing is read for this alone.
import { Fault } from "../hub/faults/fault";
import { excerpt, readFaultBody } from "../hub/faults/read-fault";
import { scanMessage, SCAN_OK } from "../bytes/json/scan";
import { Tape } from "../bytes/json/tape";
import { LOOKS_JSON, LOOKS_OPEN, LOOKS_SSE, looksLike } from "../bytes/sse/looks-like";
import { byteAt, startsWith } from "../bytes/text/at";
import { constant, Span } from "../bytes/text/bytes";
import { beginsWith } from "../bytes/text/readable";
import { ProviderDialect } from "./provider-dialect";

/** What the beginning of a response shows. */
const PENDING: i32 = 0;
const HAS_CONTENT: i32 = 1;
const IS_ERROR: i32 = 2;

/** A longer complete response, and a stream with so many bytes before its content, are released. */
export const MAX_HELD_BYTES: u32 = 64 << 10;
/** Since the first bytes: the pings of a model that thinks for long must reach the client. */
const MAX_HOLD_SECONDS: i64 = 5;

const ERROR = constant("error");
const TYPE = constant("type");
const LESS_THAN: u32 = 0x3c;

/** One per response. What is offered once it is decided changes nothing. */
export class FirstToken {
  /** What the response shows so far. */
  result: i32 = PENDING;
  /** The error, if the response is one. */
  fault: Fault | null = null;
  /** Bytes received so far. */
  seen: u32 = 0;
  private kind: i32 = LOOKS_OPEN;
  private startedAt: i64 = 0;

  constructor(
    private dialect: ProviderDialect,
    private isStreaming: bool,
  ) {}

  get isPending(): bool {
    return this.result == PENDING;
  }

  /** Whether it is a JSON body, which `judge` decides about. */
  get isJson(): bool {
    return this.kind == LOOKS_JSON;
  }

  /** The next bytes, before they are framed. */
  begin(pointer: usize, length: u32): void {
    this.seen += length;
    if (this.kind != LOOKS_OPEN || length == 0) return;
    this.kind = looksLike(pointer, length);
    if (this.kind != LOOKS_SSE) return;
    if (!this.isStreaming) this.readOther(pointer, length);
    else if (beginsWith(pointer, length, LESS_THAN))
      this.reject("The provider's response is not an event stream: " + excerpt(pointer, length));
  }

  /** An event reports an error, by its name or by its frame. */
  fail(fault: Fault): void {
    if (this.result != PENDING) return;
    this.fault = fault;
    this.result = IS_ERROR;
  }

  /** The stream has ended. */
  end(): void {
    this.reject("The provider ended the stream without a response.");
  }

  /** An event is not JSON. */
  rejectEvent(pointer: usize, length: u32): void {
    this.reject("The provider sent an event that is not valid JSON: " + excerpt(pointer, length));
  }

  readEvent(tape: Tape): void {
    if (this.result != PENDING) return;
    const fault = this.dialect.failureOf(tape);
    if (fault !== null) this.fail(fault);
    else if (this.dialect.isFirstToken(tape)) this.result = HAS_CONTENT;
  }

  /** Decides about a JSON body, or the first MAX_HELD_BYTES of it. @param code what the scanner returned for all of it */
  judge(pointer: usize, length: u32, code: i32): void {
    if (this.result != PENDING) return;
    if (beginsWithError(pointer, length)) {
      this.fail(readFaultBody(0, pointer, length));
      // By its length alone, however it is cut: a longer one is not checked.
    } else if (code == SCAN_OK || length >= MAX_HELD_BYTES) {
      this.result = HAS_CONTENT;
    } else {
      this.reject("The provider's response is not valid JSON: " + scanMessage(code) + ".");
    }
  }

  /** All bytes so far have been read, at `now` in seconds. A JSON body is held to its end, to detect an incomplete one. */
  settle(isLast: bool, now: i64): void {
    if (this.result != PENDING) return;
    if (this.startedAt == 0) this.startedAt = now;
    if (isLast && this.kind == LOOKS_OPEN) this.reject("The provider's response is empty.");
    else if (isLast) this.end();
    else if (
      this.seen >= MAX_HELD_BYTES ||
      (this.kind == LOOKS_SSE && now - this.startedAt >= MAX_HOLD_SECONDS)
    )
      this.release();
  }

  /** The response goes on as it is. */
  release(): void {
    if (this.result == PENDING) this.result = HAS_CONTENT;
  }

  private reject(message: string): void {
    this.fail(new Fault(502, message));
  }

  /** Reads the beginning of a response that is neither JSON nor requested as a stream. */
  private readOther(pointer: usize, length: u32): void {
    // Some providers always stream: `data:`, `event:`, a comment.
    const isStream =
      beginsWith(pointer, length, 0x64) ||
      beginsWith(pointer, length, 0x65) ||
      beginsWith(pointer, length, 0x3a);
    if (isStream) this.release();
    else this.reject("The provider's response is not JSON: " + excerpt(pointer, length));
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

/** Returns the offset of the next byte at or after `at` that is not white space, or the length. */
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
