// Reads what a reply says of its usage while the reply passes as it is.
import { wasRefused } from "../memory/blocks";
import { countRefusal, mayHold } from "../memory/budget";
import { Usage } from "../chat/usage";
import { scan, SCAN_OK } from "../json/scan";
import { scratchTape } from "../json/tape";
import { ByteBuffer, constant } from "../text/bytes";
import { contains } from "../text/find";
import { Dialect } from "./dialect";

/** Inside of a string the quotes would be escaped. */
const HAS_USAGE = constant('"usage":{');
const HAS_SPACED_USAGE = constant('"usage": {');
/** A complete reply that is larger is not read, nor is one for which there is no memory: its usage is estimated. Bytes. */
const LARGEST_REPLY: u32 = 8 << 20;

const tape = scratchTape();

/** One per reply, released by its owner. */
export class UsageObserver {
  usage: Usage = new Usage();
  private reply: ByteBuffer = new ByteBuffer();
  /** Whether a part of the complete reply is missing. */
  private isCut: bool = false;

  constructor(private dialect: Dialect) {}

  /** The data of an event of a stream. The block must be writable and have PADDING bytes behind its end. */
  event(pointer: usize, length: u32): void {
    if (contains(pointer, length, HAS_USAGE) || contains(pointer, length, HAS_SPACED_USAGE))
      this.read(pointer, length);
  }

  /** The next bytes of a complete reply, as in `event`. */
  part(pointer: usize, length: u32, isLast: bool): void {
    const held = this.reply.length + length;
    if (this.isCut) return;
    if (isLast && this.reply.length == 0) this.read(pointer, length);
    else if (held > LARGEST_REPLY || !mayHold(held)) this.giveUp();
    else this.reply.bytes(pointer, length);
    if (wasRefused()) this.giveUp();
  }

  /** Reads a complete reply that came in parts; nobody has to have said which was the last. */
  end(): void {
    if (!this.isCut) this.read(this.reply.pointer, this.reply.length);
  }

  release(): void {
    this.reply.release();
  }

  /** The reply is not read: its usage is estimated. */
  giveUp(): void {
    countRefusal();
    this.isCut = true;
    this.reply.release();
  }

  private read(pointer: usize, length: u32): void {
    if (pointer == 0 || scan(tape, pointer, length) != SCAN_OK) return;
    this.dialect.readUsage(tape, this.usage);
    tape.reset();
  }
}
