// Step 5: the model server checks that the extracted parameters stand in the conversation, and asks for those that do not.
import { PromptPart } from "../../exchange/prompt-times";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { appendMessages, appendUserTurns } from "../prompt-messages";
import { groundingFault } from "../prompt-faults";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";
import { ModelServerStep } from "./step";

export class Ground extends ModelServerStep {
  constructor() {
    super("hallucination", PromptPart.Extract, constant("/hallucination"));
  }

  isNeeded(prompt: Prompt): bool {
    return prompt.argumentsJson.length > 0;
  }

  write(prompt: Prompt, out: ByteBuffer): void {
    out.text('{"model":"grounding","target":"');
    const target = prompt.target;
    if (target !== null) out.span(target.name);
    out.text('","prompt":"');
    appendUserTurns(prompt, out);
    out.text('","messages":');
    appendMessages(prompt.conversation, prompt.tape, out);
    out.text(',"parameters":');
    out.bytes(prompt.argumentsJson.pointer, prompt.argumentsJson.length);
    out.text("}");
  }

  read(prompt: Prompt, response: Tape): StepOutcome {
    const missing = response.member(0, constant("missing"));
    if (!response.isArray(missing) || response.isEmpty(missing)) return StepOutcome.Next;
    const question = response.member(0, constant("question"));
    if (!response.isString(question)) return this.onFailure(prompt, 200);
    return prompt.respond(response.pointer(question), response.size(question));
  }

  /** No API is called with parameters that were not checked. */
  onFailure(prompt: Prompt, _status: u32): StepOutcome {
    return prompt.reject(groundingFault());
  }
}
