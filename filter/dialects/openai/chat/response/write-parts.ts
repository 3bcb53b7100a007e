// Writes parts of a chat completion, for streams and complete responses.
import { ResponseHead, TIER_UNKNOWN } from "../../../../hub/response/translation";
import { writeResponseId } from "../../../../hub/response/response-id";
import { atLeastZero, Usage } from "../../../../hub/response/usage";
import { ByteBuffer, constant } from "../../../../bytes/text/bytes";
import { tierWord } from "../../tier";

export function writeId(id: ByteBuffer, out: ByteBuffer): void {
  writeResponseId(id, constant("chatcmpl-"), out);
}

/** Writes `,"service_tier":…,"system_fingerprint":…`, each only if the provider sent it. */
export function writeTierAndFingerprint(head: ResponseHead, out: ByteBuffer): void {
  if (head.tier != TIER_UNKNOWN) {
    out.text(',"service_tier":"');
    out.span(tierWord(head.tier));
    out.byte(0x22);
  }
  if (head.fingerprint.length > 0) {
    out.text(',"system_fingerprint":"');
    out.bytes(head.fingerprint.pointer, head.fingerprint.length);
    out.byte(0x22);
  }
}

/** Writes the `usage` object. `prompt_tokens` includes cached tokens. */
export function writeUsage(usage: Usage, out: ByteBuffer): void {
  out.text('{"prompt_tokens":');
  out.integer(usage.input);
  out.text(',"completion_tokens":');
  out.integer(atLeastZero(usage.output));
  out.text(',"total_tokens":');
  out.integer(usage.total);
  out.text(',"prompt_tokens_details":{"cached_tokens":');
  out.integer(atLeastZero(usage.cacheRead));
  if (usage.cacheWrite > 0) {
    out.text(',"cache_write_tokens":');
    out.integer(usage.cacheWrite);
  }
  out.text('},"completion_tokens_details":{"reasoning_tokens":');
  out.integer(atLeastZero(usage.reasoning));
  out.text("}}");
}
