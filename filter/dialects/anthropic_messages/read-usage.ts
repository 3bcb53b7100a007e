// Reads `usage` of a message. The counts are cumulative: message_delta repeats or corrects message_start.
import { Usage } from "../../hub/usage";
import { readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";

const INPUT_TOKENS = constant("input_tokens");
const OUTPUT_TOKENS = constant("output_tokens");
const CACHE_READ = constant("cache_read_input_tokens");
const CACHE_CREATION = constant("cache_creation_input_tokens");
const OUTPUT_DETAILS = constant("output_tokens_details");
const THINKING_TOKENS = constant("thinking_tokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  const input = readCount(tape, tape.member(node, INPUT_TOKENS));
  if (input >= 0) usage.freshInput = input;
  const output = readCount(tape, tape.member(node, OUTPUT_TOKENS));
  if (output >= 0) usage.output = output;
  const read = readCount(tape, tape.member(node, CACHE_READ));
  if (read >= 0) usage.cacheRead = read;
  const created = readCount(tape, tape.member(node, CACHE_CREATION));
  if (created >= 0) usage.cacheWrite = created;
  const thinking = readCount(tape, tape.member(tape.member(node, OUTPUT_DETAILS), THINKING_TOKENS));
  if (thinking >= 0) usage.reasoning = thinking;
}
