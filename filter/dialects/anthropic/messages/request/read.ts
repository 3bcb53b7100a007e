// Reads a messages request into the hub. Its members: members.ts.
// @see https://platform.claude.com/docs/en/api/messages/create
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_NONE,
  HubRequest,
  EFFORT_UNSET,
  FORMAT_SCHEMA,
  SERVICE_FAST,
  MAX_HOSTED,
  NO_HOSTED,
  SERVICE_STANDARD,
  spanOf,
} from "../../../../hub/request/request";
import { effortOf, thinkingEffort } from "../../../../hub/request/request-effort";
import { readList, readMessageList } from "../../../../hub/request/read-list";
import { readFlag } from "../../../../hub/request/request-flag";
import { RequestReport } from "../../../../hub/request/request-report";
import { clientRunTool } from "../../../../hub/request/client-run-tools";
import { featureOf, HOSTED_MCP, hostedByType } from "../../../../hub/request/hosted-tools";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { endHosted, readMessage, readSystem } from "./read-messages";
import * as feature from "../../../../hub/request/features";
import * as member from "../members";

const TYPE_PREFIX = constant("tools[].type=");

const name = new Span(0, 0);

const top = new MemberReader(member.request);
const metadata = new MemberReader(member.metadata);
const output = new MemberReader(member.output);
const format = new MemberReader(member.format);
const thinking = new MemberReader(member.thinking);
const choice = new MemberReader(member.toolChoice);
const toolMembers = new MemberReader(member.tool);

export function readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
  top.read(tape, 0, report);
  if (report.fault !== null) return;
  top.keepFeatures(request.features);
  request.maxTokens = top.node(member.MAX_TOKENS);
  request.temperature = top.node(member.TEMPERATURE);
  request.topP = top.node(member.TOP_P);
  request.topK = top.node(member.TOP_K);
  request.stop = top.node(member.STOP);
  request.isStreaming = readFlag(tape, top.node(member.STREAM), "stream", report);
  report.isStreaming = request.isStreaming;
  report.wantsUsage = true;
  metadata.read(tape, top.node(member.METADATA), report);
  request.user = metadata.node(member.USER_ID);
  if (tape.equals(top.node(member.SERVICE_TIER), constant("standard_only")))
    request.serviceTier = SERVICE_STANDARD;
  if (tape.equals(top.node(member.SPEED), constant("fast"))) request.serviceTier = SERVICE_FAST;
  else if (tape.isPresent(top.node(member.SPEED))) report.drop(report.paths.speed);
  readOutput(tape, request, report);
  readThinking(tape, request, report);
  readList(tape, top.node(member.TOOLS), constant("tools"), request, report, readTool);
  // An older beta has the settings of the tools in `mcp_servers` itself.
  if (top.node(member.MCP_SERVERS) != NO_NODE && request.hostedNode(HOSTED_MCP) == NO_NODE)
    report.drop(constant("mcp_servers"));
  if (report.fault === null) readToolChoice(tape, request, report);
  if (report.fault === null) readSystem(tape, top.node(member.SYSTEM), request, report);
  if (report.fault === null) {
    readMessageList(tape, top.node(member.MESSAGES), request, report, readMessage);
    endHosted(report);
  }
}

function readOutput(tape: Tape, request: HubRequest, report: RequestReport): void {
  output.read(tape, top.node(member.OUTPUT_CONFIG), report);
  const effort = output.node(member.EFFORT);
  if (tape.isPresent(effort)) {
    request.effort = effortOf(tape, effort);
    if (request.effort == EFFORT_UNSET) report.drop(constant("output_config.effort"));
  }
  let node = output.node(member.FORMAT);
  if (!tape.isPresent(node)) node = top.node(member.OUTPUT_FORMAT);
  if (!tape.isPresent(node)) return;
  format.read(tape, node, report);
  request.schema = format.node(member.FORMAT_SCHEMA);
  if (
    tape.equals(format.node(member.FORMAT_TYPE), constant("json_schema")) &&
    tape.isObject(request.schema)
  ) {
    request.outputFormat = FORMAT_SCHEMA;
  } else {
    report.reject("output_config.format", "must be of type json_schema with a 'schema' object.");
  }
}

