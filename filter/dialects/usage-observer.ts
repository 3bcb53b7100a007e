// Reads the usage of a response that passes unchanged, and why it ended.
import { wasRefused } from "../memory/blocks";
import { countRefusal, mayHold } from "../memory/budget";
import { FINISH_NONE } from "../hub/finish-reason";
import { Usage } from "../hub/usage";
import { scan, SCAN_OK } from "../bytes/json/scan";
import { scratchTape } from "../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { hasMember } from "../bytes/text/find";
import { Dialect } from "./dialect";

/** Inside of a string the quote would be escaped. */
const USAGE = constant('usage":');
const OPEN_BRACE: u32 = 0x7b;
/** A complete response that is larger is not read, nor is one for which there is no memory: its usage is estimated. Bytes. */
const MAX_RESPONSE: u32 = 8 << 20;

const tape = scratchTape();

/** The name of a model that is longer is not kept. Bytes. */
const MAX_MODEL: u32 = 200;

/** One per response, released by its owner. */
export class UsageObserver {
  usage: Usage = new Usage();
  /** Why the response ended, a FINISH_ constant; FINISH_NONE unless `isRecorded`. */
  finish: i32 = FINISH_NONE;
  /** The model that the provider reports, escaped; empty if it is the requested one, or unless `isRecorded`. */
  model: ByteBuffer = new ByteBuffer();
  /** Whether the first token of a stream has come; only if `isRecorded`. */
  hasToken: bool = false;
  /** Whether the provider has sent the end of the response. */
  hasEnded: bool = false;
  private response: ByteBuffer = new ByteBuffer();
  /** Whether a part of the complete response is missing. */
  private isCut: bool = false;

  constructor(
    private dialect: Dialect,
    /** Whether a usage record is written, which has more than the tokens. */
    private isRecorded: bool,
    /** The model that was requested from the provider, escaped. */
    private requested: Span,
  ) {}

  /** Whether a response ended without a reason, as a stream with an error event or one that was cut. */
  get isBroken(): bool {
    return this.hasEnded && !this.isCut && this.finish == FINISH_NONE;
  }

  /** The data of an event of a stream. The block must be writable and have PADDING bytes behind its end. */
  event(pointer: usize, length: u32): void {
    const seeksToken = this.isRecorded && !this.hasToken;
    if (
      !seeksToken &&
      !hasMember(pointer, length, USAGE, OPEN_BRACE) &&
      !(this.isRecorded && this.dialect.mayFinish(pointer, length))
    )
      return;
    if (pointer == 0 || scan(tape, pointer, length) != SCAN_OK) return;
    if (seeksToken) this.hasToken = this.isToken();
    this.readTape();
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
    this.model.release();
  }

  /** The response is not read: its usage is estimated. */
  giveUp(): void {
    countRefusal();
    this.isCut = true;
    this.response.release();
  }

  private read(pointer: usize, length: u32): void {
    if (pointer != 0 && scan(tape, pointer, length) == SCAN_OK) this.readTape();
  }

  private isToken(): bool {
    return this.dialect.isFirstToken(tape) && this.dialect.failureOf(tape) === null;
  }

  private readTape(): void {
    const dialect = this.dialect;
    dialect.readUsage(tape, this.usage);
    if (this.isRecorded) {
      const reason = dialect.readFinish(tape);
      if (reason != FINISH_NONE) this.finish = reason;
      this.readModel(dialect.responseModel(tape));
    }
    tape.reset();
  }

  private readModel(node: u32): void {
    if (!tape.isString(node) || tape.equals(node, this.requested)) return;
    const length = tape.size(node);
    this.model.clear();
    if (length <= MAX_MODEL) this.model.bytes(tape.pointer(node), length);
  }
}
