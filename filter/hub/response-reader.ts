// What the readers of both dialects share: they tell a sink what happens in a response, and know whether it is over.
import { Tape } from "../bytes/json/tape";
import { Dropped } from "./dropped";
import { ResponseHead, ResponseSink } from "./events";
import { Fault } from "./fault";
import { FINISH_NONE } from "./finish-reason";
import { Usage } from "./usage";

export abstract class ResponseReader {
  /** Whether `end` or `fault` was said: nothing may follow. */
  isOver: bool = false;
  hasBegun: bool = false;
  /** Why the response ended, FINISH_NONE until the provider has said so. */
  finishReason: i32 = FINISH_NONE;
  /** What went wrong, null while nothing did. */
  failure: Fault | null = null;

  /**
   * Inside of the one string that the last event was about; 0 if it said more than that. An event that differs from it in
   * this string alone may be given to `repeat`.
   */
  repeatable: usize = 0;
  repeatableLength: u32 = 0;
  /** A string behind it that changes with every event and means nothing; 0 if there is none. */
  noise: usize = 0;
  noiseLength: u32 = 0;

  constructor(
    protected sink: ResponseSink,
    /** Filled in by whoever knows better than the provider; the provider's own words replace it. */
    protected head: ResponseHead,
    protected usage: Usage,
    protected dropped: Dropped,
    protected requestId: string,
  ) {}

  /** The data of one event of a stream. */
  abstract readEvent(tape: Tape): void;
  /** An event that is like the last one but for this string. */
  abstract repeat(pointer: usize, length: u32): void;
  /** A complete response, `end` included. */
  abstract readWhole(tape: Tape): void;
  /** Whether an event's data, which is no JSON, says that the stream is over. */
  abstract isEndMark(pointer: usize, length: u32): bool;
  abstract release(): void;

  /** The upstream says no more: clean if it had said why the response ended, else a fault. */
  endOfStream(): void {
    if (this.isOver) return;
    if (this.finishReason == FINISH_NONE) {
      const what = this.hasBegun ? "before its response was finished" : "without a response";
      this.fail(new Fault(502, `The upstream ended the stream ${what}.`));
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
    this.repeatable = tape.pointer(node);
    this.repeatableLength = tape.size(node);
  }

  protected begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.sink.begin(this.head);
  }
}
