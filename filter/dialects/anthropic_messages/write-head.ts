// The members of a message that stand before its content and behind it, the same in a stream and in a complete response.
import { Citation, ResponseHead, TIER_BATCH, TIER_PRIORITY, TIER_UNKNOWN } from "../../hub/events";
import { atLeastZero, Usage } from "../../hub/usage";
import { ByteBuffer, constant, sameBytes } from "../../bytes/text/bytes";

const ID_START = constant('{"id":"');
const MESSAGE_PREFIX = constant("msg_");
const COMPLETION_PREFIX = constant("chatcmpl-");
const MODEL = constant('","type":"message","role":"assistant","model":"');
const CONTENT = constant('","content":[');
const INPUT_TOKENS = constant('{"input_tokens":');
const CACHE_CREATION = constant(',"cache_creation_input_tokens":');
const CACHE_READ = constant(',"cache_read_input_tokens":');
const OUTPUT_TOKENS = constant(',"output_tokens":');
const THINKING_TOKENS = constant(',"output_tokens_details":{"thinking_tokens":');
const TIER = constant(',"service_tier":"');
const CITATION = constant('{"type":"web_search_result_location","cited_text":"');
const CITATION_URL = constant('","url":"');
const CITATION_TITLE = constant('","title":');
const CITATION_END = constant(',"encrypted_index":""}');
const NULL = constant("null");

/** `{"id":…,"type":"message",…,"content":[` */
export function writeHead(head: ResponseHead, out: ByteBuffer): void {
  out.span(ID_START);
  writeId(head.id, out);
  out.span(MODEL);
  out.bytes(head.model.pointer, head.model.length);
  out.span(CONTENT);
}

/** `chatcmpl-X` → `msg_X`; any other id gets the prefix, so that logs of both sides can be matched. */
function writeId(id: ByteBuffer, out: ByteBuffer): void {
  let skip: u32 = 0;
  if (startsWith(id, COMPLETION_PREFIX.pointer, COMPLETION_PREFIX.length))
    skip = COMPLETION_PREFIX.length;
  else if (startsWith(id, MESSAGE_PREFIX.pointer, MESSAGE_PREFIX.length))
    skip = MESSAGE_PREFIX.length;
  out.span(MESSAGE_PREFIX);
  out.bytes(id.pointer + skip, id.length - skip);
}

function startsWith(id: ByteBuffer, prefix: usize, length: u32): bool {
  return id.length > length && sameBytes(id.pointer, length, prefix, length);
}

/** The `usage` object. What nobody has said is 0: the dialect demands numbers. */
export function writeUsage(usage: Usage, tier: i32, out: ByteBuffer): void {
  out.span(INPUT_TOKENS);
  out.integer(atLeastZero(usage.freshInput));
  out.span(CACHE_CREATION);
  out.integer(atLeastZero(usage.cacheWrite));
  out.span(CACHE_READ);
  out.integer(atLeastZero(usage.cacheRead));
  out.span(OUTPUT_TOKENS);
  out.integer(atLeastZero(usage.output));
  if (usage.reasoning > 0) {
    out.span(THINKING_TOKENS);
    out.integer(usage.reasoning);
    out.byte(0x7d);
  }
  if (tier != TIER_UNKNOWN) {
    out.span(TIER);
    out.text(tier == TIER_PRIORITY ? "priority" : tier == TIER_BATCH ? "batch" : "standard");
    out.byte(0x22);
  }
  out.byte(0x7d);
}

/**
 * A citation as a web search result. `encrypted_index` is Anthropic's own and stays empty.
 * @see https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool#citations
 */
export function writeCitation(citation: Citation, out: ByteBuffer): void {
  out.span(CITATION);
  out.bytes(citation.cited, citation.citedLength);
  out.span(CITATION_URL);
  out.bytes(citation.url, citation.urlLength);
  out.span(CITATION_TITLE);
  if (citation.titleLength > 0) {
    out.byte(0x22);
    out.bytes(citation.title, citation.titleLength);
    out.byte(0x22);
  } else {
    out.span(NULL);
  }
  out.span(CITATION_END);
}
