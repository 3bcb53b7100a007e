// What a response shows while it is read: usage, model, end and error, for limits, usage record and span.
import { Fault } from "../faults/fault";
import { ByteBuffer } from "../../bytes/text/bytes";
import { FINISH_NONE } from "./finish-reason";
import { Usage } from "./usage";

const NO_MODEL = new ByteBuffer();

/** One per response, released by its owner. The translator of a response and the observer of one that passes extend it. */
export abstract class ResponseFacts {
  /** Whether the first token of a stream has come; only if it is needed. */
  hasToken: bool = false;
  /** Bytes of text, reasoning and arguments in the events of a stream; only if they are needed. */
  textBytes: u64 = 0;

  constructor(public usage: Usage) {}

  /** Number of events with data. */
  get events(): u32 {
    return 0;
  }

  /** Why the response ended, a FINISH_ constant. */
  get finish(): i32 {
    return FINISH_NONE;
  }

  /** The model that the provider reports, escaped; may be empty. */
  get model(): ByteBuffer {
    return NO_MODEL;
  }

  /** Whether `model` is final. */
  get hasBegun(): bool {
    return true;
  }

  /** The error that ended a translated response, or null. */
  get fault(): Fault | null {
    return null;
  }

  /** Whether a response that passed ended without a reason, as a stream with an error event or one that was cut. */
  get isBroken(): bool {
    return false;
  }

  /** Whether the stream ended before its usage was final. */
  get isCutOff(): bool {
    return false;
  }

  /** Whether nothing is charged for the response: an error without usage. */
  get isFree(): bool {
    return false;
  }

  /** Names of members that the translation of the response dropped. */
  get droppedNames(): string {
    return "";
  }

  /** Reads what has come, because nothing follows. */
  settle(): void {}

  abstract release(): void;
}
