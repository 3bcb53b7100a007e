// Reads `usage` of a chat completion into parts that do not overlap.
import { atLeastZero, readTokens, UNKNOWN_TOKENS, Usage } from "../../../../hub/response/usage";
import { Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

const CACHED_TOKENS = constant("cached_tokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  const prompt = readTokens(tape, tape.member(node, constant("prompt_tokens")));
  if (prompt >= 0) readInput(tape, node, prompt, usage);
  const details = tape.member(node, constant("completion_tokens_details"));
  const reasoning = readTokens(tape, tape.member(details, constant("reasoning_tokens")));
  if (reasoning >= 0) usage.reasoning = reasoning;
  const completion = readTokens(tape, tape.member(node, constant("completion_tokens")));
  if (completion < 0) return;
  // xAI and Gemini exclude reasoning from completion_tokens, but not from the total.
  const total = readTokens(tape, tape.member(node, constant("total_tokens")));
  const known = atLeastZero(prompt) + completion;
  const isReasoningApart = prompt >= 0 && total > known;
  usage.output = isReasoningApart ? total - prompt : completion;
}

function readInput(tape: Tape, node: u32, prompt: i64, usage: Usage): void {
  const details = tape.member(node, constant("prompt_tokens_details"));
  let cached = readTokens(tape, tape.member(details, CACHED_TOKENS));
  // DeepSeek, Moonshot and Mistral report it at the top level.
  if (cached < 0) cached = readTokens(tape, tape.member(node, constant("prompt_cache_hit_tokens")));
  if (cached < 0) cached = readTokens(tape, tape.member(node, CACHED_TOKENS));
  if (cached < 0) cached = readTokens(tape, tape.member(node, constant("num_cached_tokens")));
  const written = readTokens(tape, tape.member(details, constant("cache_write_tokens")));
  if (cached != UNKNOWN_TOKENS) usage.cacheRead = min(cached, prompt);
  if (written != UNKNOWN_TOKENS)
    usage.cacheWrite = min(written, prompt - min(atLeastZero(cached), prompt));
  const apart = atLeastZero(usage.cacheRead) + atLeastZero(usage.cacheWrite);
  usage.freshInput = prompt > apart ? prompt - apart : 0;
}
