// A step of a prompt: one callout and what its response means. Most are calls to the model server.
import { Call } from "../../callouts/call";
import { send } from "../../callouts/callouts";
import { CalloutResponse } from "../../callouts/callout-response";
import { PromptPart } from "../../exchange/prompt-times";
import { logWarning } from "../../host/host";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../bytes/text/bytes";
import { timeoutFault } from "../prompt-faults";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";

export abstract class Step {
  protected call: Call;

  constructor(
    /** Its name in log lines and errors. */
    public name: string,
    /** To which part of the prompt's time it belongs. */
    public part: PromptPart,
    /** The most time that its callout gets. */
    public timeoutMs: u32,
  ) {
    this.call = new Call(constant(name));
  }

  /** Returns whether the prompt needs the step, by what the steps before found out. */
  abstract isNeeded(prompt: Prompt): bool;
  /** Writes the callout. Returns StepOutcome.Next, or another outcome if there is nothing to send. */
  abstract request(prompt: Prompt): StepOutcome;
  /** Sends the callout that `request` wrote. Returns false if it cannot be sent. */
  send(prompt: Prompt, timeoutMs: u32): bool {
    this.call.timeoutMs = timeoutMs;
    return send(prompt.exchange, this.call);
  }

  /** Returns the outcome of the response, which has status 0 if there was none. */
  abstract onResponse(prompt: Prompt, response: CalloutResponse): StepOutcome;
}

const MODEL_SERVER = constant("model_server");

/** Body of the callout to the model server that is sent next. */
const body = scratchBuffer();

/** Milliseconds. */
const DEFAULT_TIMEOUT: u32 = 5_000;

export abstract class ModelServerStep extends Step {
  constructor(name: string, part: PromptPart, path: Span, timeoutMs: u32 = DEFAULT_TIMEOUT) {
    super(name, part, timeoutMs);
    this.call.cluster = MODEL_SERVER;
    this.call.authority = MODEL_SERVER;
    this.call.path = path;
  }

  /** Writes the body of the request. */
  abstract write(prompt: Prompt, out: ByteBuffer): void;
  /** Returns the outcome of a response with status 200 whose body is a JSON object. */
  abstract read(prompt: Prompt, response: Tape): StepOutcome;

  request(prompt: Prompt): StepOutcome {
    body.clear();
    this.write(prompt, body);
    body.view(this.call.body);
    return StepOutcome.Next;
  }

  onResponse(prompt: Prompt, response: CalloutResponse): StepOutcome {
    if (response.status == 200 && response.readObject()) return this.read(prompt, response.json);
    if (response.isLate) return prompt.reject(timeoutFault(this.name));
    return this.onFailure(prompt, response.status);
  }

  /** Returns the outcome of any other response: by default the prompt goes to its model without a target. */
  onFailure(_prompt: Prompt, status: u32): StepOutcome {
    logWarning(
      "gateway: prompt step " +
        this.name +
        " failed (status " +
        status.toString() +
        "); the prompt is sent to its model without a prompt target",
    );
    return StepOutcome.Send;
  }
}
