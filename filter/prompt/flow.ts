// Runs the steps of a prompt: all of them on the ingress listener, the guard on egress. Each step is one callout through the
// internal listener, which logs it; then the request goes to its model, or the gateway responds itself. To add a step: one file in
// steps/ and one row in PROMPT_STEPS.
//
// The listener's timeout is one limit for the whole prompt: a callout gets its own limit or the time that is left, and the
// language model gets the rest. When no time is left, the client gets a 504.
import { wasRefused } from "../memory/blocks";
import { CalloutResponse } from "../callouts/callout-response";
import { currentMilliseconds } from "../host/host";
import { NO_NODE } from "../bytes/json/tape";
import { timeoutFault } from "./prompt-faults";
import { StepOutcome } from "./outcome";
import { Prompt } from "./prompt";
import { CallApi } from "./steps/call-api";
import { Embed } from "./steps/embed";
import { Extract } from "./steps/extract";
import { Ground } from "./steps/ground";
import { Guard } from "./steps/guard";
import { Select } from "./steps/select";
import { Step } from "./steps/step";

/** The steps of a prompt. */
export const PROMPT_STEPS: StaticArray<Step> = [
  new Guard(),
  new Embed(),
  new Select(),
  new Extract(),
  new Ground(),
  new CallApi(false),
];
/** The steps of a tool call, whose request names the target. */
export const CALL_STEPS: StaticArray<Step> = [new CallApi(true)];

/** Envoy's timers fire a moment early or late, so less time than this is none. Milliseconds. */
const MIN_TIME_MS: u32 = 5;

/** What a step reads if its callout cannot be sent. */
const NO_RESPONSE = new CalloutResponse();

export class PromptFlow {
  /** When the listener's timeout expires. Milliseconds since the epoch. */
  private deadline: i64;
  private position: i32 = 0;
  /** The step that ran last, or runs. */
  private step: Step = PROMPT_STEPS[0];
  /** Whether the callout in flight has all the time that is left. */
  private hasAllTime: bool = false;
  /** When the callout in flight was sent, in milliseconds since the epoch; 0 if no usage record is written. */
  private sentAt: i64 = 0;

  constructor(
    public prompt: Prompt,
    private steps: StaticArray<Step>,
  ) {
    this.deadline = currentMilliseconds() + prompt.timeoutMs;
  }

  /** Starts the first step. Returns the outcome for the pipeline. */
  start(): StepOutcome {
    const prompt = this.prompt;
    const isEmpty =
      this.steps === PROMPT_STEPS && prompt.conversation.lastUserContent(prompt.tape) == NO_NODE;
    return isEmpty ? StepOutcome.Send : this.finish(this.run());
  }

  /** Has the step read the response to its callout, and starts the next one. Returns the outcome for the pipeline. */
  onResponse(response: CalloutResponse): StepOutcome {
    const exchange = this.prompt.exchange;
    if (exchange.isObserved)
      exchange.notePromptTime(this.step.part, currentMilliseconds() - this.sentAt);
    // Envoy's timer may fire a moment before the deadline by the clock.
    const isTimerFirst = this.hasAllTime && response.status == 504 && response.details.length == 0;
    response.isLate = isTimerFirst || this.timeLeft() == 0;
    const outcome = this.read(response);
    return this.finish(outcome == StepOutcome.Next ? this.run() : outcome);
  }

  release(): void {
    this.prompt.release();
  }

  /** Milliseconds of the listener's timeout that are left for this prompt. */
  timeLeft(): u32 {
    const left = this.deadline - currentMilliseconds();
    if (left < <i64>MIN_TIME_MS) return 0;
    // A clock that was set back gives no more time than there was.
    return min(<u32>left, this.prompt.timeoutMs);
  }

  /** Runs the steps that the prompt needs, until one has to wait or decides. */
  private run(): StepOutcome {
    while (this.position < this.steps.length) {
      const step = unchecked(this.steps[this.position++]);
      if (!step.isNeeded(this.prompt)) continue;
      this.step = step;
      let outcome = this.send();
      if (outcome == StepOutcome.Next) outcome = this.read(NO_RESPONSE);
      if (outcome != StepOutcome.Next) return outcome;
    }
    return StepOutcome.Send;
  }

  /** Sends the callout of the current step. Returns StepOutcome.Next if it cannot be sent. */
  private send(): StepOutcome {
    const prompt = this.prompt;
    const step = this.step;
    const outcome = step.request(prompt);
    if (outcome != StepOutcome.Next) return outcome;
    if (wasRefused()) return prompt.rejectForMemory();
    const left = this.timeLeft();
    if (left == 0) return prompt.reject(timeoutFault(step.name));
    this.hasAllTime = left <= step.timeoutMs;
    const isSent = step.send(prompt, min(step.timeoutMs, left));
    if (prompt.exchange.isObserved) this.sentAt = currentMilliseconds();
    return isSent ? StepOutcome.Wait : StepOutcome.Next;
  }

  /** Has the current step read the response. */
  private read(response: CalloutResponse): StepOutcome {
    const outcome = this.step.onResponse(this.prompt, response);
    return wasRefused() ? this.prompt.rejectForMemory() : outcome;
  }

  /** The time has to last for the model, too. */
  private finish(outcome: StepOutcome): StepOutcome {
    return outcome == StepOutcome.Send && this.timeLeft() == 0
      ? this.prompt.reject(timeoutFault(this.step.name))
      : outcome;
  }
}
