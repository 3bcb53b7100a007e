// Reads `usage` of a message. The counts are cumulative: message_delta repeats or corrects message_start.
import { tokensOr, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  usage.freshInput = tokensOr(tape, tape.member(node, constant("input_tokens")), usage.freshInput);
  usage.output = tokensOr(tape, tape.member(node, constant("output_tokens")), usage.output);
  usage.cacheRead = tokensOr(
    tape,
    tape.member(node, constant("cache_read_input_tokens")),
    usage.cacheRead,
  );
  usage.cacheWrite = tokensOr(
    tape,
    tape.member(node, constant("cache_creation_input_tokens")),
    usage.cacheWrite,
  );
  const hour = tape.member(
    tape.member(node, constant("cache_creation")),
    constant("ephemeral_1h_input_tokens"),
  );
  usage.cacheWriteHour = tokensOr(tape, hour, usage.cacheWriteHour);
  const details = tape.member(node, constant("output_tokens_details"));
  usage.reasoning = tokensOr(
    tape,
    tape.member(details, constant("thinking_tokens")),
    usage.reasoning,
  );
}
