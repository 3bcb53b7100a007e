// Pieces of a chat completion that are the same in a stream and in a complete response.
import { ResponseHead, TIER_FLEX, TIER_PRIORITY, TIER_SCALE, TIER_UNKNOWN } from "../../hub/events";
import { atLeastZero, Usage } from "../../hub/usage";
import { ByteBuffer, constant, sameBytes } from "../../bytes/text/bytes";

const MESSAGE_PREFIX = constant("msg_");
const COMPLETION_PREFIX = constant("chatcmpl-");
const PROMPT_TOKENS = constant('{"prompt_tokens":');
const COMPLETION_TOKENS = constant(',"completion_tokens":');
const TOTAL_TOKENS = constant(',"total_tokens":');
const CACHED_TOKENS = constant(',"prompt_tokens_details":{"cached_tokens":');
const CACHE_WRITE_TOKENS = constant(',"cache_write_tokens":');
const REASONING_TOKENS = constant('},"completion_tokens_details":{"reasoning_tokens":');
const TWO_ENDS = constant("}}");
const TIER = constant(',"service_tier":"');
const FINGERPRINT = constant(',"system_fingerprint":"');

/** `msg_X` → `chatcmpl-X`; any other id gets the prefix, so that logs of both sides can be matched. */
export function writeId(id: ByteBuffer, out: ByteBuffer): void {
  let skip: u32 = 0;
  if (startsWith(id, MESSAGE_PREFIX.pointer, MESSAGE_PREFIX.length)) skip = MESSAGE_PREFIX.length;
  else if (startsWith(id, COMPLETION_PREFIX.pointer, COMPLETION_PREFIX.length))
    skip = COMPLETION_PREFIX.length;
  out.span(COMPLETION_PREFIX);
  out.bytes(id.pointer + skip, id.length - skip);
}

function startsWith(id: ByteBuffer, prefix: usize, length: u32): bool {
  return id.length > length && sameBytes(id.pointer, length, prefix, length);
}

/** `,"service_tier":…,"system_fingerprint":…`, each only if the upstream said it. */
export function writeTierAndFingerprint(head: ResponseHead, out: ByteBuffer): void {
  if (head.tier != TIER_UNKNOWN) {
    out.span(TIER);
    out.text(tierWord(head.tier));
    out.byte(0x22);
  }
  if (head.fingerprint.length > 0) {
    out.span(FINGERPRINT);
    out.bytes(head.fingerprint.pointer, head.fingerprint.length);
    out.byte(0x22);
  }
}

function tierWord(tier: i32): string {
  if (tier == TIER_PRIORITY) return "priority";
  if (tier == TIER_FLEX) return "flex";
  return tier == TIER_SCALE ? "scale" : "default";
}

/** The `usage` object: `prompt_tokens` counts cached tokens too. */
export function writeUsage(usage: Usage, out: ByteBuffer): void {
  out.span(PROMPT_TOKENS);
  out.integer(usage.input);
  out.span(COMPLETION_TOKENS);
  out.integer(atLeastZero(usage.output));
  out.span(TOTAL_TOKENS);
  out.integer(usage.total);
  out.span(CACHED_TOKENS);
  out.integer(atLeastZero(usage.cacheRead));
  if (usage.cacheWrite > 0) {
    out.span(CACHE_WRITE_TOKENS);
    out.integer(usage.cacheWrite);
  }
  out.span(REASONING_TOKENS);
  out.integer(atLeastZero(usage.reasoning));
  out.span(TWO_ENDS);
}
