// Reads `usage` of a response. `inputTokens` counts neither what was read from a cache nor what was written to it.
import { serviceOr } from "../../../../hub/response/service";
import { tokensOr, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  usage.freshInput = tokensOr(tape, tape.member(node, constant("inputTokens")), usage.freshInput);
  usage.output = tokensOr(tape, tape.member(node, constant("outputTokens")), usage.output);
  usage.cacheRead = tokensOr(
    tape,
    tape.member(node, constant("cacheReadInputTokens")),
    usage.cacheRead,
  );
  usage.cacheWrite = tokensOr(
    tape,
    tape.member(node, constant("cacheWriteInputTokens")),
    usage.cacheWrite,
  );
  if (usage.readsRates) {
    const tier = tape.member(tape.member(0, constant("serviceTier")), constant("type"));
    usage.service = serviceOr(tape, tier, usage.service);
  }
}
