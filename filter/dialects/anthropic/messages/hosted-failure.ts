// Whether a result of what Anthropic's servers ran is a failure.
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool#response-format
import { readCount } from "../../../bytes/json/number";
import { Tape } from "../../../bytes/json/tape";
import { constant } from "../../../bytes/text/bytes";

/** `content`: of the result's block. MCP results have a member for it, others have an error or what the program returned. */
export function isFailure(tape: Tape, block: u32, content: u32): bool {
  if (tape.isTrue(tape.member(block, constant("is_error")))) return true;
  const returned = tape.member(content, constant("return_code"));
  return (
    tape.isString(tape.member(content, constant("error_code"))) ||
    (tape.isPresent(returned) && readCount(tape, returned) != 0)
  );
}
