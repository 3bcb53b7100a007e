// The request of the model server for a tool call: it names the target and its arguments, so that nothing is selected or
// extracted. The call of the API is the one of a prompt (steps/call-api.ts).
import { Fault } from "../hub/faults/fault";
import { constant } from "../bytes/text/bytes";
import { Prompt } from "./prompt";

/** Reads target and arguments from the body. Returns why no API can be called; null if one can. */
export function readTargetCall(prompt: Prompt): Fault | null {
  const tape = prompt.tape;
  const target = prompt.findTarget(tape, tape.member(0, constant("target")));
  prompt.target = target;
  if (target === null)
    return new Fault(404, "No prompt target has this name; list the tools again.");
  const values = tape.member(0, constant("arguments"));
  if (tape.isObject(values))
    prompt.argumentsJson.bytes(
      tape.base + tape.outerStart(values),
      tape.outerEnd(values) - tape.outerStart(values),
    );
  if (!prompt.readArguments())
    return new Fault(400, "The arguments must be a JSON object of at most 256 KiB.");
  // A default target is sent the conversation.
  if (target.isDefault && !target.isGet && !tape.isArray(tape.member(0, prompt.conversation.list)))
    return new Fault(400, "'messages' is missing: send the conversation as a list of messages.");
  return null;
}
