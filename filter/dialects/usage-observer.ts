// Reads the usage of a response that passes unchanged, and why it ended.
import { wasRefused } from "../memory/blocks";
import { countRefusal, mayHold } from "../memory/budget";
import { FINISH_NONE } from "../hub/finish-reason";
import { Usage } from "../hub/usage";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { ByteBuffer, constant } from "../bytes/text/bytes";
import { hasMember } from "../bytes/text/find";
import { Dialect } from "./dialect";

/** Inside of a string the quote would be escaped. */
const USAGE = constant('usage":');
const OPEN_BRACE: u32 = 0x7b;
/** A complete response that is larger is not read, nor is one for which there is no memory: its usage is estimated. Bytes. */
const MAX_RESPONSE: u32 = 8 << 20;

const tape = scratchTape();

/** One per response, released by its owner. */
export class UsageObserver {
  usage: Usage = new Usage();
  /** Why the response ended, a FINISH_ constant; FINISH_NONE unless `readsFinish`. */
  finish: i32 = FINISH_NONE;
  private response: ByteBuffer = new ByteBuffer();
  /** Whether a part of the complete response is missing. */
  private isCut: bool = false;

  constructor(
    private dialect: Dialect,
    /** Whether anybody asks why the response ended. */
    private readsFinish: bool,
  ) {}

  /** The data of an event of a stream. The block must be writable and have PADDING bytes behind its end. */
  event(pointer: usize, length: u32): void {
    if (
      hasMember(pointer, length, USAGE, OPEN_BRACE) ||
      (this.readsFinish && this.dialect.mayFinish(pointer, length))
    )
      this.read(pointer, length);
  }

  /** The next bytes of a complete response, as in `event`. */
  part(pointer: usize, length: u32, isLast: bool): void {
    const held = this.response.length + length;
    if (this.isCut) return;
    if (isLast && this.response.length == 0) this.read(pointer, length);
    else if (held > MAX_RESPONSE || !mayHold(held)) this.giveUp();
    else this.response.bytes(pointer, length);
    if (wasRefused()) this.giveUp();
  }

  /** Reads a complete response that came in parts, none of which was marked as the last. */
  end(): void {
    if (!this.isCut) this.read(this.response.pointer, this.response.length);
    this.response.release();
  }

  release(): void {
    this.response.release();
  }

  /** The response is not read: its usage is estimated. */
  giveUp(): void {
    countRefusal();
    this.isCut = true;
    this.response.release();
  }

  private read(pointer: usize, length: u32): void {
    if (pointer == 0 || scan(tape, pointer, length) != SCAN_OK) return;
    this.dialect.readUsage(tape, this.usage);
    if (this.readsFinish) {
      const reason = this.dialect.readFinish(tape);
      if (reason != FINISH_NONE) this.finish = reason;
    }
    tape.reset();
  }
}
