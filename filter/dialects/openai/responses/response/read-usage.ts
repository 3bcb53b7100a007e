// Reads `usage` of a response into parts that do not overlap.
import { atLeastZero, readTokens, UNKNOWN_TOKENS, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const INPUT_TOKENS = constant("input_tokens");
const OUTPUT_TOKENS = constant("output_tokens");
const INPUT_DETAILS = constant("input_tokens_details");
const OUTPUT_DETAILS = constant("output_tokens_details");
const CACHED_TOKENS = constant("cached_tokens");
const CACHE_WRITE_TOKENS = constant("cache_write_tokens");
const REASONING_TOKENS = constant("reasoning_tokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  const input = readTokens(tape, tape.member(node, INPUT_TOKENS));
  if (input >= 0) readInput(tape, tape.member(node, INPUT_DETAILS), input, usage);
  const details = tape.member(node, OUTPUT_DETAILS);
  const reasoning = readTokens(tape, tape.member(details, REASONING_TOKENS));
  if (reasoning >= 0) usage.reasoning = reasoning;
  const output = readTokens(tape, tape.member(node, OUTPUT_TOKENS));
  if (output >= 0) usage.output = output;
}

function readInput(tape: Tape, details: u32, input: i64, usage: Usage): void {
  const cached = readTokens(tape, tape.member(details, CACHED_TOKENS));
  const written = readTokens(tape, tape.member(details, CACHE_WRITE_TOKENS));
  if (cached != UNKNOWN_TOKENS) usage.cacheRead = min(cached, input);
  if (written != UNKNOWN_TOKENS)
    usage.cacheWrite = min(written, input - min(atLeastZero(cached), input));
  usage.freshInput = input - atLeastZero(usage.cacheRead) - atLeastZero(usage.cacheWrite);
}
