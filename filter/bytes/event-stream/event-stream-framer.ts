// Cuts a stream into the frames of AWS's binary event stream (application/vnd.amazon.eventstream), wherever the network
// split it. Numbers are big-endian:
//
//   total length u32 · length of the headers u32 · CRC of these 8 bytes u32 · headers · payload · CRC of all before it u32
//
// A frame that breaks the format, and bytes that are left over at the stream's end, become one event that reports an
// error; nothing is read after it. So do frames of the types `exception` and `error`: their name is the exception's type.
// @see https://smithy.io/2.0/aws/amazon-eventstream.html
import { Framer } from "../framer";
import { escape } from "../json/text";
import { ByteBuffer, constant, sameSpan, Span } from "../text/bytes";
import { crc32 } from "./crc32";
import { FrameHeaders } from "./frame-headers";
import { KnownRun } from "./known-run";
import { crcOfLengths, crcOfPrelude, preludeOf } from "./preludes";

const PRELUDE: u32 = 12;
const CRC: u32 = 4;
const MAX_HEADERS: u32 = 128 << 10;
const MAX_PAYLOAD: u32 = 24 << 20;

/** Of the frame being read: no other code runs until its fields are copied. */
const headers = new FrameHeaders();

export class EventStreamFramer extends Framer {
  /** Bytes of an unfinished frame from earlier calls. */
  private held: ByteBuffer = new ByteBuffer();
  /** The data of a frame of type `error`, whose message is in a header. */
  private message: ByteBuffer = new ByteBuffer();
  /** How most frames begin. */
  private run: KnownRun = new KnownRun();
  private base: usize = 0;
  private length: u32 = 0;
  /** Offset of the next frame. */
  private start: u32 = 0;
  private isFailure: bool = false;
  private isBroken: bool = false;
  private hasEnded: bool = false;

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
    this.hasEnded = true;
  }

  next(): bool {
    if (this.isBroken) return false;
    const frame = this.base + this.start;
    const left = this.length - this.start;
    if (left < PRELUDE) return this.wait(left);
    const total = bswap(load<u32>(frame));
    const headersLength = bswap(load<u32>(frame, 4));
    const prelude = preludeOf(frame, total);
    if (crcOfLengths(prelude) != bswap(load<u32>(frame, 8)))
      return this.fail(
        constant(
          '{"message":"The provider sent a broken event stream: the checksum of a prelude is wrong."}',
        ),
      );
    if (headersLength > MAX_HEADERS || total - PRELUDE - CRC - headersLength > MAX_PAYLOAD)
      return this.fail(
        constant(
          '{"message":"The provider sent a broken event stream: the length of a frame is outside its bounds."}',
        ),
      );
    if (left < total) return this.wait(left);
    const body = frame + PRELUDE;
    const length = total - PRELUDE - CRC;
    const run = this.run;
    const isKnown = run.begins(body, length, headersLength);
    const crc = isKnown
      ? run.crcOf(body, length, prelude)
      : crc32(body, length, crcOfPrelude(prelude));
    if (crc != bswap(load<u32>(body + length)))
      return this.fail(
        constant(
          '{"message":"The provider sent a broken event stream: the checksum of a frame is wrong."}',
        ),
      );
    if (!isKnown && !headers.read(body, headersLength))
      return this.fail(
        constant(
          '{"message":"The provider sent a broken event stream: the headers of a frame are malformed."}',
        ),
      );
    this.start += total;
    this.dataPointer = body + headersLength;
    this.dataLength = length - headersLength;
    if (isKnown) this.setKnownEvent(body);
    else this.setEvent();
    if (!isKnown && !this.isFailure)
      run.remember(body, length, headersLength, this.namePointer, this.nameLength);
    return true;
  }

  hold(): void {
    const left = this.isBroken ? 0 : this.length - this.start;
    const from = this.base + this.start;
    if (this.held.length == 0) {
      this.held.bytes(from, left);
    } else {
      if (this.start > 0 && left > 0) memory.copy(this.base, from, left);
      this.held.length = left;
    }
    this.held.trim();
    this.start = 0;
    this.base = this.held.pointer;
    this.length = this.held.length;
  }

  isError(): bool {
    return this.isFailure;
  }

  /** The format has no comments. */
  isKeepAlive(): bool {
    return false;
  }

  heldLength(): u32 {
    return this.held.length;
  }

  release(): void {
    this.held.release();
    this.message.release();
    this.run.release();
  }

  /** The next frame is incomplete, with `left` bytes so far. Returns whether that is an event: an error at the stream's end. */
  private wait(left: u32): bool {
    return this.hasEnded && left > 0
      ? this.fail(constant('{"message":"The provider ended the event stream inside a frame."}'))
      : false;
  }

  /** The headers are those of the event from which the run was remembered. */
  private setKnownEvent(body: usize): void {
    this.events++;
    this.isFailure = false;
    this.namePointer = body + this.run.nameOffset;
    this.nameLength = this.run.nameLength;
  }

  private setEvent(): void {
    this.events++;
    this.isFailure = !sameSpan(headers.messageType, constant("event"));
    this.namePointer = headers.name.pointer;
    this.nameLength = headers.name.length;
    if (!this.isFailure || this.dataLength > 0) return;
    // An error without data would pass as nothing.
    if (headers.errorMessage.length == 0) this.setData(constant("{}"));
    else this.setMessage(headers.errorMessage);
  }

  private setMessage(text: Span): void {
    const message = this.message;
    message.clear();
    message.text('{"message":"');
    escape(text.pointer, text.length, message);
    message.text('"}');
    this.dataPointer = message.pointer;
    this.dataLength = message.length;
  }

  private setData(data: Span): void {
    this.dataPointer = data.pointer;
    this.dataLength = data.length;
  }

  /** The stream cannot be read any further. Returns true: an event reports it. */
  private fail(data: Span): bool {
    this.isBroken = true;
    this.isFailure = true;
    this.events++;
    this.nameLength = 0;
    this.setData(data);
    return true;
  }
}
