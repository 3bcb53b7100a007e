// Unwraps the stream of Claude on Bedrock: AWS's binary frames, each with the JSON of one of Anthropic's events in base64, become
// Anthropic's server-sent events. Whatever reads the response afterwards sees an ordinary stream. An exception, a broken frame
// and a stream that ends before `message_stop` become Anthropic's error event.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
import { wasRefused } from "../../../../memory/blocks";
import { mayHold } from "../../../../memory/memory-budget";
import { EventStreamFramer } from "../../../../bytes/event-stream/event-stream-framer";
import { Edits } from "../../../../bytes/json/edit";
import { scan, SCAN_OK } from "../../../../bytes/json/scan";
import { scratchTape } from "../../../../bytes/json/tape";
import { decodeBase64 } from "../../../../bytes/text/base64";
import { byteAt } from "../../../../bytes/text/at";
import { findByte } from "../../../../bytes/text/find";
import { ByteBuffer, constant, scratchBuffer } from "../../../../bytes/text/bytes";
import { Fault, outOfMemory } from "../../../../hub/faults/fault";
import { readEventFault } from "../../../../hub/faults/read-fault";
import { ListEdit } from "../../../list-edit";
import { writeAnthropicFault } from "../write-fault";

const EVENT_END = constant("\n\n");

const EMPTY = "The provider's response is empty.";

const LF: u32 = 0x0a;
const CR: u32 = 0x0d;
const SPACE: u32 = 0x20;

const tape = scratchTape();
const event = scratchBuffer();
const edited = scratchBuffer();
const edits = new Edits();
const members = new ListEdit();

/** One per response, released by its owner. */
export class StreamUnwrapper {
  /** Why the stream has failed, or null. */
  fault: Fault | null = null;
  /** Whether an event was written before the fault. */
  hasWritten: bool = false;
  /** Bytes at the beginning of Envoy's buffer that are unwrapped already. */
  held: u32 = 0;
  /** Whether the end of the stream has been written: further bytes are ignored. */
  isOver: bool = false;
  private framer: EventStreamFramer = new EventStreamFramer();

  constructor(private requestId: ByteBuffer) {}

  /** Reads the next bytes, with PADDING after them, and appends the events that they complete to `out`. */
  push(pointer: usize, length: u32, out: ByteBuffer): void {
    if (this.isOver) return;
    this.framer.push(pointer, length);
    this.readFrames(out);
    this.framer.hold();
    if (wasRefused() || !mayHold(this.framer.heldLength())) this.fail(outOfMemory("response"), out);
  }

  /** The provider's stream has ended. */
  end(out: ByteBuffer): void {
    if (this.isOver) return;
    this.framer.end();
    this.readFrames(out);
    this.framer.hold();
    const isEmpty = !this.hasWritten;
    this.fail(
      new Fault(502, isEmpty ? EMPTY : "The provider ended the stream before its end."),
      out,
    );
  }

  /** Ends the stream with a fault, unless it has ended. */
  fail(fault: Fault, out: ByteBuffer): void {
    if (this.isOver) return;
    this.isOver = true;
    this.fault = fault;
    out.text("event: error\ndata: ");
    writeAnthropicFault(fault, this.requestId, out);
    out.span(EVENT_END);
  }

  release(): void {
    this.framer.release();
  }

  private readFrames(out: ByteBuffer): void {
    const framer = this.framer;
    while (!this.isOver && framer.next()) {
      if (framer.isError()) this.fail(readEventFault(framer), out);
      else if (framer.isNamed(constant("chunk")))
        this.readChunk(framer.dataPointer, framer.dataLength, out);
    }
  }

  private readChunk(pointer: usize, length: u32, out: ByteBuffer): void {
    event.clear();
    if (decodeChunk(pointer, length) && scan(tape, event.pointer, event.length) == SCAN_OK) {
      const type = tape.member(0, constant("type"));
      if (tape.isString(type)) {
        this.writeEvent(type, out);
        return;
      }
    }
    if (!wasRefused()) this.fail(notAnEvent(), out);
    else this.fail(outOfMemory("response"), out);
  }

  private writeEvent(type: u32, out: ByteBuffer): void {
    out.text("event: ");
    out.bytes(tape.pointer(type), tape.size(type));
    out.text("\ndata: ");
    const isStop = tape.equals(type, constant("message_stop"));
    if (isStop) removeMetrics();
    writeLine(isStop ? edited : event, out);
    out.span(EVENT_END);
    this.hasWritten = true;
    this.isOver = isStop || tape.equals(type, constant("error"));
  }
}

/** Decodes the event in a frame's payload into `event`. Returns false if there is none. */
function decodeChunk(pointer: usize, length: u32): bool {
  if (scan(tape, pointer, length) != SCAN_OK) return false;
  const bytes = tape.member(0, constant("bytes"));
  return tape.isString(bytes) && decodeBase64(tape.pointer(bytes), tape.size(bytes), event);
}

/** Writes the last event to `edited`, without the member that AWS adds to it. */
function removeMetrics(): void {
  edits.clear();
  members.begin(tape, 0);
  const end = tape.next(0);
  for (let key = tape.first(0); key < end; key = tape.next(key + 1))
    members.item(tape, key, tape.equals(key, constant("amazon-bedrock-invocationMetrics")), edits);
  edited.clear();
  const done = edits.prefix(event.pointer, edited);
  edited.bytes(event.pointer + done, event.length - done);
}

/** Appends JSON as one line: a line break in it is white space. */
function writeLine(text: ByteBuffer, out: ByteBuffer): void {
  if (!hasLineBreak(text)) {
    out.bytes(text.pointer, text.length);
    return;
  }
  for (let at: u32 = 0; at < text.length; at++) {
    const byte = byteAt(text.pointer, at);
    out.byte(byte == LF || byte == CR ? SPACE : byte);
  }
}

function hasLineBreak(text: ByteBuffer): bool {
  const end = text.pointer + text.length;
  return findByte(text.pointer, end, LF) != 0 || findByte(text.pointer, end, CR) != 0;
}

function notAnEvent(): Fault {
  return new Fault(502, "The provider sent a frame of its event stream that holds no event.");
}
