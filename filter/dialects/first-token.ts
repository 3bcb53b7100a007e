// Looks at the beginning of a 200 that is still held: does the provider answer, or is this an error by another name?
//
// What counts as an answer is the first event with something for the reader in it (text, reasoning, a tool call, the
// reason why it ended). Before it come a role, an empty block, pings: they are held with the headers, but not for long
// (MAX_HOLD), and not many of them (MAX_HELD).
import { wasRefused } from "../memory/blocks";
import { mayHold } from "../memory/budget";
import { Fault } from "../hub/fault";
import { excerpt, readFault, readFaultBody } from "../hub/read-fault";
import { scan, scanMessage, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { LOOKS_JSON, LOOKS_OPEN, looksLike } from "../bytes/sse/looks-like";
import { ByteBuffer, constant, sameBytes, Span } from "../bytes/text/bytes";
import { Framer } from "../bytes/framer";
import { Dialect } from "./dialect";

/** What is to be done with the response. */
export const LOOK_ON: i32 = 0;
export const ANSWERS: i32 = 1;
export const FAILS: i32 = 2;

/** Bytes; a stream that says so much without saying anything, and a longer complete response, are let go on. */
const MAX_HELD: u32 = 64 << 10;
/** Seconds since the first event: a model that thinks for long sends pings, and its client wants to see them. */
const MAX_HOLD: i64 = 5;

const ERROR = constant("error");
const TYPE = constant("type");

const tape = scratchTape();

/** One per response, released by its owner. */
export class FirstToken {
  /** Why the response fails; null unless it does. */
  fault: Fault | null = null;
  /** Bytes that it has been given. */
  seen: u32 = 0;
  /** Null until there is an event stream to cut. */
  private framer: Framer | null = null;
  private looks: i32 = LOOKS_OPEN;
  /** The beginning of a JSON body; all of it when that is an error. */
  private body: ByteBuffer = new ByteBuffer();
  private firstEvent: i64 = 0;

  constructor(
    private dialect: Dialect,
    private isStreaming: bool,
  ) {}

  /** Takes the next bytes, with PADDING behind them. `now` in seconds. */
  push(pointer: usize, length: u32, isLast: bool, now: i64): i32 {
    this.seen += length;
    if (this.looks == LOOKS_OPEN && length > 0) this.looks = looksLike(pointer, length);
    if (this.looks == LOOKS_OPEN)
      return isLast ? this.fail("The upstream's response is empty.") : LOOK_ON;
    if (this.looks == LOOKS_JSON) return this.readJson(pointer, length, isLast);
    if (!this.isStreaming && this.seen == length) return this.readOther(pointer, length);
    return this.readStream(pointer, length, isLast, now);
  }

  release(): void {
    const framer = this.framer;
    if (framer !== null) framer.release();
    this.body.release();
  }

  private fail(message: string): i32 {
    this.fault = new Fault(502, message);
    return FAILS;
  }

  /** A complete response, or an error: its first member says which. Held to its end, which half a response does not have. */
  private readJson(pointer: usize, length: u32, isLast: bool): i32 {
    const body = this.body;
    if (body.length == 0 && (isLast || length >= MAX_HELD))
      return this.judge(pointer, length, isLast);
    body.bytes(pointer, length);
    if (!isLast && body.length < MAX_HELD && mayHold(body.length)) return LOOK_ON;
    body.reserve(0);
    return this.judge(body.pointer, body.length, isLast);
  }

  private judge(pointer: usize, length: u32, isLast: bool): i32 {
    if (beginsWithError(pointer, length)) {
      this.fault = readFaultBody(0, pointer, length);
      return FAILS;
    }
    // By its length alone, however it is cut: a longer one is never read to its end.
    const isHeld = isLast && length < MAX_HELD;
    const code = isHeld ? scan(tape, pointer, length) : SCAN_OK;
    tape.reset();
    if (code == SCAN_OK) return ANSWERS;
    return this.fail("The upstream's response is not valid JSON: " + scanMessage(code) + ".");
  }

  /** Neither JSON nor asked to be a stream. */
  private readOther(pointer: usize, length: u32): i32 {
    const first = load<u8>(pointer);
    // A provider that streams to everybody: `data:`, `event:`, a comment.
    if (first == 0x64 || first == 0x65 || first == 0x3a) return ANSWERS;
    return this.fail("The upstream's response is not JSON: " + excerpt(pointer, length));
  }

  private readStream(pointer: usize, length: u32, isLast: bool, now: i64): i32 {
    const isPage = this.seen == length && load<u8>(pointer) == 0x3c;
    if (isPage)
      return this.fail("The upstream's response is no event stream: " + excerpt(pointer, length));
    let framer = this.framer;
    if (framer === null) {
      framer = this.dialect.newFramer();
      this.framer = framer;
    }
    framer.push(pointer, length);
    let result = this.readEvents(framer, now);
    framer.hold();
    if (result == LOOK_ON && isLast) {
      framer.end();
      result = this.readEvents(framer, now);
      framer.hold();
      if (result == LOOK_ON) return this.fail("The upstream ended the stream without a response.");
    }
    const isLong = this.seen >= MAX_HELD || !mayHold(this.seen) || wasRefused();
    return result == LOOK_ON && isLong ? ANSWERS : result;
  }

  private readEvents(framer: Framer, now: i64): i32 {
    while (framer.next()) {
      if (this.firstEvent == 0) this.firstEvent = now;
      const result = framer.dataLength > 0 ? this.readEvent(framer) : LOOK_ON;
      if (result != LOOK_ON) return result;
      if (now - this.firstEvent >= MAX_HOLD) return ANSWERS;
    }
    return LOOK_ON;
  }

  private readEvent(framer: Framer): i32 {
    const pointer = framer.dataPointer;
    const length = framer.dataLength;
    if (sameBytes(framer.namePointer, framer.nameLength, ERROR.pointer, ERROR.length)) {
      this.fault = readFaultBody(0, pointer, length);
      return FAILS;
    }
    // `[DONE]`
    if (load<u8>(pointer) == 0x5b)
      return this.fail("The upstream ended the stream without a response.");
    if (scan(tape, pointer, length) != SCAN_OK) {
      return this.fail(
        "The upstream sent an event that is not valid JSON: " + excerpt(pointer, length),
      );
    }
    if (tape.isPresent(tape.member(0, ERROR))) {
      this.fault = readFault(tape, 0, 0);
      return FAILS;
    }
    return this.dialect.isFirstToken(tape) ? ANSWERS : LOOK_ON;
  }
}

/** `{"error": …` with something in it, or `{"type": "error"`. */
function beginsWithError(pointer: usize, length: u32): bool {
  let at = afterSpace(pointer, length, 0);
  if (at >= length || load<u8>(pointer + at) != 0x7b) return false;
  at = afterSpace(pointer, length, at + 1);
  const isError = isWord(pointer, length, at, ERROR);
  const isType = isWord(pointer, length, at, TYPE);
  if (!isError && !isType) return false;
  at = afterSpace(pointer, length, at + 2 + (isError ? ERROR.length : TYPE.length));
  if (at >= length || load<u8>(pointer + at) != 0x3a) return false;
  at = afterSpace(pointer, length, at + 1);
  if (isType) return isWord(pointer, length, at, ERROR);
  // Not null, not false.
  return at < length && load<u8>(pointer + at) != 0x6e && load<u8>(pointer + at) != 0x66;
}

/** Offset of the next byte at or behind `at` that is no white space, or the length. */
function afterSpace(pointer: usize, length: u32, at: u32): u32 {
  while (at < length && load<u8>(pointer + at) <= 0x20) at++;
  return at;
}

/** Whether a string that says this begins at `at`. */
function isWord(pointer: usize, length: u32, at: u32, word: Span): bool {
  if (at + word.length + 2 > length || load<u8>(pointer + at) != 0x22) return false;
  if (load<u8>(pointer + at + 1 + word.length) != 0x22) return false;
  return sameBytes(pointer + at + 1, word.length, word.pointer, word.length);
}
