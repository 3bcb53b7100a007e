// `service_tier` of a response.
import { TIER_FLEX, TIER_PRIORITY, TIER_SCALE } from "../../hub/events";
import { constant, Span } from "../../bytes/text/bytes";

const PRIORITY = constant("priority");
const FLEX = constant("flex");
const SCALE = constant("scale");
const DEFAULT = constant("default");

export function tierWord(tier: i32): Span {
  if (tier == TIER_PRIORITY) return PRIORITY;
  if (tier == TIER_FLEX) return FLEX;
  return tier == TIER_SCALE ? SCALE : DEFAULT;
}
