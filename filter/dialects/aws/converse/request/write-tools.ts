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

/** Claude's own member, for what `toolChoice` cannot express. */
const OWN_NONE = constant(',"tool_choice":{"type":"none"}');

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
      out.text('","inputSchema":{"json":{"type":"object"}}}}');
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
    out.text(',"inputSchema":{"json":');
    writeToolSchema(tape, tool, out);
    out.byte(0x7d);
    if (tool.isStrict != 0) {
      if (limits.supportsOutputSchema) out.text(',"strict":true');
      else report.dropForModel(report.paths.strict);
    }
    out.text("}}");
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
    if (choice == CHOICE_ANY) out.text(',"toolChoice":{"any":{}}');
    else if (choice == CHOICE_AUTO) out.text(',"toolChoice":{"auto":{}}');
    else if (choice == CHOICE_NAMED) {
      out.text(',"toolChoice":{"tool":{"name":"');
      writeChosenName(request, out);
      out.text('"}}');
    }
  }

  /** Writes the choice in Claude's words, instead of `toolChoice`. */
  private writeOwnChoice(request: HubRequest): void {
    const extras = this.extras;
    const choice = request.toolChoice;
    if (choice == CHOICE_NAMED) {
      extras.text(',"tool_choice":{"type":"tool","name":"');
      writeChosenName(request, extras);
      extras.span(CLOSE_STRING);
    } else {
      extras.span(
        choice == CHOICE_ANY
          ? constant(',"tool_choice":{"type":"any"')
          : constant(',"tool_choice":{"type":"auto"'),
      );
    }
    extras.text(',"disable_parallel_tool_use":true}');
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
