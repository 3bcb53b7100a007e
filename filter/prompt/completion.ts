// Chat completions of the model server and of APIs, read.
import { constant } from "../bytes/text/bytes";
import { NO_NODE, Tape } from "../bytes/json/tape";

/** Returns the message of a completion's first choice, NO_NODE if `tape` has none. */
export function firstChoiceMessage(tape: Tape): u32 {
  const choices = tape.member(0, constant("choices"));
  if (!tape.isArray(choices) || tape.isEmpty(choices)) return NO_NODE;
  return tape.member(tape.first(choices), constant("message"));
}
