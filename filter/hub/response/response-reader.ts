// Reads a provider's response and calls a sink for each of its events. A dialect's reader extends it.
import { Repeatable } from "../../bytes/repeat/repeatable";
import { Tape } from "../../bytes/json/tape";
import { TextRuns } from "../../bytes/text/text-runs";
import { ResponseSink } from "./events";
import { Fault } from "../faults/fault";
import { FINISH_NONE } from "./finish-reason";
import { ByteBuffer } from "../../bytes/text/bytes";
import { Translation } from "./translation";

export abstract class ResponseReader {
  /** Whether the sink got `end` or `fault`: nothing may follow. */
  isOver: bool = false;
  hasBegun: bool = false;
  /** Why the response ended; FINISH_NONE until the provider has sent the reason. */
  finishReason: i32 = FINISH_NONE;
  /** The error that ended the response, or null. */
  failure: Fault | null = null;

  /**
   * Whether the last event had one string, maybe counts, and nothing else of interest: an event that differs from it in
   * these alone may be given to `repeat`, which finds the counts here.
   */
  repeatable: Repeatable = new Repeatable();

  constructor(
    protected sink: ResponseSink,
    protected translation: Translation,
  ) {}

  /** Reads the data of one event of a stream. */
  abstract readEvent(tape: Tape): void;
  /** Reads events that differ from the last one in these strings, and in what else `repeatable` has, alone. */
  abstract repeat(texts: TextRuns): void;
  /** Reads a complete response. */
  abstract readWhole(tape: Tape): void;
  abstract release(): void;

  /** The stream has ended: cleanly if it had the reason why the response ended, else with a fault. */
  endOfStream(): void {
    if (this.isOver) return;
    if (this.finishReason == FINISH_NONE) {
      const what = this.hasBegun ? "before its response was finished" : "without a response";
      this.fail(new Fault(502, `The provider ended the stream ${what}.`));
      return;
    }
    this.isOver = true;
    this.sink.usageFinal();
    this.sink.end();
  }

  fail(fault: Fault): void {
    if (this.isOver) return;
    this.isOver = true;
    this.failure = fault;
    this.sink.fault(fault);
  }

  protected canRepeat(tape: Tape, node: u32): void {
    this.repeatable.set(tape.pointer(node), tape.size(node));
  }

  /** Padding against traffic analysis, different in every event. */
  protected readNoise(tape: Tape, node: u32): void {
    if (!tape.isString(node)) return;
    this.repeatable.ignored = tape.pointer(node);
    this.repeatable.ignoredLength = tape.size(node);
  }

  /** Replaces a text of the head by the provider's, if it sends one. */
  protected replace(text: ByteBuffer, tape: Tape, node: u32): void {
    if (!tape.isString(node) || tape.size(node) == 0) return;
    text.clear();
    text.bytes(tape.pointer(node), tape.size(node));
  }

  protected begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.sink.begin();
  }
}
