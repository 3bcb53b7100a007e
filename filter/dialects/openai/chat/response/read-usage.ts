// Reads `usage` of a chat completion into parts that do not overlap.
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

const CACHED_TOKENS = constant("cached_tokens");
const AUDIO_TOKENS = constant("audio_tokens");

/** Missing members keep the earlier counts. */
export function readUsage(tape: Tape, node: u32, usage: Usage): void {
  const prompt = readTokens(tape, tape.member(node, constant("prompt_tokens")));
  if (prompt >= 0) readInput(tape, node, prompt, usage);
  if (usage.readsRates) readRates(tape, node, usage);
  const details = tape.member(node, constant("completion_tokens_details"));
  const reasoning = readTokens(tape, tape.member(details, constant("reasoning_tokens")));
  if (reasoning >= 0) usage.reasoning = reasoning;
  readSearches(tape, node, usage);
  const completion = readTokens(tape, tape.member(node, constant("completion_tokens")));
  if (completion < 0) return;
  // xAI and Gemini exclude reasoning from completion_tokens, but not from the total.
  const total = readTokens(tape, tape.member(node, constant("total_tokens")));
  const known = atLeastZero(prompt) + completion;
  const isReasoningApart = prompt >= 0 && total > known;
  usage.output = isReasoningApart ? total - prompt : completion;
}

/**
 * OpenRouter has Anthropic's member, Perplexity another one.
 * @see https://openrouter.ai/docs/client-sdks/python/components/bodyservertooluse
 */
function readSearches(tape: Tape, node: u32, usage: Usage): void {
  const tools = tape.member(node, constant("server_tool_use"));
  const requests = tape.member(tools, constant("web_search_requests"));
  const queries = tape.member(node, constant("num_search_queries"));
  usage.searches = tokensOr(tape, requests, tokensOr(tape, queries, usage.searches));
}

/** Reads what else decides the rates: `service_tier` beside the usage, and the audio tokens in it. */
function readRates(tape: Tape, node: u32, usage: Usage): void {
  usage.service = serviceOr(tape, tape.member(0, constant("service_tier")), usage.service);
  const input = tape.member(node, constant("prompt_tokens_details"));
  usage.audioInput = atLeastZero(readTokens(tape, tape.member(input, AUDIO_TOKENS)));
  const output = tape.member(node, constant("completion_tokens_details"));
  usage.audioOutput = atLeastZero(readTokens(tape, tape.member(output, AUDIO_TOKENS)));
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
