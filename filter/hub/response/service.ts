// How a request was processed, which decides its rates.
import { SERVICE_WORDS } from "../../../contract/usage-record";
import { startsWithIgnoringCase } from "../../bytes/text/at";
import { constant, Span } from "../../bytes/text/bytes";
import { Tape } from "../../bytes/json/tape";
import { SERVICE_UNKNOWN } from "./usage";

const WORDS = SERVICE_WORDS.map<Span>((word) => constant(word));
/** The indexes of `priority`, `flex` and `fast`. */
export const SERVICE_PRIORITY: i32 = 1;
export const SERVICE_FLEX: i32 = 2;
export const SERVICE_FAST: i32 = 3;

/**
 * Returns the index of the word of SERVICE_WORDS with which a text ends, whatever its case: Vertex writes ON_DEMAND_PRIORITY. Other
 * texts are the standard service, 0; for a node that is no text, returns `before`.
 */
export function serviceOr(tape: Tape, node: u32, before: i32): i32 {
  if (!tape.isString(node)) return before;
  const text = tape.pointer(node);
  const length = tape.size(node);
  for (let i = 1; i < WORDS.length; i++) {
    const word = WORDS[i];
    if (length < word.length) continue;
    if (startsWithIgnoringCase(text + length - word.length, word.length, word)) return i;
  }
  return 0;
}

/**
 * Returns how a request asks to be processed, as far as it costs more: OpenAI's `service_tier`, or Anthropic's `speed`. What costs
 * less counts only if the response reports it.
 */
export function requestedService(tape: Tape): i32 {
  const tier = serviceOr(tape, tape.member(0, constant("service_tier")), SERVICE_UNKNOWN);
  if (tier == SERVICE_PRIORITY) return tier;
  const speed = serviceOr(tape, tape.member(0, constant("speed")), SERVICE_UNKNOWN);
  if (speed == SERVICE_FAST) return speed;
  return tier == SERVICE_FAST ? tier : SERVICE_UNKNOWN;
}
