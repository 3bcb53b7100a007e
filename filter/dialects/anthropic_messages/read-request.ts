// Reads a messages request into the hub. Its members: members.ts.
// @see https://platform.claude.com/docs/en/api/messages/create
import { MemberReader } from "../../hub/member-reader";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_NONE,
  ChatRequest,
  EFFORT_MEDIUM,
  EFFORT_NONE,
  EFFORT_UNSET,
  FORMAT_SCHEMA,
  SERVICE_STANDARD,
} from "../../hub/request";
import { budgetEffort, effortOf } from "../../hub/request-effort";
import { RequestReport } from "../../hub/request-report";
import { readCount } from "../../bytes/json/number";
import { Tape } from "../../bytes/json/tape";
import { constant } from "../../bytes/text/bytes";
import { readMessages, readSystem } from "./read-messages";
import * as member from "./members";

const AUTO = constant("auto");
const ANY = constant("any");
const NONE = constant("none");
const TOOL = constant("tool");
const CUSTOM = constant("custom");
const ENABLED = constant("enabled");
const ADAPTIVE = constant("adaptive");
const DISABLED = constant("disabled");
const BETWEEN_TOOLS = constant("between_tools");
const JSON_SCHEMA = constant("json_schema");
const STANDARD_ONLY = constant("standard_only");

const EFFORT_PATH = constant("output_config.effort");

const top = new MemberReader(member.request);
const metadata = new MemberReader(member.metadata);
const output = new MemberReader(member.output);
const format = new MemberReader(member.format);
const thinking = new MemberReader(member.thinking);
const choice = new MemberReader(member.toolChoice);
const toolMembers = new MemberReader(member.tool);

/** Fills `request`; a fault in `report` means that it is of no use. */
export function readAnthropicRequest(
  tape: Tape,
  request: ChatRequest,
  report: RequestReport,
): void {
  top.read(tape, 0, report);
  if (report.fault !== null) return;
  top.keepFeatures(request.features);
  request.maxTokens = top.node(member.MAX_TOKENS);
  request.temperature = top.node(member.TEMPERATURE);
  request.topP = top.node(member.TOP_P);
  request.topK = top.node(member.TOP_K);
  request.stop = top.node(member.STOP);
  request.isStreaming = tape.isTrue(top.node(member.STREAM));
  report.isStreaming = request.isStreaming;
  report.wantsUsage = true;
  const user = top.node(member.METADATA);
  metadata.read(tape, user, report);
  request.user = metadata.node(member.USER_ID);
  if (tape.equals(top.node(member.SERVICE_TIER), STANDARD_ONLY))
    request.serviceTier = SERVICE_STANDARD;
  readOutput(tape, request, report);
  readThinking(tape, request, report);
  readTools(tape, request, report);
  if (report.fault === null) readToolChoice(tape, request, report);
  if (report.fault === null) readSystem(tape, top.node(member.SYSTEM), request, report);
  if (report.fault === null) readMessages(tape, top.node(member.MESSAGES), request, report);
}

function readOutput(tape: Tape, request: ChatRequest, report: RequestReport): void {
  output.read(tape, top.node(member.OUTPUT_CONFIG), report);
  const effort = output.node(member.EFFORT);
  if (tape.isPresent(effort)) {
    request.effort = effortOf(tape, effort);
    if (request.effort == EFFORT_UNSET) report.dropSpan(EFFORT_PATH);
  }
  let node = output.node(member.FORMAT);
  if (!tape.isPresent(node)) node = top.node(member.OUTPUT_FORMAT);
  if (!tape.isPresent(node)) return;
  format.read(tape, node, report);
  request.schema = format.node(member.FORMAT_SCHEMA);
  if (tape.equals(format.node(member.FORMAT_TYPE), JSON_SCHEMA) && tape.isObject(request.schema)) {
    request.outputFormat = FORMAT_SCHEMA;
  } else {
    report.refuse("output_config.format", "must be of type json_schema with a 'schema' object.");
  }
}

/** An effort that the client named wins over what its thinking means. */
function readThinking(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const node = top.node(member.THINKING);
  if (!tape.isObject(node)) return;
  thinking.read(tape, node, report);
  const type = thinking.node(member.THINKING_TYPE);
  if (request.effort != EFFORT_UNSET) return;
  request.isEffortThinking = true;
  if (tape.equals(type, ENABLED))
    request.effort = budgetEffort(readCount(tape, thinking.node(member.BUDGET)));
  else if (tape.equals(type, ADAPTIVE) || tape.equals(type, BETWEEN_TOOLS))
    request.effort = EFFORT_MEDIUM;
  else if (tape.equals(type, DISABLED)) request.effort = EFFORT_NONE;
}

function readTools(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const list = top.node(member.TOOLS);
  if (!tape.isPresent(list)) return;
  if (!tape.isArray(list)) {
    report.refuse("tools", "must be a list of tools.");
    return;
  }
  let index = 0;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    report.enterList("tools", index++);
    readTool(tape, item, request, report);
    if (report.fault !== null) return;
  }
  report.leaveList();
}

function readTool(tape: Tape, item: u32, request: ChatRequest, report: RequestReport): void {
  if (!tape.isObject(item)) {
    report.refuse("", "must be an object with 'name' and 'input_schema'.");
    return;
  }
  toolMembers.read(tape, item, report);
  const type = toolMembers.node(member.TOOL_TYPE);
  if (tape.isPresent(type) && !tape.equals(type, CUSTOM)) {
    const word = report.word(tape, type);
    report.refuse(
      "type",
      "is '" +
        word +
        "', a tool of Anthropic's own. Other models know only tools with an 'input_schema': leave it out, or use a model of Anthropic.",
    );
    return;
  }
  const name = toolMembers.node(member.TOOL_NAME);
  if (!tape.isString(name)) {
    report.refuse("name", "must be a string.");
    return;
  }
  const description = toolMembers.node(member.TOOL_DESCRIPTION);
  const schema = toolMembers.node(member.TOOL_SCHEMA);
  const cache = toolMembers.node(member.TOOL_CACHE);
  const tool = request.addTool();
  tool.name = tape.pointer(name);
  tool.nameLength = tape.size(name);
  if (tape.isString(description)) {
    tool.description = tape.pointer(description);
    tool.descriptionLength = tape.size(description);
  }
  if (tape.isObject(schema)) tool.schema = schema;
  tool.isStrict = tape.isTrue(toolMembers.node(member.TOOL_STRICT)) ? 1 : 0;
  if (tape.isObject(cache)) {
    tool.cache = tape.pointer(cache);
    tool.cacheLength = tape.size(cache);
  }
}

function readToolChoice(tape: Tape, request: ChatRequest, report: RequestReport): void {
  const node = top.node(member.TOOL_CHOICE);
  if (!tape.isPresent(node)) return;
  choice.read(tape, node, report);
  const type = choice.node(member.CHOICE_TYPE);
  if (tape.equals(type, AUTO)) request.toolChoice = CHOICE_AUTO;
  else if (tape.equals(type, ANY)) request.toolChoice = CHOICE_ANY;
  else if (tape.equals(type, NONE)) request.toolChoice = CHOICE_NONE;
  else if (tape.equals(type, TOOL) && tape.isString(choice.node(member.CHOICE_NAME))) {
    request.toolChoice = CHOICE_NAMED;
    request.chosenTool = choice.node(member.CHOICE_NAME);
  } else {
    report.refuse("tool_choice", "must be of type auto, any, none, or tool with a 'name'.");
  }
  request.forbidsParallelTools = tape.isTrue(choice.node(member.CHOICE_SINGLE));
}
