// Reads the usage of a response that passes unchanged, and why it ended.
import { wasRefused } from "../memory/blocks";
import { countRefusal, mayHold } from "../memory/memory-budget";
import { ResponseFacts } from "../hub/response/facts";
import { serviceOr } from "../hub/response/service";
import { Usage } from "../hub/response/usage";
import { FINISH_NONE } from "../hub/response/finish-reason";
import { scan, scanMembers, SCAN_OK, stringEnd } from "../bytes/json/scan";
import { scratchTape, Tape } from "../bytes/json/tape";
import { byteAt } from "../bytes/text/at";
import { ByteBuffer, constant, Span } from "../bytes/text/bytes";
import { find, findLast } from "../bytes/text/find";
import { ProviderDialect } from "./provider-dialect";

/** Members: inside of a string the quotes would be escaped. */
const USAGE = constant('"usage":');
const MODEL = constant('"model":');
const SERVICE = constant('"service_tier":');
/** A complete response has its model in its first bytes, or it is not kept. */
const MODEL_WITHIN: u32 = 1024;
const QUOTE: u32 = 0x22;
const SPACE: u32 = 0x20;
/** Of a complete response that is larger, or for which there is no memory, only the end is read. Bytes. */
const MAX_RESPONSE: u32 = 8 << 20;
const END_LENGTH: u32 = 64 << 10;
/** A request that a response repeats after its usage may have members of the same name: so many are tried. */
const MAX_USAGES: u32 = 32;

const own = scratchTape();

/** The name of a model that is longer is not kept. Bytes. */
const MAX_MODEL: u32 = 200;

/** One per response, released by its owner. */
export class UsageObserver extends ResponseFacts {
  /** Events of a stream; 0 if not all of them are read. */
  streamEvents: u32 = 0;
  /** Whether the provider has sent the end of the response. */
  hasEnded: bool = false;
  /** The parts of a complete response, until it has been read; then the model. */
  private kept: ByteBuffer = new ByteBuffer();
  /** Whether a complete response has been read, or it is a stream. */
  private isRead: bool = false;
  /** Whether a part of the complete response is missing. */
  private isCut: bool = false;
  private reason: i32 = FINISH_NONE;

  constructor(
    private dialect: ProviderDialect,
    /** Whether a usage record is written, which has more than the tokens. */
    private isRecorded: bool,
    /** The model that was requested from the provider, escaped. */
    private requested: Span,
    /** The length of a complete response by its head; less than 0 if the head has none. */
    private announced: i32,
    /** Whether `textBytes` is needed. */
    public countsText: bool,
  ) {
    super(new Usage());
  }

  get events(): u32 {
    return this.streamEvents;
  }

  /** FINISH_NONE unless `isRecorded`. */
  get finish(): i32 {
    return this.reason;
  }

  get isBroken(): bool {
    return this.hasEnded && !this.isCut && this.reason == FINISH_NONE;
  }

  get isCutOff(): bool {
    return this.streamEvents > 0 && this.isBroken;
  }

  /** Whether the first token has not come, so that every event has to be read. */
  get seeksToken(): bool {
    return this.isRecorded && !this.hasToken;
  }

  /** Reads an event of a stream, which may have `eventMembers` of its dialect, or the first token. */
  readEvent(tape: Tape): void {
    this.isRead = true;
    if (this.seeksToken) this.hasToken = this.isToken(tape);
    this.readTape(tape);
  }

  /** Reads a complete response that has been scanned. */
  readWhole(tape: Tape): void {
    this.isRead = true;
    this.readTape(tape);
  }

  /** The next bytes of a complete response. The block must be writable and have PADDING bytes behind its end. */
  part(pointer: usize, length: u32, isLast: bool): void {
    if (this.isRead) return;
    if (this.isCut) return this.keepEnd(pointer, length);
    const held = this.kept.length + length;
    if (this.kept.length == 0 && (isLast || <i32>length == this.announced)) {
      this.isRead = true;
      this.read(pointer, length);
    } else if (held > MAX_RESPONSE || !mayHold(held)) {
      this.giveUp();
      this.keepEnd(pointer, length);
    } else this.kept.bytes(pointer, length);
    if (wasRefused()) this.giveUp();
  }

  /** Reads a complete response that came in parts, none of which was marked as the last. */
  settle(): void {
    if (this.isRead || this.kept.length == 0) return;
    const response = this.kept;
    this.kept = new ByteBuffer();
    this.isRead = true;
    if (this.isCut) this.readUsageAtEnd(response.pointer, response.length);
    else this.read(response.pointer, response.length);
    response.release();
  }

