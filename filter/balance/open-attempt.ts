// One attempt at a target while it is open: counted, and measured when it ends, whatever ends it.
import { ResponseFacts } from "../hub/response/facts";
import { currentMicroseconds } from "../host/host";
import { addEnd, addOpen, Sample } from "./measurements";

/** How long a target that has failed is avoided, if it asks for no other pause. Seconds. */
const MIN_PAUSE: u32 = 5;
const MAX_PAUSE: u32 = 60;

/** What an attempt has come to. */
export const enum Ending {
  /** A response without an error. */
  Response,
  /** An error that another target would return too. */
  ClientError,
  /** No response, or an error. */
  Failure,
  /** The client has left before there was a response. */
  Left,
}

export class OpenAttempt {
  /** The place of its target. */
  private place: u64 = 0;
  private startedAt: f64 = 0;
  private isOpen: bool = false;
  /** How many attempts were open at the target with this one. */
  private open: f64 = 1;
  /** Seconds; 0 if the attempt has not failed. */
  private pause: u32 = 0;

  /** @param isStream whether the response is a stream */
  constructor(private isStream: bool) {}

  begin(place: u64): void {
    this.end(Ending.Failure, 0, null);
    this.place = place;
    this.startedAt = milliseconds();
    this.isOpen = true;
    this.pause = 0;
    this.open = addOpen(place, this.startedAt);
  }

  /** Notes that the attempt has failed. @param pause the seconds that the provider asks for */
  fail(pause: u32): void {
    this.pause = max(this.pause, min(max(pause, MIN_PAUSE), MAX_PAUSE));
  }

  /**
   * Ends the attempt, unless it has ended.
   * @param firstToken when the first token of a stream came, in milliseconds since the epoch; 0 if none has come
   */
  end(ending: Ending, firstToken: i64, facts: ResponseFacts | null): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const now = milliseconds();
    const sample = new Sample();
    sample.isStream = this.isStream;
    if (ending == Ending.Failure && this.pause == 0) this.fail(0);
    sample.pause = <f64>this.pause * 1000;
    if (this.pause > 0 || ending != Ending.Response) {
      sample.isAtLeast = true;
      if (ending != Ending.ClientError) sample.first = this.alone(now - this.startedAt);
    } else this.measure(sample, now, <f64>firstToken, facts);
    addEnd(this.place, this.startedAt, now, sample);
  }

  private measure(sample: Sample, now: f64, firstToken: f64, facts: ResponseFacts | null): void {
    const hasToken = this.isStream && firstToken > 0;
    sample.isAtLeast = this.isStream && !hasToken;
    const firstAt = hasToken ? min(firstToken, now) : now;
    sample.first = this.alone(max(firstAt - this.startedAt, 0));
    if (facts === null) return;
    facts.settle();
    const usage = facts.usage;
    const tokens = <f64>(usage.output >= 0 ? usage.output : <i64>facts.events);
    if (tokens > 0) sample.tokens = tokens;
    if (hasToken && tokens > 1) sample.perToken = this.alone((now - firstAt) / (tokens - 1));
    if (usage.input > 0) sample.cached = <f64>max<i64>(usage.cacheRead, 0) / <f64>usage.input;
  }

  /** Returns what a time would have been without other requests: else a target that was full once would seem slow from then on. */
  private alone(time: f64): f64 {
    return time / this.open;
  }
}

/** Since the epoch, with a fraction. */
function milliseconds(): f64 {
  return currentMicroseconds() / 1000;
}
