// The framer: cuts a stream of bytes into server-sent events, wherever the network split it.
//
// WHATWG HTML, section 9.2 (event stream): lines end in LF, CRLF or CR; an empty line ends an event; one BOM at the
// start is skipped; a line that starts with a colon is a comment. An event is complete in the call that brings its last
// byte: an empty line that ends in CR does not wait for an LF (if an LF follows, it belongs to that line).
//
// Every byte is read once, also when an event arrives in many pieces. Between calls the framer holds at most one
// unfinished event, and a second copy of its data if that has several lines. The caller may discard such an event with
// `cut`.
import { Framer } from "../framer";
import { ByteBuffer, constant } from "../text/bytes";

const LF: u32 = 0x0a;
const CR: u32 = 0x0d;
const COLON: u32 = 0x3a;
const SPACE: u32 = 0x20;
/** "data", and "even" of "event", as little-endian integers. */
const DATA: u32 = 0x61746164;
const EVEN: u32 = 0x6e657665;

// Constants of the vector code; json/string.ts explains why they are loaded from memory.
const LINE_FEEDS = memory.data<u64>([0x0a0a0a0a0a0a0a0a, 0x0a0a0a0a0a0a0a0a]);
const CARRIAGE_RETURNS = memory.data<u64>([0x0d0d0d0d0d0d0d0d, 0x0d0d0d0d0d0d0d0d]);

const BLANK_LINE = constant("\n\n");

export class SseFramer extends Framer {
  /** The event's bytes as received, with the terminator. All events plus the held bytes are the whole stream. */
  rawPointer: usize = 0;
  rawLength: u32 = 0;
  /** Whether this is not an event but the LF after the CR that ended the previous event, received one call later. */
  isLateLf: bool = false;
  /** Whether the event has a `data` line; without one it is a comment, or a field without data. */
  hasData: bool = false;

  /** Whether `cut` has discarded the event: it has no data, and `raw…` are the bytes received since. */
  isCut: bool = false;

  /** Bytes of an unfinished event from earlier calls. */
  private held: ByteBuffer = new ByteBuffer();
  /** Joined data of an event with several data lines. */
  private joined: ByteBuffer = new ByteBuffer();
  private isJoined: bool = false;
  private base: usize = 0;
  private length: u32 = 0;
  /** Offset of the event being read. */
  private eventStart: u32 = 0;
  /** Offset of the line being read, and the one from which its end is searched. */
  private lineStart: u32 = 0;
  private scanned: u32 = 0;
  /** Offsets from `eventStart`, because the bytes move when they are held. */
  private dataStart: u32 = 0;
  private nameStart: u32 = 0;
  /** Whether `next` has returned true, so that the fields describe a past event. */
  private isOver: bool = false;
  private swallowLf: bool = false;
  private atStreamStart: bool = true;
  /** Placeholder bytes at the event's start, in place of those that `cut` discarded. */
  private standIns: u32 = 0;

  push(pointer: usize, length: u32): void {
    if (this.held.length == 0) {
      this.base = pointer;
      this.length = length;
    } else {
      this.held.bytes(pointer, length);
      this.base = this.held.pointer;
      this.length = this.held.length;
    }
  }

  end(): void {
    this.push(BLANK_LINE.pointer, BLANK_LINE.length);
  }

  unread(): usize {
    if (this.swallowLf || this.eventStart >= this.length) return 0;
    const isBegun = this.isCut || this.hasData || this.scanned > this.eventStart;
    return isBegun && !this.isOver ? 0 : this.base + this.eventStart;
  }

  // @ts-ignore: decorator
  @inline
  bytesEnd(): usize {
    return this.base + this.length;
  }

  skipTo(end: usize, events: u32): void {
    if (this.isOver) this.beginEvent();
    this.events += events;
    const after = <u32>(end - this.base);
    this.eventStart = after;
    this.lineStart = after;
    this.scanned = after;
    this.atStreamStart = false;
    this.isOver = true;
  }

  get textPointer(): usize {
    return this.rawPointer;
  }

  /** An event that ends in CR may go on with an LF. */
  get textLength(): u32 {
    if (this.isJoined || this.rawLength == 0) return 0;
    return load<u8>(this.rawPointer + this.rawLength - 1) == LF ? this.rawLength : 0;
  }

  /** Returns whether the event is a comment, as proxies send it; an empty line is not. */
  isKeepAlive(): bool {
    return !this.hasData && this.rawLength > 2;
  }

  next(): bool {
    if (this.isOver) this.beginEvent();
    const length = this.length;
    if (this.swallowLf && this.scanned < length) {
      this.swallowLf = false;
      if (load<u8>(this.base + this.scanned) == LF) {
        this.isLateLf = true;
        return this.finishEvent(this.scanned + 1);
      }
    }
    while (true) {
      const end = this.findLineEnd(this.scanned);
      const start = this.contentStart();
      let after = end + 1;
      if (end < length && load<u8>(this.base + end) == CR) {
        if (after < length) {
          if (load<u8>(this.base + after) == LF) after++;
        } else if (end == start) {
          this.swallowLf = true;
        } else {
          // May be half of a CRLF: only an empty line does not wait for the other half.
          after = 0;
        }
      }
      if (end >= length || after == 0) {
        this.scanned = end;
        return false;
      }
      if (end == start) return this.finishEvent(after);
      if (!this.isCut) this.readField(start, end);
      this.lineStart = after;
      this.scanned = after;
    }
  }

