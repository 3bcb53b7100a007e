// Takes the usage chunk out of a chat completions stream whose client did not ask for it; every other byte stays.
import { hasRoom } from "../../memory/blocks";
import { countRefusal, mayHold, SMALL } from "../../memory/budget";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { contains } from "../../bytes/text/find";
import { scan, SCAN_OK } from "../../bytes/json/scan";
import { scratchTape } from "../../bytes/json/tape";
import { SseFramer } from "../../bytes/sse/framer";
import { UsageObserver } from "../usage-observer";

const CHOICES = constant("choices");
const USAGE = constant("usage");
/** What the usage chunk does not have. Inside of a string the quotes would be escaped. */
const A_CHOICE = constant('"choices":[{');
const tape = scratchTape();
/** A longer event is no usage chunk, and is not kept from the client until its end has come. Bytes. */
const MAX_EVENT: u32 = 1 << 20;
/** What `push` may take of the VM for each byte that it is given and each that is held. */
const COST: usize = 8;

/**
 * The chunk that `stream_options.include_usage` adds has an empty `choices` and a `usage` object
 * (https://platform.openai.com/docs/api-reference/chat/streaming). An event leaves in the call that completed it, and one
 * that is too large to be held leaves as it comes.
 */
export class StreamUsageFilter {
  private framer: SseFramer = new SseFramer();
  /** Whether the last call changed anything: if not, the bytes it was given can pass as they are. */
  isChanged: bool = false;
  /** Whether the event being read is taken out; the LF that follows its last CR goes with it. */
  private isTaken: bool = false;

  /** Is shown every event; null where nobody counts. */
  observer: UsageObserver | null = null;
  /** Whether the rest of the stream passes unread, because the VM has no room to read it. */
  isPassing: bool = false;

  constructor(
    /** Whether there is a usage chunk that the client did not ask for; without it nothing is held back. */
    public strips: bool,
  ) {}

  /** Events with data so far. */
  get events(): u32 {
    return this.framer.events;
  }

  /** Returns whether the VM has room for the next `length` bytes; without it the stream has to `pass`. */
  hasRoomFor(length: u32): bool {
    const bytes = length + this.heldLength;
    return bytes <= SMALL || hasRoom(<usize>bytes * COST);
  }

  /** The rest of the stream is not read. What is held goes to the client before. */
  pass(): void {
    countRefusal();
    this.isPassing = true;
    this.framer.release();
  }

  /** Bytes of the unfinished event, which the client has not got. */
  get heldLength(): u32 {
    return this.framer.heldLength();
  }

  get heldPointer(): usize {
    return this.framer.heldPointer();
  }

  /** Appends to `out` what the client gets of these bytes. */
  push(pointer: usize, length: u32, isLast: bool, out: ByteBuffer): void {
    this.isChanged = this.framer.heldLength() > 0;
    this.framer.push(pointer, length);
    while (this.framer.next()) {
      this.isTaken = this.framer.isLateLf ? this.isTaken : this.isUsageChunk();
      if (!this.framer.isLateLf) this.observe();
      if (this.isTaken) this.isChanged = true;
      else out.bytes(this.framer.rawPointer, this.framer.rawLength);
    }
    this.framer.hold();
    const held = this.heldLength;
    if (held == 0) return;
    this.isChanged = true;
    const isTooLarge = this.framer.isCut || held > MAX_EVENT || !mayHold(held);
    if (!isLast && !isTooLarge) return;
    // An unfinished event at the end is the provider's; the client sees it as it came.
    out.bytes(this.heldPointer, held);
    this.framer.cut();
  }

  release(): void {
    this.framer.release();
  }

  private observe(): void {
    const observer = this.observer;
    if (observer !== null && this.framer.dataLength > 0)
      observer.event(this.framer.dataPointer, this.framer.dataLength);
  }

  private isUsageChunk(): bool {
    if (!this.strips || !this.framer.hasData || this.framer.dataLength == 0) return false;
    if (load<u8>(this.framer.dataPointer) != 0x7b) return false;
    // Nearly every event: known by its bytes, a scan would take five times as long.
    if (contains(this.framer.dataPointer, this.framer.dataLength, A_CHOICE)) return false;
    if (scan(tape, this.framer.dataPointer, this.framer.dataLength) != SCAN_OK) return false;
    const choices = tape.member(0, CHOICES);
    return tape.isArray(choices) && tape.isEmpty(choices) && tape.isObject(tape.member(0, USAGE));
  }
}
