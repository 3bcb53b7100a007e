// Writes the tools of a request, and which of them the model must call.
// @see https://platform.openai.com/docs/guides/function-calling
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  HubRequest,
  Tool,
} from "../../../../hub/request/request";
import * as feature from "../../../../hub/request/features";
import { RequestReport } from "../../../../hub/request/request-report";
import {
  writeMember,
  writeString,
  writeTool,
  writeToolHead,
  writeValue,
} from "../../../../hub/request/request-writing";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../../bytes/text/bytes";
import { separate } from "../../write-values";

const FUNCTION = constant('{"type":"function","name":');
const CUSTOM = constant('{"type":"custom","name":');
/** Without the member a function is strict if its schema allows it; in the other APIs it is not. */
const NOT_STRICT = constant(',"strict":false');
const AUTO = constant('"auto"');
const REQUIRED = constant('"required"');

const name = new Span(0, 0);

export function writeTools(request: HubRequest, out: ByteBuffer, report: RequestReport): void {
  const search = request.features.node(feature.WEB_SEARCH);
  if (request.tools.count == 0 && search == NO_NODE) return;
  out.text(',"tools":[');
  let isLimited = false;
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    separate(out);
    if (tool.isCustom != 0) writeCustom(request.tape, tool, out);
    else writeFunction(request.tape, tool, out);
    if (tool.cacheLength > 0) report.drop(report.paths.toolCache);
    if (tool.isAllowed == 0) isLimited = true;
  }
  if (search != NO_NODE) writeWebSearch(request.tape, search, out, report);
  out.byte(0x5d);
  writeChoice(request, isLimited, out);
  if (request.forbidsParallelTools) out.text(',"parallel_tool_calls":false');
}

function writeFunction(tape: Tape, tool: Tool, out: ByteBuffer): void {
  out.span(FUNCTION);
  writeTool(tape, tool, constant(',"parameters":'), out);
  if (tool.isStrict == 0) out.span(NOT_STRICT);
  out.byte(0x7d);
}

function writeCustom(tape: Tape, tool: Tool, out: ByteBuffer): void {
  out.span(CUSTOM);
  writeToolHead(tool, out);
  const grammar = tool.grammar;
  if (tape.isObject(grammar) && !tape.isEmpty(grammar)) {
    // The grammar's own members: chat completions have them one level below.
    out.text(',"format":{"type":"grammar",');
    out.bytes(tape.pointer(grammar) + 1, tape.size(grammar) - 1);
  }
  out.byte(0x7d);
}

/** Writes `web_search_options` of chat completions, or the web search tool of messages, as a tool. */
function writeWebSearch(tape: Tape, options: u32, out: ByteBuffer, report: RequestReport): void {
  separate(out);
  out.text('{"type":"web_search"');
  const size = tape.member(options, constant("search_context_size"));
  if (tape.isString(size)) {
    out.text(',"search_context_size":');
    writeValue(tape, size, out);
  }
  const location = tape.member(options, constant("user_location"));
  const inner = tape.member(location, constant("approximate"));
  if (tape.isObject(inner) && !tape.isEmpty(inner)) {
    // Chat completions have the place one level below.
    out.text(',"user_location":{"type":"approximate",');
    out.bytes(tape.pointer(inner) + 1, tape.size(inner) - 1);
  } else if (tape.isObject(location) && inner == NO_NODE) {
    writeMember(tape, location, constant(',"user_location":'), out);
  }
  const domains = tape.member(options, constant("allowed_domains"));
  if (tape.isArray(domains)) {
    writeMember(tape, domains, constant(',"filters":{"allowed_domains":'), out);
    out.byte(0x7d);
  }
  out.byte(0x7d);
  dropPresent(tape, options, constant("max_uses"), constant("tools[].max_uses"), report);
  dropPresent(
    tape,
    options,
    constant("blocked_domains"),
    constant("tools[].blocked_domains"),
    report,
  );
}

function dropPresent(tape: Tape, object: u32, key: Span, path: Span, report: RequestReport): void {
  if (tape.isPresent(tape.member(object, key))) report.drop(path);
}

/** `isLimited`: the client allows some of the tools only. */
function writeChoice(request: HubRequest, isLimited: bool, out: ByteBuffer): void {
  const choice = request.toolChoice;
  if (choice == CHOICE_UNSET) return;
  out.text(',"tool_choice":');
  if (choice == CHOICE_NAMED) writeChosen(request, out);
  else if (choice == CHOICE_NONE) out.text('"none"');
  else if (isLimited) writeAllowed(request, choice, out);
  else out.span(choice == CHOICE_ANY ? REQUIRED : AUTO);
}

function writeChosen(request: HubRequest, out: ByteBuffer): void {
  const tape = request.tape;
  const chosen = request.chosenTool;
  let isCustom = false;
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    name.pointer = tool.name;
    name.length = tool.nameLength;
    if (tool.isCustom != 0 && tape.equals(chosen, name)) isCustom = true;
  }
  out.span(isCustom ? CUSTOM : FUNCTION);
  writeValue(tape, chosen, out);
  out.byte(0x7d);
}

function writeAllowed(request: HubRequest, choice: i32, out: ByteBuffer): void {
  out.text('{"type":"allowed_tools","mode":');
  out.span(choice == CHOICE_ANY ? REQUIRED : AUTO);
  out.text(',"tools":[');
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    if (tool.isAllowed == 0) continue;
    separate(out);
    out.span(tool.isCustom != 0 ? CUSTOM : FUNCTION);
    writeString(tool.name, tool.nameLength, out);
    out.byte(0x7d);
  }
  out.text("]}");
}
