// Reads what a reply says of its usage while the reply passes as it is.
import { Usage } from "../chat/usage";
import { scan, SCAN_OK } from "../json/scan";
import { Tape } from "../json/tape";
import { ByteBuffer, constant } from "../text/bytes";
import { contains } from "../text/find";
import { Dialect } from "./dialect";

/** Inside of a string the quotes would be escaped. */
const HAS_USAGE = constant('"usage":{');
const HAS_SPACED_USAGE = constant('"usage": {');
/** A complete reply that is larger is not read. Bytes. */
const LARGEST_REPLY: u32 = 8 << 20;

const tape = new Tape();

/** One per reply, released by its owner. */
export class UsageObserver {
  usage: Usage = new Usage();
  private reply: ByteBuffer = new ByteBuffer();

  constructor(private dialect: Dialect) {}

  /** The data of an event of a stream. The block must be writable and have PADDING bytes behind its end. */
  event(pointer: usize, length: u32): void {
    if (contains(pointer, length, HAS_USAGE) || contains(pointer, length, HAS_SPACED_USAGE))
      this.read(pointer, length);
  }

  /** The next bytes of a complete reply, as in `event`. */
  part(pointer: usize, length: u32, isLast: bool): void {
    if (isLast && this.reply.length == 0) this.read(pointer, length);
    else if (this.reply.length <= LARGEST_REPLY) this.reply.bytes(pointer, length);
  }

  /** Reads a complete reply that came in parts; nobody has to have said which was the last. */
  end(): void {
    if (this.reply.length <= LARGEST_REPLY) this.read(this.reply.pointer, this.reply.length);
  }

  release(): void {
    this.reply.release();
  }

  private read(pointer: usize, length: u32): void {
    if (pointer == 0 || scan(tape, pointer, length) != SCAN_OK) return;
    this.dialect.readUsage(tape, this.usage);
    tape.reset();
  }
}
