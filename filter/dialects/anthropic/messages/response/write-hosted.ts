// Writes what the provider ran in the blocks of Anthropic's own tools: the call, and its result.
// @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#response
// @see https://platform.claude.com/docs/en/agents-and-tools/mcp-connector
import { HOSTED_MCP, HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import { HostedCall, partOf } from "../../../../hub/response/hosted-call";
import { scan, SCAN_OK } from "../../../../bytes/json/scan";
import { scratchTape } from "../../../../bytes/json/tape";
import { unescape } from "../../../../bytes/json/text";
import { ByteBuffer, constant, scratchBuffer, Span } from "../../../../bytes/text/bytes";

/**
 * By HOSTED_: the name of the tool, what is before its input, which is one string, and before and after the output, also that
 * of a failure.
 */
const WORDS: StaticArray<Span> = [
  constant(
    'web_search\n{"query":"\n[\n]\n{"type":"web_search_tool_result_error","error_code":"unavailable\n"}\n',
  ),
  constant(
    'code_execution\n{"code":"\n{"type":"code_execution_result","stdout":"\n","stderr":"","return_code":0,"content":[]}\n{"type":"code_execution_result","stdout":"","stderr":"\n","return_code":1,"content":[]}\n',
  ),
  constant('mcp\n\n[{"type":"text","text":"\n"}]\n[{"type":"text","text":"\n"}]\n'),
];
const NAME: i32 = 0;
const INPUT: i32 = 1;
const OPEN: i32 = 2;
const CLOSE: i32 = 3;
/** How much later those of a failure are. */
const FAILED: i32 = 2;

const plain = scratchBuffer();
const tape = scratchTape();

/** Appends the input of the call, a JSON object. */
export function writeInput(call: HostedCall, out: ByteBuffer): void {
  const input = call.input;
  if (call.kind != HOSTED_MCP) {
    out.span(partOf(WORDS[call.kind], INPUT));
    out.bytes(input.pointer, input.length);
    out.text('"}');
    return;
  }
  plain.clear();
  unescape(input.pointer, input.length, plain);
  if (scan(tape, plain.pointer, plain.length) == SCAN_OK) out.bytes(plain.pointer, plain.length);
  else out.text("{}");
}

/** Appends the block of the call up to its input. */
export function openCall(call: HostedCall, id: ByteBuffer, out: ByteBuffer): void {
  const isMcp = call.kind == HOSTED_MCP;
  out.span(
    isMcp
      ? constant('{"type":"mcp_tool_use","id":"')
      : constant('{"type":"server_tool_use","caller":{"type":"direct"},"id":"'),
  );
  out.bytes(id.pointer, id.length);
  out.text('","name":"');
  if (isMcp) {
    out.bytes(call.name.pointer, call.name.length);
    out.text('","server_name":"');
    out.bytes(call.server.pointer, call.server.length);
  } else {
    out.span(partOf(WORDS[call.kind], NAME));
  }
  out.text('","input":');
}

/** Appends the block of the result. */
export function writeResult(call: HostedCall, id: ByteBuffer, out: ByteBuffer): void {
  const words = WORDS[call.kind];
  const shift = call.isError ? FAILED : 0;
  out.text('{"type":"');
  out.span(partOf(words, NAME));
  out.text('_tool_result","tool_use_id":"');
  out.bytes(id.pointer, id.length);
  if (call.kind == HOSTED_MCP) {
    out.span(call.isError ? constant('","is_error":true') : constant('","is_error":false'));
    out.text(',"content":');
  } else {
    out.text('","caller":{"type":"direct"},"content":');
  }
  out.span(partOf(words, OPEN + shift));
  if (call.kind == HOSTED_SEARCH && !call.isError) {
    call.writePages(
      constant('{"type":"web_search_result","url":"'),
      constant('","title":"'),
      constant('","encrypted_content":"gw1.n","page_age":null}'),
      out,
    );
  } else {
    out.bytes(call.output.pointer, call.output.length);
  }
  out.span(partOf(words, CLOSE + shift));
  out.byte(0x7d);
}
