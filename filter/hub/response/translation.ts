// What the reader and the writer of one translated response share.
import { Dropped } from "../dropped";
import { NO_NOTES, RequestNotes } from "../request/request-notes";
import { Usage } from "./usage";
import { setRest, writeUnsignedMark } from "../reasoning-carrier";
import { ByteBuffer, Span } from "../../bytes/text/bytes";

/** Seconds since 1970. */
const YEAR_10000: i64 = 253_402_300_800;

const NO_ORIGIN = new Span(0, 0);

/** What is known of a response before its content. Texts are escaped. */
export class ResponseHead {
  /** The provider's id of the response, may be empty. */
  id: ByteBuffer = new ByteBuffer();
  model: ByteBuffer = new ByteBuffer();
  /** OpenAI's system_fingerprint, may be empty. */
  fingerprint: ByteBuffer = new ByteBuffer();
  tier: i32 = TIER_UNKNOWN;
  /** Seconds since 1970; 0 if it is not known yet. */
  private time: i64 = 0;

  /** Returns when the response was created, the time of the first call if the provider has sent none: a call of the host. */
  get created(): i64 {
    if (this.time == 0) this.time = this.clock();
    return this.time;
  }

  /** Sets `created`, unless a provider's number cannot be a time. */
  setCreated(seconds: i64): void {
    if (seconds > 0 && seconds < YEAR_10000) this.time = seconds;
  }

  /** Returns the seconds since 1970, 0 if there is no clock. */
  clock: () => i64 = noClock;

  release(): void {
    this.id.release();
    this.model.release();
    this.fingerprint.release();
  }
}

export function noClock(): i64 {
  return 0;
}

/** The tier that served the request. OpenAI: default, flex, scale, priority. Anthropic: standard, batch, priority. */
export const TIER_UNKNOWN: i32 = 0;
export const TIER_STANDARD: i32 = 1;
export const TIER_PRIORITY: i32 = 2;
export const TIER_BATCH: i32 = 3;
export const TIER_FLEX: i32 = 4;
export const TIER_SCALE: i32 = 5;

export class Translation {
  /** What `begin` gets; until then, defaults for what the provider may leave out. */
  head: ResponseHead = new ResponseHead();
  usage: Usage = new Usage();
  dropped: Dropped = new Dropped();
  /** Whether the client asked for the usage of a stream. */
  wantsUsage: bool = false;
  /** What the writer has to know of the request; the owner of the response releases it. */
  notes: RequestNotes = NO_NOTES;
  /** The provider, by which its unsigned reasoning finds back to it (hub/reasoning-carrier.ts); empty if it gets none back. */
  origin: Span = NO_ORIGIN;
  /** How the provider marks reasoning in the content, as in RequestLimits. */
  thinkTags: i32 = 0;
  /** Stands for the signature of unsigned reasoning; null if the provider gets none back. */
  reasoningMark: ByteBuffer | null = null;

  /** @param requestId of the client's request; empty if it has none */
  constructor(public requestId: ByteBuffer) {}

  /** Reasoning without a signature comes in this member (MEMBER_), with `rest` beside its text. */
  markReasoning(letter: u32, rest: usize, restLength: u32): void {
    if (this.origin.length == 0) return;
    let mark = this.reasoningMark;
    if (mark === null) {
      mark = new ByteBuffer();
      this.reasoningMark = mark;
    }
    mark.clear();
    writeUnsignedMark(letter, this.origin, mark);
    setRest(mark, rest, restLength);
  }

  release(): void {
    this.head.release();
    const mark = this.reasoningMark;
    if (mark !== null) mark.release();
  }
}
