// Reads `usage` of a response into parts that do not overlap.
import { serviceOr } from "../../../../hub/response/service";
import {
  atLeastZero,
  readTokens,
  tokensOr,
  UNKNOWN_TOKENS,
  Usage,
} from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  const input = readTokens(tape, tape.member(node, constant("input_tokens")));
  if (input >= 0)
    readInput(tape, tape.member(node, constant("input_tokens_details")), input, usage);
  const details = tape.member(node, constant("output_tokens_details"));
  const reasoning = readTokens(tape, tape.member(details, constant("reasoning_tokens")));
  if (reasoning >= 0) usage.reasoning = reasoning;
  const output = readTokens(tape, tape.member(node, constant("output_tokens")));
  if (output >= 0) usage.output = output;
}

/**
 * Reads what else the price depends on: the service tier, and how often the provider has searched, which OpenAI reports beside
 * `usage`, xAI inside of it. `response`: the object that has `usage`.
 * @see https://docs.x.ai/developers/tools/tool-usage-details
 */
export function readCharges(tape: Tape, response: u32, node: u32, usage: Usage): void {
  if (usage.readsRates)
    usage.service = serviceOr(tape, tape.member(response, constant("service_tier")), usage.service);
  const own = tape.member(tape.member(response, constant("tool_usage")), constant("web_search"));
  usage.searches = tokensOr(tape, tape.member(own, constant("num_requests")), usage.searches);
  const details = tape.member(node, constant("server_side_tool_usage_details"));
  usage.searches = tokensOr(
    tape,
    tape.member(details, constant("web_search_calls")),
    usage.searches,
  );
}

function readInput(tape: Tape, details: u32, input: i64, usage: Usage): void {
  const cached = readTokens(tape, tape.member(details, constant("cached_tokens")));
  const written = readTokens(tape, tape.member(details, constant("cache_write_tokens")));
  if (cached != UNKNOWN_TOKENS) usage.cacheRead = min(cached, input);
  if (written != UNKNOWN_TOKENS)
    usage.cacheWrite = min(written, input - min(atLeastZero(cached), input));
  usage.freshInput = input - atLeastZero(usage.cacheRead) - atLeastZero(usage.cacheWrite);
}
