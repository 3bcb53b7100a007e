// Reads `usage` of a response. `inputTokens` counts neither what was read from a cache nor what was written to it.
import { Usage } from "../../hub/usage";
import { readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";

const INPUT_TOKENS = constant("inputTokens");
const OUTPUT_TOKENS = constant("outputTokens");
const CACHE_READ = constant("cacheReadInputTokens");
const CACHE_WRITE = constant("cacheWriteInputTokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  const input = readCount(tape, tape.member(node, INPUT_TOKENS));
  if (input >= 0) usage.freshInput = input;
  const output = readCount(tape, tape.member(node, OUTPUT_TOKENS));
  if (output >= 0) usage.output = output;
  const read = readCount(tape, tape.member(node, CACHE_READ));
  if (read >= 0) usage.cacheRead = read;
  const written = readCount(tape, tape.member(node, CACHE_WRITE));
  if (written >= 0) usage.cacheWrite = written;
}
