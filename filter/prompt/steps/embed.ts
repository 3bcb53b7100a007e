// Step 2: has the model server compute the embedding of the prompt. The vector itself is not used here: the model server
// keeps it, and /zeroshot then finds it in its cache. The interface lists this call, so it is in access_internal.log.
import { PromptPart } from "../../exchange/prompt-times";
import { Tape } from "../../bytes/json/tape";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { appendInput } from "../prompt-messages";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";
import { ModelServerStep } from "./step";

export class Embed extends ModelServerStep {
  constructor() {
    super("embeddings", PromptPart.Target, constant("/embeddings"));
  }

  isNeeded(prompt: Prompt): bool {
    return prompt.config.hasCandidates();
  }

  write(prompt: Prompt, out: ByteBuffer): void {
    appendInput(prompt, out);
    out.text('","model":"embedding"}');
  }

  read(_prompt: Prompt, _response: Tape): StepOutcome {
    return StepOutcome.Next;
  }
}
