// Writes the members of a message before and behind its content, for streams and complete responses: all that Anthropic's SDK
// declares (1.12), those of which nothing is known as null.
import {
  Citation,
  ResponseHead,
  TIER_BATCH,
  TIER_PRIORITY,
  TIER_UNKNOWN,
} from "../../../../hub/response/events";
import { writeResponseId } from "../../../../hub/response/response-id";
import { atLeastZero, Usage } from "../../../../hub/response/usage";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";

const ID_START = constant('{"id":"');
const MESSAGE_PREFIX = constant("msg_");
const MODEL = constant('","type":"message","role":"assistant","model":"');
const CONTENT = constant('","content":[');
const INPUT_TOKENS = constant('{"input_tokens":');
const CACHE_CREATION = constant(',"cache_creation_input_tokens":');
const CACHE_READ = constant(',"cache_read_input_tokens":');
const OUTPUT_TOKENS = constant(',"output_tokens":');
const THINKING_TOKENS = constant(',"output_tokens_details":{"thinking_tokens":');
const NO_THINKING_TOKENS = constant(',"output_tokens_details":null');
const NO_SERVER_TOOLS = constant(',"server_tool_use":null');
const REST = constant(',"cache_creation":null,"inference_geo":null,"speed":null,"service_tier":');
const PRIORITY = constant('"priority"');
const BATCH = constant('"batch"');
const STANDARD = constant('"standard"');
const CITATION = constant('{"type":"web_search_result_location","cited_text":"');
const CITATION_URL = constant('","url":"');
const CITATION_TITLE = constant('","title":');
const CITATION_END = constant(',"encrypted_index":""}');
const NULL = constant("null");

/** Writes `{"id":…,"type":"message",…,"content":[`. */
export function writeHead(head: ResponseHead, out: ByteBuffer): void {
  out.span(ID_START);
  writeResponseId(head.id, MESSAGE_PREFIX, out);
  out.span(MODEL);
  out.bytes(head.model.pointer, head.model.length);
  out.span(CONTENT);
}

/** Writes the `usage` object of a message. */
export function writeUsage(usage: Usage, tier: i32, out: ByteBuffer): void {
  writeCounts(usage, out);
  out.span(REST);
  out.span(tierWord(tier));
  out.byte(0x7d);
}

function tierWord(tier: i32): Span {
  if (tier == TIER_UNKNOWN) return NULL;
  if (tier == TIER_PRIORITY) return PRIORITY;
  return tier == TIER_BATCH ? BATCH : STANDARD;
}

/** Writes the `usage` object of a message_delta. */
export function writeDeltaUsage(usage: Usage, out: ByteBuffer): void {
  writeCounts(usage, out);
  out.byte(0x7d);
}

/** Unknown counts are 0, because they must be numbers. */
function writeCounts(usage: Usage, out: ByteBuffer): void {
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
  } else {
    out.span(NO_THINKING_TOKENS);
  }
  out.span(NO_SERVER_TOOLS);
}

/**
 * Writes a citation as a web search result. Only Anthropic can fill in `encrypted_index`: it stays empty.
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
