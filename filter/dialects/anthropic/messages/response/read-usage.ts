// Reads `usage` of a message. The counts are cumulative: message_delta repeats or corrects message_start.
import { SERVICE_FAST, serviceOr } from "../../../../hub/response/service";
import { tokensOr, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  if (!tape.isObject(node)) return;
  for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
    const value = key + 1;
    if (tape.equals(key, constant("input_tokens")))
      usage.freshInput = tokensOr(tape, value, usage.freshInput);
    else if (tape.equals(key, constant("output_tokens")))
      usage.output = tokensOr(tape, value, usage.output);
    else if (tape.equals(key, constant("cache_read_input_tokens")))
      usage.cacheRead = tokensOr(tape, value, usage.cacheRead);
    else if (tape.equals(key, constant("cache_creation_input_tokens")))
      usage.cacheWrite = tokensOr(tape, value, usage.cacheWrite);
    else if (tape.equals(key, constant("cache_creation"))) {
      const hour = tape.member(value, constant("ephemeral_1h_input_tokens"));
      usage.cacheWriteHour = tokensOr(tape, hour, usage.cacheWriteHour);
    } else if (tape.equals(key, constant("output_tokens_details"))) {
      const thinking = tape.member(value, constant("thinking_tokens"));
      usage.reasoning = tokensOr(tape, thinking, usage.reasoning);
    } else if (tape.equals(key, constant("server_tool_use"))) {
      const searches = tape.member(value, constant("web_search_requests"));
      usage.searches = tokensOr(tape, searches, usage.searches);
    }
  }
  if (usage.readsRates) readService(tape, node, usage);
}

/** Fast mode has a separate member, beside the service tier. @see https://platform.claude.com/docs/en/build-with-claude/fast-mode */
function readService(tape: Tape, node: u32, usage: Usage): void {
  usage.service = serviceOr(tape, tape.member(node, constant("service_tier")), usage.service);
  const speed = serviceOr(tape, tape.member(node, constant("speed")), 0);
  if (speed == SERVICE_FAST) usage.service = speed;
}
