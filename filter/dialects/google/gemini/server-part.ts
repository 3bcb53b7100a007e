// A part with what a tool of Google did beside functions: the call, or its result. It comes back in the next turn as it is, with its id
// and its signature.
// @see https://ai.google.dev/gemini-api/docs/tool-combination
import { Tape } from "../../../bytes/json/tape";
import { constant } from "../../../bytes/text/bytes";

export const TOOL_CALL = constant("toolCall");

export function isServerPart(tape: Tape, part: u32): bool {
  return (
    tape.isObject(tape.member(part, TOOL_CALL)) ||
    tape.isObject(tape.member(part, constant("toolResponse")))
  );
}