  hold(): void {
    const left = this.length - this.eventStart;
    if (this.base == this.held.pointer && this.held.length > 0) {
      if (left > 0 && this.eventStart > 0) {
        memory.copy(this.base, this.base + this.eventStart, left);
      }
      this.held.length = left;
    } else if (left > 0) {
      this.held.clear();
      this.held.bytes(this.base + this.eventStart, left);
    }
    this.scanned -= this.eventStart;
    this.lineStart -= this.eventStart;
    this.eventStart = 0;
    this.held.trim();
    if (!this.isJoined) {
      this.joined.clear();
      this.joined.trim();
    }
    this.base = this.held.pointer;
    this.length = this.held.length;
    if (this.length == left) return;
    // The block was refused: the stream cannot be read any further, but no offset may point after the bytes.
    this.scanned = 0;
    this.lineStart = 0;
  }

  /** Returns the size of the unfinished event; after `cut` the bytes received since. */
  // @ts-ignore: decorator
  @inline
  heldLength(): u32 {
    return this.held.length - this.standIns;
  }

  heldPointer(): usize {
    return this.held.pointer + this.standIns;
  }

  /** Discards the unfinished event, after `hold`. The caller may read its bytes from `heldPointer` first. */
  cut(): void {
    const held = this.held;
    const isInLine = this.lineStart < this.length;
    // May be half of a CRLF.
    const endsInCr = isInLine && this.scanned < this.length;
    held.clear();
    // Any letter: an empty line would end the event.
    if (isInLine) held.byte(0x78);
    this.scanned = held.length;
    if (endsInCr) held.byte(CR);
    held.trim();
    if (!this.isCut) this.joined.release();
    this.isJoined = false;
    this.isCut = true;
    this.hasData = true;
    this.atStreamStart = false;
    this.lineStart = 0;
    this.standIns = held.length;
    this.base = held.pointer;
    this.length = held.length;
  }

  release(): void {
    this.held.release();
    this.joined.release();
  }

  private beginEvent(): void {
    this.isOver = false;
    this.isLateLf = false;
    this.isJoined = false;
    this.isCut = false;
    this.standIns = 0;
    this.hasData = false;
    this.dataLength = 0;
    this.nameLength = 0;
  }

  private finishEvent(after: u32): bool {
    const event = this.base + this.eventStart;
    this.rawPointer = event + this.standIns;
    this.rawLength = after - this.eventStart - this.standIns;
    if (this.hasData) this.events++;
    if (this.isCut) {
      this.hasData = false;
      this.dataLength = 0;
      this.nameLength = 0;
    }
    this.dataPointer = this.isJoined ? this.joined.pointer : event + this.dataStart;
    this.namePointer = event + this.nameStart;
    this.eventStart = after;
    this.lineStart = after;
    this.scanned = after;
    this.atStreamStart = false;
    this.isOver = true;
    return true;
  }

  /** Returns where the current line's text starts: after a BOM on the stream's first line. */
  private contentStart(): u32 {
    if (!this.atStreamStart || this.lineStart != 0) return this.lineStart;
    const first = this.base;
    const isBom =
      load<u8>(first) == 0xef && load<u8>(first + 1) == 0xbb && load<u8>(first + 2) == 0xbf;
    return isBom ? 3 : 0;
  }

  /** Returns the offset of the next CR or LF at or after `at`, or the length. */
  private findLineEnd(at: u32): u32 {
    const base = this.base;
    const length = this.length;
    const lineFeed = v128.load(LINE_FEEDS);
    const carriageReturn = v128.load(CARRIAGE_RETURNS);
    while (at < length) {
      // Data rarely has a byte as low as CR: 64 bytes at once, one comparison.
      const p = base + at;
      const least = i8x16.min_u(
        i8x16.min_u(v128.load(p), v128.load(p, 16)),
        i8x16.min_u(v128.load(p, 32), v128.load(p, 48)),
      );
      if (!v128.any_true(i8x16.eq(i8x16.min_u(least, carriageReturn), least))) {
        at += 64;
        continue;
      }
      for (let part: u32 = 0; part < 64; part += 16) {
        const bytes = v128.load(p + part);
        const ends = i8x16.bitmask(
          v128.or(i8x16.eq(bytes, lineFeed), i8x16.eq(bytes, carriageReturn)),
        );
        if (ends != 0) return min(at + part + ctz(ends), length);
      }
      at += 64;
    }
    return length;
  }

  /** Reads a field. "data" and "event" are the only ones that the dialects use. */
  private readField(start: u32, end: u32): void {
    const p = this.base + start;
    const length = end - start;
    const name = load<u32>(p);
    if (name == DATA && (length == 4 || (length > 4 && load<u8>(p + 4) == COLON))) {
      this.addData(valueStart(this.base, start + 4, end), end);
    } else if (name == EVEN && load<u8>(p + 4) == 0x74) {
      if (length > 5 && load<u8>(p + 5) != COLON) return;
      const value = valueStart(this.base, start + 5, end);
      this.nameStart = value - this.eventStart;
      this.nameLength = end - value;
    }
  }

  private addData(start: u32, end: u32): void {
    const length = end - start;
    if (!this.hasData) {
      this.hasData = true;
      this.dataStart = start - this.eventStart;
      this.dataLength = length;
      return;
    }
    const joined = this.joined;
    if (!this.isJoined) {
      this.isJoined = true;
      joined.clear();
      joined.bytes(this.base + this.eventStart + this.dataStart, this.dataLength);
    }
    joined.byte(LF);
    joined.bytes(this.base + start, length);
    this.dataLength = joined.length;
  }
}

/** Returns the offset of a field's value: after the colon at `colon` and one space, or the line's end. */
function valueStart(base: usize, colon: u32, end: u32): u32 {
  if (colon >= end) return end;
  const value = colon + 1;
  return value < end && load<u8>(base + value) == SPACE ? value + 1 : value;
}
