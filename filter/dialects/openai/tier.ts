// `service_tier` of requests and responses.
import {
  TIER_FLEX,
  TIER_PRIORITY,
  TIER_SCALE,
  TIER_STANDARD,
} from "../../hub/response/translation";
import { Tape } from "../../bytes/json/tape";
import { constant, Span } from "../../bytes/text/bytes";

const PRIORITY = constant("priority");
const FLEX = constant("flex");
const SCALE = constant("scale");
const DEFAULT = constant("default");

/** What asks for fast mode: `fast` means the same, but only OpenAI has it. */
export const FAST_MODE = constant('"service_tier":"priority"');

/** What OpenAI's API accepts; other providers have words of their own. */
const OPENAI_TIERS: Span[] = [
  constant("auto"),
  DEFAULT,
  FLEX,
  SCALE,
  PRIORITY,
  constant("fast"),
  constant("ultrafast"),
];

export function isOpenaiTier(tape: Tape, node: u32): bool {
  return tape.indexIn(node, OPENAI_TIERS) >= 0;
}

/** Returns the tier of a response. Words other than OpenAI's mean the standard tier. */
export function tierOf(tape: Tape, node: u32): i32 {
  if (tape.equals(node, PRIORITY)) return TIER_PRIORITY;
  if (tape.equals(node, FLEX)) return TIER_FLEX;
  return tape.equals(node, SCALE) ? TIER_SCALE : TIER_STANDARD;
}

export function tierWord(tier: i32): Span {
  if (tier == TIER_PRIORITY) return PRIORITY;
  if (tier == TIER_FLEX) return FLEX;
  return tier == TIER_SCALE ? SCALE : DEFAULT;
}
