// Writes `toolConfig`: the tools, and which of them the model may or must call.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
import { calledTool, findCalledTools } from "../../../../hub/request/called-tools";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_NONE,
  HubRequest,
  Tool,
} from "../../../../hub/request/request";
import {
  FAMILY_CLAUDE,
  RequestLimits,
  RequestReport,
} from "../../../../hub/request/request-report";
import { writeToolDescription, writeToolSchema } from "../../../../hub/request/request-writing";
import { isToolName } from "../../../../hub/request/tool-name";
import { NO_NODE } from "../../../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer } from "../../../../bytes/text/bytes";
import { CachePoints } from "./cache-points";
import { writeToolName } from "./write-blocks";

const TOOL_CONFIG = constant('"toolConfig":{"tools":[');
const TOOL = constant('{"toolSpec":{"name":"');
const CLOSE_STRING = constant('"');
const SCHEMA = constant(',"inputSchema":{"json":');
const ANY_SCHEMA = constant('","inputSchema":{"json":{"type":"object"}}}}');
const STRICT = constant(',"strict":true');
const TWO_ENDS = constant("}}");
const CHOICE_OF_ANY = constant(',"toolChoice":{"any":{}}');
const CHOICE_OF_AUTO = constant(',"toolChoice":{"auto":{}}');
const CHOICE_OF_TOOL = constant(',"toolChoice":{"tool":{"name":"');
const CHOICE_OF_TOOL_END = constant('"}}');

/** Claude's own member, for what `toolChoice` cannot express. */
const OWN_NONE = constant(',"tool_choice":{"type":"none"}');
const OWN_AUTO = constant(',"tool_choice":{"type":"auto"');
const OWN_ANY = constant(',"tool_choice":{"type":"any"');
const OWN_TOOL = constant(',"tool_choice":{"type":"tool","name":"');
const SINGLE = constant(',"disable_parallel_tool_use":true}');

const TOOL_CHOICE_PATH = constant("tool_choice");

const wire = scratchBuffer();

export class ToolsWriter {
  constructor(
    private points: CachePoints,
    /** Members for `additionalModelRequestFields`. */
    private extras: ByteBuffer,
  ) {}

  write(request: HubRequest, limits: RequestLimits, out: ByteBuffer, report: RequestReport): void {
    const isClaude = limits.family == FAMILY_CLAUDE;
    const called = findCalledTools(request);
    const isNone = request.toolChoice == CHOICE_NONE;
    // There is no choice of none: without tools in the conversation, none are sent.
    const isLeftOut = isNone && !isClaude && called == 0;
    let count: u32 = 0;
    for (let i: u32 = 0; i < request.tools.count && !isLeftOut; i++) {
      if (request.tool(i).isAllowed == 0) continue;
      if (count++ == 0) out.span(TOOL_CONFIG);
      else out.byte(0x2c);
      this.writeTool(request, i, limits, out, report);
    }
    if (count > 0) {
      out.byte(0x5d);
      this.writeChoice(request, limits, out, report);
      out.byte(0x7d);
      out.byte(0x2c);
      return;
    }
    const isForced = request.toolChoice == CHOICE_ANY || request.toolChoice == CHOICE_NAMED;
    if (isForced) report.drop(TOOL_CHOICE_PATH);
    if (called == 0) return;
    // The tools of a conversation with tool calls are required; the client sends none, so the model may call none.
    out.span(TOOL_CONFIG);
    for (let i = 0; i < called; i++) {
      const call = calledTool(request, i);
      if (i > 0) out.byte(0x2c);
      out.span(TOOL);
      writeToolName(call.name, call.nameLength, out);
      out.span(ANY_SCHEMA);
    }
    out.byte(0x5d);
    out.byte(0x7d);
    out.byte(0x2c);
    if (isClaude) this.extras.span(OWN_NONE);
  }

  private writeTool(
    request: HubRequest,
    index: u32,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    const tool = request.tool(index);
    const tape = request.tape;
    out.span(TOOL);
    writeToolName(tool.name, tool.nameLength, out);
    out.span(CLOSE_STRING);
    if (!isToolName(tool.name, tool.nameLength)) noteName(request, tool);
    writeToolDescription(tape, tool, out);
    out.span(SCHEMA);
    writeToolSchema(tape, tool, out);
    out.byte(0x7d);
    if (tool.isStrict != 0) {
      if (limits.takesOutputSchema) out.span(STRICT);
      else report.dropForModel(report.paths.strict);
    }
    out.span(TWO_ENDS);
    this.points.writeForTool(tool.cache, tool.cacheLength, out, report);
  }

  private writeChoice(
    request: HubRequest,
    limits: RequestLimits,
    out: ByteBuffer,
    report: RequestReport,
  ): void {
    const choice = request.toolChoice;
    const isClaude = limits.family == FAMILY_CLAUDE;
    if (choice == CHOICE_NONE) {
      if (isClaude) this.extras.span(OWN_NONE);
      else report.drop(TOOL_CHOICE_PATH);
      return;
    }
    if (request.forbidsParallelTools && isClaude) {
      this.writeOwnChoice(request);
      return;
    }
    if (request.forbidsParallelTools) report.drop(report.paths.parallel);
    if (choice == CHOICE_ANY) out.span(CHOICE_OF_ANY);
    else if (choice == CHOICE_AUTO) out.span(CHOICE_OF_AUTO);
    else if (choice == CHOICE_NAMED) {
      out.span(CHOICE_OF_TOOL);
      writeChosenName(request, out);
      out.span(CHOICE_OF_TOOL_END);
    }
  }

  /** Writes the choice in Claude's words, instead of `toolChoice`. */
  private writeOwnChoice(request: HubRequest): void {
    const extras = this.extras;
    const choice = request.toolChoice;
    if (choice == CHOICE_NAMED) {
      extras.span(OWN_TOOL);
      writeChosenName(request, extras);
      extras.span(CLOSE_STRING);
    } else {
      extras.span(choice == CHOICE_ANY ? OWN_ANY : OWN_AUTO);
    }
    extras.span(SINGLE);
  }
}

function writeChosenName(request: HubRequest, out: ByteBuffer): void {
  const node = request.chosenTool;
  const tape = request.tape;
  if (node != NO_NODE) writeToolName(tape.pointer(node), tape.size(node), out);
  else writeToolName(request.chosenName, request.chosenNameLength, out);
}

/** Notes what the client calls a tool whose name has been replaced. */
function noteName(request: HubRequest, tool: Tool): void {
  wire.clear();
  writeToolName(tool.name, tool.nameLength, wire);
  const tools = request.notes.tools;
  const own = tools.find(tool.name, tool.nameLength);
  if (own === null) {
    tools.add(wire.pointer, wire.length, tool.name, tool.nameLength, 0, 0, false);
    return;
  }
  // The client's own name and kind: the reader has noted them. Copied, because they move when the list grows.
  const space = own.spaceLength;
  kept.clear();
  kept.bytes(own.name, own.nameLength);
  kept.bytes(own.space, space);
  const length = kept.length - space;
  const name = kept.pointer;
  tools.add(wire.pointer, wire.length, name, length, name + length, space, own.isCustom);
}
const kept = scratchBuffer();
