// Step 3: the model server selects the prompt target, names several candidates, or finds that none fits.
import { PromptPart } from "../../exchange/prompt-times";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { appendInput, appendMessages } from "../prompt-messages";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";
import { ModelServerStep } from "./step";

export class Select extends ModelServerStep {
  constructor() {
    super("zeroshot", PromptPart.Target, constant("/zeroshot"));
  }

  isNeeded(prompt: Prompt): bool {
    return prompt.config.hasCandidates();
  }

  write(prompt: Prompt, out: ByteBuffer): void {
    appendInput(prompt, out);
    out.text('","messages":');
    appendMessages(prompt.conversation, prompt.tape, out);
    out.text(',"model":"zeroshot",');
    out.span(prompt.config.zeroshotMembers);
    out.text("}");
  }

  /** Without a decision the default target stays chosen, if there is one. */
  read(prompt: Prompt, response: Tape): StepOutcome {
    const decision = response.member(0, constant("decision"));
    if (response.equals(decision, constant("none"))) return StepOutcome.Next;
    prompt.isTargetCertain = response.equals(decision, constant("target"));
    if (prompt.isTargetCertain) {
      const target = prompt.findTarget(response, response.member(0, constant("predicted_class")));
      if (target === null) return StepOutcome.Next;
      prompt.target = target;
      // Its API can be called at once if there is nothing to extract.
      if (target.parameters.length > 0) prompt.candidates.push(target);
      return StepOutcome.Next;
    }
    const list = response.member(0, constant("candidates"));
    const end = response.next(list);
    for (let name = response.first(list); name < end; name = response.next(name)) {
      const candidate = prompt.findTarget(response, name);
      if (candidate !== null) prompt.candidates.push(candidate);
    }
    return StepOutcome.Next;
  }
}
