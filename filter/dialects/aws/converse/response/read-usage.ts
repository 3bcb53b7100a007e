// Reads `usage` of a response. `inputTokens` counts neither what was read from a cache nor what was written to it.
import { tokensOr, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const INPUT_TOKENS = constant("inputTokens");
const OUTPUT_TOKENS = constant("outputTokens");
const CACHE_READ = constant("cacheReadInputTokens");
const CACHE_WRITE = constant("cacheWriteInputTokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  usage.freshInput = tokensOr(tape, tape.member(node, INPUT_TOKENS), usage.freshInput);
  usage.output = tokensOr(tape, tape.member(node, OUTPUT_TOKENS), usage.output);
  usage.cacheRead = tokensOr(tape, tape.member(node, CACHE_READ), usage.cacheRead);
  usage.cacheWrite = tokensOr(tape, tape.member(node, CACHE_WRITE), usage.cacheWrite);
}
