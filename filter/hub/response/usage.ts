// Tokens and searches of one exchange, in parts that do not overlap, from which every dialect's counts can be computed.
//
// OpenAI's `prompt_tokens` includes what was read from and written to a cache; Anthropic's `input_tokens` excludes both.
// @see https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
// @see https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching#tracking-cache-performance

import { NO_COUNT, readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";

/** A part that has not been reported. */
export const UNKNOWN_TOKENS: i64 = -1;

/** More than any response has: a larger number is a provider's mistake, and the tokens are estimated. */
const MAX_TOKENS: i64 = 999_999_999;

/** Returns a number of tokens; UNKNOWN_TOKENS for anything else, and for a number that is too large. */
export function readTokens(tape: Tape, node: u32): i64 {
  const tokens = readCount(tape, node);
  return tokens == NO_COUNT || tokens > MAX_TOKENS ? UNKNOWN_TOKENS : tokens;
}

/** Returns a number of tokens; `before` for one that is too large. */
// @ts-ignore: decorator
@inline
export function possibleOr(tokens: i64, before: i64): i64 {
  return tokens > MAX_TOKENS ? before : tokens;
}

/** As `readTokens`; returns `before` for a node that is no number of tokens. */
export function tokensOr(tape: Tape, node: u32, before: i64): i64 {
  const tokens = readTokens(tape, node);
  return tokens == UNKNOWN_TOKENS ? before : tokens;
}

/** Not reported how the request was processed; otherwise an index of SERVICE_WORDS. */
export const SERVICE_UNKNOWN: i32 = -1;

/** Counts are cumulative: a later value replaces an earlier one, a missing value keeps it. */
export class Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  freshInput: i64 = UNKNOWN_TOKENS;
  cacheRead: i64 = UNKNOWN_TOKENS;
  cacheWrite: i64 = UNKNOWN_TOKENS;
  /** The part of `cacheWrite` that is kept for an hour. */
  cacheWriteHour: i64 = UNKNOWN_TOKENS;
  /** All output tokens, reasoning included. */
  output: i64 = UNKNOWN_TOKENS;
  /** The part of `output` that was reasoning. */
  reasoning: i64 = UNKNOWN_TOKENS;
  /** Web searches that the provider ran, as it reports them: many charge each one. */
  searches: i64 = 0;
  /** Whether the price depends on the members below, so that they are read. */
  readsRates: bool = false;
  /** The parts of `freshInput`, `cacheRead` and `output` that were audio. */
  audioInput: i64 = 0;
  audioCacheRead: i64 = 0;
  audioOutput: i64 = 0;
  /** How the provider processed the request: SERVICE_UNKNOWN or an index of SERVICE_WORDS. */
  service: i32 = SERVICE_UNKNOWN;

  /** Whether the provider reported any usage. */
  get isKnown(): bool {
    return this.freshInput >= 0 || this.output >= 0;
  }

  /** All input tokens, cached ones included. */
  get input(): i64 {
    return (
      atLeastZero(this.freshInput) + atLeastZero(this.cacheRead) + atLeastZero(this.cacheWrite)
    );
  }

  get total(): i64 {
    return this.input + atLeastZero(this.output);
  }

  copy(other: Usage): void {
    this.freshInput = other.freshInput;
    this.cacheRead = other.cacheRead;
    this.cacheWrite = other.cacheWrite;
    this.cacheWriteHour = other.cacheWriteHour;
    this.output = other.output;
    this.reasoning = other.reasoning;
    this.searches = other.searches;
    this.audioInput = other.audioInput;
    this.audioCacheRead = other.audioCacheRead;
    this.audioOutput = other.audioOutput;
    this.service = other.service;
  }
}

/** Returns the tokens of a part; an unknown part counts as 0. */
// @ts-ignore: decorator
@inline
export function atLeastZero(tokens: i64): i64 {
  return tokens < 0 ? 0 : tokens;
}
