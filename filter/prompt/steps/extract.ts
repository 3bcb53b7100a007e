// Step 4: the model server chooses one of the candidates with its parameters, asks the user for missing ones, or declines.
import { PromptPart } from "../../exchange/prompt-times";
import { Tape } from "../../bytes/json/tape";
import { unescape } from "../../bytes/json/text";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { firstChoiceMessage } from "../completion";
import { appendMessages } from "../prompt-messages";
import { StepOutcome } from "../outcome";
import { Prompt } from "../prompt";
import { ModelServerStep } from "./step";

/** Milliseconds: a language model may be asked. */
const TIMEOUT: u32 = 20_000;
export class Extract extends ModelServerStep {
  constructor() {
    super("extraction", PromptPart.Extract, constant("/v1/chat/completions"), TIMEOUT);
  }

  isNeeded(prompt: Prompt): bool {
    return prompt.candidates.length > 0;
  }

  write(prompt: Prompt, out: ByteBuffer): void {
    out.text('{"model":"extraction","stream":false,"metadata":{"decision":"');
    out.text(prompt.isTargetCertain ? "target" : "ask_model");
    out.text('"},"messages":');
    appendMessages(prompt.conversation, prompt.tape, out);
    out.text(',"tools":[');
    const candidates = prompt.candidates;
    for (let i = 0; i < candidates.length; i++) {
      if (i > 0) out.byte(0x2c);
      out.span(candidates[i].tool);
    }
    out.text("]}");
  }

  read(prompt: Prompt, response: Tape): StepOutcome {
    const message = firstChoiceMessage(response);
    const calls = response.member(message, constant("tool_calls"));
    if (response.isArray(calls) && !response.isEmpty(calls)) {
      const call = response.member(response.first(calls), constant("function"));
      return readCall(prompt, response, call) ? StepOutcome.Next : this.onFailure(prompt, 200);
    }
    const question = response.member(message, constant("content"));
    if (response.isString(question) && response.size(question) > 0)
      return prompt.respond(response.pointer(question), response.size(question));
    prompt.useDefaultTarget();
    return StepOutcome.Next;
  }
}

/** Keeps the target and the parameters of a tool call. False if the target is unknown or the parameters are not an object. */
function readCall(prompt: Prompt, response: Tape, call: u32): bool {
  prompt.target = prompt.findTarget(response, response.member(call, constant("name")));
  const json = prompt.argumentsJson;
  const text = response.member(call, constant("arguments"));
  json.clear();
  if (response.isString(text)) unescape(response.pointer(text), response.size(text), json);
  if (json.length == 0) json.text("{}");
  return prompt.target !== null && prompt.readArguments();
}
