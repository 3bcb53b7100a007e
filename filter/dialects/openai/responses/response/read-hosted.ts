// Reads the items of what OpenAI's servers ran.
// @see https://platform.openai.com/docs/guides/tools
import { HOSTED_CODE, HOSTED_MCP, HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import { appendString, HostedCall } from "../../../../hub/response/hosted-call";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";

/** Returns what an item reports, which the caller releases; null for an item without a form in other APIs. */
export function hostedCallOf(tape: Tape, item: u32, type: u32): HostedCall | null {
  if (tape.equals(type, constant("web_search_call"))) return searchOf(tape, item);
  const isCode = tape.equals(type, constant("code_interpreter_call"));
  if (!isCode && !tape.equals(type, constant("mcp_call"))) return null;
  const call = new HostedCall(isCode ? HOSTED_CODE : HOSTED_MCP);
  const input = tape.member(item, isCode ? constant("code") : constant("arguments"));
  appendString(tape, input, call.input);
  appendString(tape, tape.member(item, constant("name")), call.name);
  appendString(tape, tape.member(item, constant("server_label")), call.server);
  const error = tape.member(item, constant("error"));
  call.readOutput(tape, tape.member(item, isCode ? constant("outputs") : constant("output")));
  call.readOutput(tape, error);
  call.isError = tape.isPresent(error) || isFailed(tape, item);
  return call;
}

function isFailed(tape: Tape, item: u32): bool {
  return tape.equals(tape.member(item, constant("status")), constant("failed"));
}

function searchOf(tape: Tape, item: u32): HostedCall | null {
  const action = tape.member(item, constant("action"));
  const query = tape.member(action, constant("query"));
  // Pages that are opened belong to the search before.
  if (!tape.isString(query)) return null;
  const call = new HostedCall(HOSTED_SEARCH);
  call.isError = isFailed(tape, item);
  appendString(tape, query, call.input);
  const sources = tape.member(action, constant("sources"));
  const end = tape.isArray(sources) ? tape.next(sources) : 0;
  for (let source = tape.first(sources); source < end; source = tape.next(source))
    call.addPage(tape, tape.member(source, constant("url")), NO_NODE);
  return call;
}
