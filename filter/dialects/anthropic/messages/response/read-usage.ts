// Reads `usage` of a message. The counts are cumulative: message_delta repeats or corrects message_start.
import { tokensOr, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const INPUT_TOKENS = constant("input_tokens");
const OUTPUT_TOKENS = constant("output_tokens");
const CACHE_READ = constant("cache_read_input_tokens");
const CACHE_CREATION = constant("cache_creation_input_tokens");
const CACHE_DETAILS = constant("cache_creation");
const HOUR_TOKENS = constant("ephemeral_1h_input_tokens");
const OUTPUT_DETAILS = constant("output_tokens_details");
const THINKING_TOKENS = constant("thinking_tokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  usage.freshInput = tokensOr(tape, tape.member(node, INPUT_TOKENS), usage.freshInput);
  usage.output = tokensOr(tape, tape.member(node, OUTPUT_TOKENS), usage.output);
  usage.cacheRead = tokensOr(tape, tape.member(node, CACHE_READ), usage.cacheRead);
  usage.cacheWrite = tokensOr(tape, tape.member(node, CACHE_CREATION), usage.cacheWrite);
  const hour = tape.member(tape.member(node, CACHE_DETAILS), HOUR_TOKENS);
  usage.cacheWriteHour = tokensOr(tape, hour, usage.cacheWriteHour);
  const details = tape.member(node, OUTPUT_DETAILS);
  usage.reasoning = tokensOr(tape, tape.member(details, THINKING_TOKENS), usage.reasoning);
}
