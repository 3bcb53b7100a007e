// Writes the members of a message before and after its content, for streams and complete responses: all that Anthropic's SDK
// declares (1.12), those of which nothing is known as null.
import { CITED_PAGE, CITED_SEARCH_RESULT, Citation } from "../../../../hub/response/events";
import {
  ResponseHead,
  TIER_BATCH,
  TIER_PRIORITY,
  TIER_UNKNOWN,
} from "../../../../hub/response/translation";
import { NOT_ENCRYPTED } from "../../../../hub/reasoning-carrier";
import { writeResponseId } from "../../../../hub/response/response-id";
import { atLeastZero, Usage } from "../../../../hub/response/usage";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";

const NULL = constant("null");

/** Writes `{"id":…,"type":"message",…,"content":[`. */
export function writeHead(head: ResponseHead, out: ByteBuffer): void {
  out.text('{"id":"');
  writeResponseId(head.id, constant("msg_"), out);
  out.text('","type":"message","role":"assistant","model":"');
  out.bytes(head.model.pointer, head.model.length);
  out.text('","content":[');
}

/** Writes the `usage` object of a message. */
export function writeUsage(usage: Usage, tier: i32, out: ByteBuffer): void {
  writeCounts(usage, out);
  out.text(',"cache_creation":null,"inference_geo":null,"speed":');
  out.span(tier == TIER_PRIORITY ? constant('"fast"') : NULL);
  out.text(',"service_tier":');
  out.span(tierWord(tier));
  out.byte(0x7d);
}

function tierWord(tier: i32): Span {
  if (tier == TIER_UNKNOWN) return NULL;
  if (tier == TIER_PRIORITY) return constant('"priority"');
  return tier == TIER_BATCH ? constant('"batch"') : constant('"standard"');
}

/** Writes the `usage` object of a message_delta. */
export function writeDeltaUsage(usage: Usage, out: ByteBuffer): void {
  writeCounts(usage, out);
  out.byte(0x7d);
}

/** Unknown counts are 0, because they must be numbers. */
function writeCounts(usage: Usage, out: ByteBuffer): void {
  out.text('{"input_tokens":');
  out.integer(atLeastZero(usage.freshInput));
  out.text(',"cache_creation_input_tokens":');
  out.integer(atLeastZero(usage.cacheWrite));
  out.text(',"cache_read_input_tokens":');
  out.integer(atLeastZero(usage.cacheRead));
  out.text(',"output_tokens":');
  out.integer(atLeastZero(usage.output));
  if (usage.reasoning > 0) {
    out.text(',"output_tokens_details":{"thinking_tokens":');
    out.integer(usage.reasoning);
    out.byte(0x7d);
  } else {
    out.text(',"output_tokens_details":null');
  }
  if (usage.searches > 0) {
    out.text(',"server_tool_use":{"web_search_requests":');
    out.integer(usage.searches);
    out.text(',"web_fetch_requests":0}');
  } else {
    out.text(',"server_tool_use":null');
  }
}

/** The types of citations by CITED_, and what their start and end count. */
const LOCATIONS: StaticArray<Span> = [
  constant("web_search_result"),
  NULL,
  constant("page"),
  constant("page_number"),
  constant("char"),
  constant("char_index"),
  constant("content_block"),
  constant("block_index"),
  constant("search_result"),
  constant("block_index"),
];

/**
 * Writes a citation. Of a web page's only Anthropic can fill in `encrypted_index`: here it is a mark.
 * @see https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool#citations
 * @see https://platform.claude.com/docs/en/build-with-claude/citations
 */
export function writeCitation(citation: Citation, out: ByteBuffer): void {
  const place = citation.place < LOCATIONS.length / 2 ? citation.place : CITED_PAGE;
  const isDocument = place != CITED_PAGE && place != CITED_SEARCH_RESULT;
  out.text('{"type":"');
  out.span(unchecked(LOCATIONS[place * 2]));
  out.text('_location","cited_text":"');
  out.bytes(citation.cited, citation.citedLength);
  if (isDocument) {
    out.text('","file_id":null,"document_title":');
  } else {
    out.span(place == CITED_PAGE ? constant('","url":"') : constant('","source":"'));
    out.bytes(citation.url, citation.urlLength);
    out.text('","title":');
  }
  if (citation.titleLength > 0) {
    out.byte(0x22);
    out.bytes(citation.title, citation.titleLength);
    out.byte(0x22);
  } else {
    out.span(NULL);
  }
  if (place == CITED_PAGE) {
    out.text(',"encrypted_index":"');
    out.span(NOT_ENCRYPTED);
    out.text('"}');
    return;
  }
  out.span(isDocument ? constant(',"document_index":') : constant(',"search_result_index":'));
  out.integer(citation.index);
  writeEdge(',"start_', place, citation.from, out);
  writeEdge(',"end_', place, citation.to, out);
  out.byte(0x7d);
}

function writeEdge(name: string, place: i32, value: i64, out: ByteBuffer): void {
  out.text(name);
  out.span(unchecked(LOCATIONS[place * 2 + 1]));
  out.text('":');
  out.integer(value);
}