/** An effort that the client names takes precedence over the one that its thinking budget stands for. */
function readThinking(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.THINKING);
  if (!tape.isObject(node)) return;
  thinking.read(tape, node, report);
  if (report.supports(feature.THINKING_DISPLAY))
    request.features.set(feature.THINKING_DISPLAY, tape.member(node, constant("display")));
  request.ownThinking = node;
  if (request.effort != EFFORT_UNSET) return;
  request.isEffortThinking = true;
  request.effort = thinkingEffort(tape, node);
  request.thinkingBudget = thinking.node(member.BUDGET);
}

function readTool(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  const type = tape.member(item, constant("type"));
  const hosted = tape.isString(type) ? hostedByType(tape, type) : NO_HOSTED;
  if (hosted != NO_HOSTED && report.supports(featureOf(hosted))) {
    if (hosted != HOSTED_MCP) request.addHosted(hosted, item);
    else addToolset(tape, item, request, report);
    return;
  }
  const ofClient = tape.isString(type) ? clientRunTool(tape, type) : null;
  if (ofClient === null && tape.isPresent(type) && !tape.equals(type, constant("custom"))) {
    // Anthropic runs it, or its models alone can use it.
    report.dropUnknown(TYPE_PREFIX, tape, type);
    return;
  }
  toolMembers.read(tape, item, report);
  const declared = toolMembers.node(member.TOOL_NAME);
  if (!tape.isString(declared)) {
    report.reject("name", "must be a string.");
    return;
  }
  const tool = request.addTool(
    declared,
    toolMembers.node(member.TOOL_DESCRIPTION),
    toolMembers.node(member.TOOL_SCHEMA),
    toolMembers.node(member.TOOL_STRICT),
    toolMembers.node(member.TOOL_CACHE),
  );
  if (ofClient === null) return;
  // Not every member of the documented schemas is required, as strict ones demand.
  if (tool.isStrict != 0) report.drop(report.paths.strict);
  tool.isStrict = 0;
  tool.description = ofClient.description.pointer;
  tool.descriptionLength = ofClient.description.length;
  tool.schemaText = ofClient.schema.pointer;
  tool.schemaTextLength = ofClient.schema.length;
}

/** Adds the tools of an MCP server, which `mcp_servers` describes. */
function addToolset(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  const list = request.features.node(feature.MCP_SERVERS);
  const wanted = spanOf(tape, tape.member(item, constant("mcp_server_name")), name);
  const end = tape.isArray(list) ? tape.next(list) : 0;
  let servers: u32 = 0;
  for (let server = tape.first(list); server < end; server = tape.next(server)) {
    if (servers++ == MAX_HOSTED) {
      report.reject("mcp_servers", "must have at most 64 servers.");
      return;
    }
    if (!tape.equals(tape.member(server, constant("name")), wanted)) continue;
    request.addHosted(HOSTED_MCP, item, server);
    return;
  }
  report.dropUnknown(TYPE_PREFIX, tape, tape.member(item, constant("type")));
}

/** Returns the kind of the hosted tool with a name; NO_HOSTED if there is none. */
function hostedNamed(tape: Tape, chosen: u32, request: HubRequest): i32 {
  spanOf(tape, chosen, name);
  for (let i: u32 = 0; i < request.hosted.count; i++) {
    const tool = request.hosted.at(i);
    if (tape.equals(tape.member(tool.node, constant("name")), name)) return tool.kind;
  }
  return NO_HOSTED;
}

function readToolChoice(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.TOOL_CHOICE);
  if (!tape.isPresent(node)) return;
  choice.read(tape, node, report);
  const type = choice.node(member.CHOICE_TYPE);
  if (tape.equals(type, constant("auto"))) request.toolChoice = CHOICE_AUTO;
  else if (tape.equals(type, constant("any"))) request.toolChoice = CHOICE_ANY;
  else if (tape.equals(type, constant("none"))) request.toolChoice = CHOICE_NONE;
  else if (tape.equals(type, constant("tool")) && tape.isString(choice.node(member.CHOICE_NAME))) {
    const chosen = choice.node(member.CHOICE_NAME);
    request.forcedHosted = hostedNamed(tape, chosen, request);
    if (request.forcedHosted == NO_HOSTED) {
      request.toolChoice = CHOICE_NAMED;
      request.chosenTool = chosen;
    }
  } else {
    report.reject("tool_choice", "must be of type auto, any, none, or tool with a 'name'.");
  }
  request.forbidsParallelTools = tape.isTrue(choice.node(member.CHOICE_SINGLE));
}
