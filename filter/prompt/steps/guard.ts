// Step 1: the jailbreak guard looks at the last message of the user.
import { GuardDecision } from "../../exchange/exchange";
import { PromptPart } from "../../exchange/prompt-times";
import { logWarning } from "../../host/host";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { appendInput } from "../prompt-messages";
import { guardFault, guardLimitFault } from "../prompt-faults";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";
import { ModelServerStep } from "./step";

export class Guard extends ModelServerStep {
  constructor() {
    super("guard", PromptPart.Guard, constant("/guard"));
  }

  isNeeded(prompt: Prompt): bool {
    return prompt.hasAllSteps ? prompt.config.guardsIngress : prompt.config.guardsEgress;
  }

  write(prompt: Prompt, out: ByteBuffer): void {
    appendInput(prompt, out);
    out.text('","task":"jailbreak"}');
  }

  read(prompt: Prompt, response: Tape): StepOutcome {
    const isBlocked = response.isTrue(response.member(0, constant("jailbreak_verdict")));
    prompt.exchange.guard = isBlocked ? GuardDecision.Blocked : GuardDecision.Passed;
    if (!isBlocked) return next(prompt);
    const message = prompt.config.guardMessageJson;
    return prompt.respond(message.pointer, message.length);
  }

  /** `on_failure` is for a guard that fails: a prompt that the guard rejects (4xx) never passes. */
  onFailure(prompt: Prompt, status: u32): StepOutcome {
    if (status == 413) return prompt.reject(guardLimitFault());
    prompt.exchange.guard = GuardDecision.Unavailable;
    const isRejected = status >= 400 && status < 500;
    if (isRejected || !prompt.config.guardFailsOpen) return prompt.reject(guardFault());
    logWarning(
      "gateway: the jailbreak guard is unavailable; the prompt is accepted (on_failure: allow)",
    );
    return next(prompt);
  }
}

function next(prompt: Prompt): StepOutcome {
  return prompt.hasAllSteps ? StepOutcome.Next : StepOutcome.Send;
}
