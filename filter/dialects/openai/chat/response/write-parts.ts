// Writes parts of a chat completion, for streams and complete responses.
import { ResponseHead, TIER_UNKNOWN } from "../../../../hub/response/events";
import { writeResponseId } from "../../../../hub/response/response-id";
import { atLeastZero, Usage } from "../../../../hub/response/usage";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { tierWord } from "../../tier";

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

export function writeId(id: ByteBuffer, out: ByteBuffer): void {
  writeResponseId(id, COMPLETION_PREFIX, out);
}

/** Writes `,"service_tier":…,"system_fingerprint":…`, each only if the provider sent it. */
export function writeTierAndFingerprint(head: ResponseHead, out: ByteBuffer): void {
  if (head.tier != TIER_UNKNOWN) {
    out.span(TIER);
    out.span(tierWord(head.tier));
    out.byte(0x22);
  }
  if (head.fingerprint.length > 0) {
    out.span(FINGERPRINT);
    out.bytes(head.fingerprint.pointer, head.fingerprint.length);
    out.byte(0x22);
  }
}

/** Writes the `usage` object. `prompt_tokens` includes cached tokens. */
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