  release(): void {
    this.kept.release();
  }

  /** Returns the model that the provider reports, escaped; empty if it is the requested one, or unless `isRecorded`. */
  get model(): ByteBuffer {
    return this.kept;
  }

  /** The response is not read: unless its end has the usage, that is estimated. */
  giveUp(): void {
    countRefusal();
    this.isCut = true;
    this.kept.release();
  }

  /** Keeps the last bytes of what came. */
  private keepEnd(pointer: usize, length: u32): void {
    const kept = this.kept;
    const added = min(length, END_LENGTH);
    const before = min(kept.length, END_LENGTH - added);
    if (before > 0) memory.copy(kept.pointer, kept.pointer + kept.length - before, before);
    kept.length = before;
    kept.bytes(pointer + length - added, added);
  }

  private readUsageAtEnd(pointer: usize, length: u32): void {
    const end = pointer + length;
    let before = length;
    for (let i: u32 = 0; i < MAX_USAGES; i++) {
      const usage = findLast(pointer, before, USAGE);
      if (usage <= pointer) return;
      if (scanMembers(own, usage, <u32>(end - usage)) == SCAN_OK) return this.readOwnTape();
      before = <u32>(usage - pointer);
    }
    own.reset();
  }

  private read(pointer: usize, length: u32): void {
    if (pointer == 0 || this.readEnd(pointer, length)) return;
    if (scan(own, pointer, length) == SCAN_OK) this.readOwnTape();
  }

  /**
   * Reads a complete response from its end, where nearly all providers send the usage: a scan of all of it takes ten times as
   * long. Returns false if it has to be scanned.
   */
  private readEnd(pointer: usize, length: u32): bool {
    const dialect = this.dialect;
    const seeksFinish = this.isRecorded && dialect.finishMember.length > 0;
    if (this.isRecorded && !seeksFinish) return false;
    const usage = findLast(pointer, length, USAGE);
    if (usage <= pointer) return false;
    const before = <u32>(usage - pointer);
    if (scanMembers(own, usage, length - before) != SCAN_OK) return false;
    this.readOwnTape();
    if (this.usage.readsRates && dialect.hasTierBesideUsage)
      this.readServiceBefore(pointer, before);
    if (!seeksFinish) return true;
    if (
      this.reason == FINISH_NONE &&
      this.scanText(
        findLast(pointer, before, dialect.finishMember),
        dialect.finishMember.length,
        usage,
      )
    )
      this.reason = dialect.reasonOf(own, own.root());
    if (this.reason == FINISH_NONE) {
      own.reset();
      return false;
    }
    if (this.scanText(find(pointer, min(before, MODEL_WITHIN), MODEL), MODEL.length, usage))
      this.readModel(own, own.root());
    own.reset();
    return true;
  }

  /** Reads the service tier where it is before the usage: Azure sorts the members of a response. */
  private readServiceBefore(pointer: usize, length: u32): void {
    const member = findLast(pointer, length, SERVICE);
    if (!this.scanText(member, SERVICE.length, pointer + length)) return;
    this.usage.service = serviceOr(own, own.root(), this.usage.service);
    own.reset();
  }

  /** Scans the string that is a member's value. Returns false if the member (0: not found) has none. */
  private scanText(member: usize, length: u32, end: usize): bool {
    if (member == 0) return false;
    let start = member + length;
    if (byteAt(start) == SPACE) start++;
    if (byteAt(start) != QUOTE) return false;
    const stop = stringEnd(start + 1, end);
    return stop != 0 && scan(own, start, <u32>(stop + 1 - start)) == SCAN_OK;
  }

  private isToken(tape: Tape): bool {
    return this.dialect.isFirstToken(tape) && this.dialect.failureOf(tape) === null;
  }

  private readOwnTape(): void {
    this.readTape(own);
    own.reset();
  }

  private readTape(tape: Tape): void {
    const dialect = this.dialect;
    dialect.readUsage(tape, this.usage);
    if (this.isRecorded) {
      const reason = dialect.readFinish(tape);
      if (reason != FINISH_NONE) this.reason = reason;
      this.readModel(tape, dialect.responseModel(tape));
    }
  }

  private readModel(tape: Tape, node: u32): void {
    if (!tape.isString(node) || tape.equals(node, this.requested)) return;
    const length = tape.size(node);
    this.kept.clear();
    if (length <= MAX_MODEL) this.kept.bytes(tape.pointer(node), length);
  }
}
