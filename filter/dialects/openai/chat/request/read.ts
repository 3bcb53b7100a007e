// Reads a chat completions request into the hub. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/chat/create
import { Feature } from "../../../../hub/request/feature";
import { KIND_CUSTOM } from "../../../../hub/request/client-tools";
import { HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  CHOICE_NAMED,
  CHOICE_UNSET,
  HubRequest,
  EFFORT_UNSET,
  FORMAT_JSON,
  FORMAT_SCHEMA,
} from "../../../../hub/request/request";
import { effortOf, thinkingEffort } from "../../../../hub/request/request-effort";
import { readList, readMessageList } from "../../../../hub/request/read-list";
import { readFlag } from "../../../../hub/request/request-flag";
import { RequestReport } from "../../../../hub/request/request-report";
import { KIND_FALSE, NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { choiceOf, nameOf, readTier, readUser } from "../../read-values";
import { readMessage } from "./read-messages";
import * as feature from "../../../../hub/request/features";
import * as member from "../members";

const TYPE = constant("type");
const NAME = constant("name");
const FUNCTION = constant("function");
const CUSTOM = constant("custom");
const TEXT = constant("text");
const IMAGE = constant("image");
const ALLOWED_TOOLS = constant("allowed_tools");
const TOOLS = constant("tools");
const JSON_SCHEMA = constant("json_schema");

/** A grammar is only described. */
const CUSTOM_FORMAT_PATH = constant("tools[].custom.format");

const top = new MemberReader(member.request);
const options = new MemberReader(member.streamOptions);
const thinkingMembers = new MemberReader(member.thinking);
const toolMembers = new MemberReader(member.tool);
const functionMembers = new MemberReader(member.toolFunction);
const customMembers = new MemberReader(member.customTool);
const schemaMembers = new MemberReader(member.schema);

export function readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
  top.read(tape, 0, report);
  if (report.fault !== null) return;
  top.keepFeatures(request.features);
  const search = top.node(member.WEB_SEARCH);
  if (search != NO_NODE) request.addHosted(HOSTED_SEARCH, search);
  readExtraBody(tape, request, report);
  request.maxTokens = top.node(member.MAX_COMPLETION_TOKENS);
  if (!tape.isPresent(request.maxTokens)) request.maxTokens = top.node(member.MAX_TOKENS);
  request.temperature = top.node(member.TEMPERATURE);
  request.topP = top.node(member.TOP_P);
  request.topK = top.node(member.TOP_K);
  request.stop = top.node(member.STOP);
  request.forbidsParallelTools = tape.kind(top.node(member.PARALLEL_TOOL_CALLS)) == KIND_FALSE;
  readStream(tape, request, report);
  readUser(
    tape,
    top.node(member.USER),
    top.node(member.SAFETY_IDENTIFIER),
    top.node(member.METADATA),
    request,
    report,
  );
  readTier(tape, top.node(member.SERVICE_TIER), request, report);
  readModalities(tape, request, report);
  readReasoning(tape, request, report);
  readFormat(tape, request, report);
  readList(tape, top.node(member.TOOLS), TOOLS, request, report, readTool);
  if (report.fault === null) readFunctions(tape, request, report);
  if (report.fault === null) readToolChoice(tape, request, report);
  if (report.fault === null)
    readMessageList(tape, top.node(member.MESSAGES), request, report, readMessage);
}

function readStream(tape: Tape, request: HubRequest, report: RequestReport): void {
  request.isStreaming = readFlag(tape, top.node(member.STREAM), "stream", report);
  report.isStreaming = request.isStreaming;
  const node = top.node(member.STREAM_OPTIONS);
  if (!tape.isObject(node)) return;
  options.read(tape, node, report);
  report.wantsUsage = tape.isTrue(options.node(member.INCLUDE_USAGE));
}

/**
 * Reads the members of one vendor.
 * @see https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
function readExtraBody(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.EXTRA_BODY);
  if (!tape.isObject(node)) return;
  for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
    if (tape.isObject(key + 1) && tape.equals(key, constant("google")))
      readGoogle(tape, key + 1, request, report);
    else if (tape.isPresent(key + 1)) report.dropUnknown(constant("extra_body."), tape, key);
  }
}

function readGoogle(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  for (let key = tape.first(node), end = tape.next(node); key < end; key = tape.next(key + 1)) {
    const found = member.request.find(tape, key);
    const asked: Feature | null = found === null ? null : found.featureOf();
    if (asked !== null && isOfGoogle(asked) && report.supports(asked))
      request.features.set(asked, key + 1);
    else if (tape.isPresent(key + 1)) report.dropUnknown(constant("extra_body.google."), tape, key);
  }
}

function isOfGoogle(asked: Feature): bool {
  return (
    asked === feature.SAFETY_SETTINGS ||
    asked === feature.CACHED_CONTENT ||
    asked === feature.LABELS
  );
}

function readModalities(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.MODALITIES);
  if (!tape.isArray(node)) return;
  const supportsImages = report.supports(feature.IMAGE_OUTPUT);
  for (let item = tape.first(node), end = tape.next(node); item < end; item = tape.next(item)) {
    if (tape.equals(item, TEXT) || (supportsImages && tape.equals(item, IMAGE))) continue;
    report.reject(
      "modalities",
      supportsImages
        ? 'must be ["text"] or ["text", "image"]: the gateway translates no other output.'
        : 'must be ["text"]: this model supports only text output.',
    );
  }
  if (supportsImages) request.features.set(feature.IMAGE_OUTPUT, node);
}

function readReasoning(tape: Tape, request: HubRequest, report: RequestReport): void {
  readThinking(tape, request, report);
  const effort = top.node(member.REASONING_EFFORT);
  if (!tape.isPresent(effort)) return;
  request.effort = effortOf(tape, effort);
  if (request.effort == EFFORT_UNSET) report.drop(constant("reasoning_effort"));
}

/** A type that no provider has is dropped. */
function readThinking(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.THINKING);
  if (!tape.isPresent(node)) return;
  if (thinkingEffort(tape, node) == EFFORT_UNSET) {
    report.drop(constant("thinking"));
    return;
  }
  thinkingMembers.read(tape, node, report);
  request.thinking = node;
}

function readFormat(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.RESPONSE_FORMAT);
  if (!tape.isPresent(node)) return;
  const type = tape.member(node, TYPE);
  if (tape.equals(type, TEXT)) return;
  if (tape.equals(type, constant("json_object"))) {
    request.outputFormat = FORMAT_JSON;
    return;
  }
  const schema = tape.member(node, JSON_SCHEMA);
  if (!tape.equals(type, JSON_SCHEMA) || !tape.isObject(schema)) {
    report.reject(
      "response_format",
      "must be of type text, json_object, or json_schema with a 'json_schema' object.",
    );
    return;
  }
  schemaMembers.read(tape, schema, report);
  request.schema = schemaMembers.node(member.SCHEMA);
  request.schemaName = nameOf(tape, schemaMembers.node(member.SCHEMA_NAME));
  // Without a schema, any JSON will do.
  request.outputFormat = tape.isObject(request.schema) ? FORMAT_SCHEMA : FORMAT_JSON;
}

function readTool(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  toolMembers.read(tape, item, report);
  const type = toolMembers.node(member.TOOL_TYPE);
  if (tape.equals(type, CUSTOM)) {
    readCustomTool(tape, toolMembers.node(member.TOOL_CUSTOM), request, report);
    return;
  }
  if (tape.isPresent(type) && !tape.equals(type, FUNCTION)) {
    report.reject("type", "must be function or custom.");
    return;
  }
  const node = toolMembers.node(member.TOOL_FUNCTION);
  if (!tape.isObject(node)) {
    report.reject("function", "must be an object with the tool's 'name'.");
    return;
  }
  const cache = toolMembers.node(member.TOOL_CACHE);
  addFunction(tape, node, cache, "function.name", request, report);
}

/** Reads `functions`, the predecessor of tools. Beside tools, calls come back as tool calls, which can name either. */
function readFunctions(tape: Tape, request: HubRequest, report: RequestReport): void {
  const list = top.node(member.FUNCTIONS);
  if (!tape.isPresent(list)) return;
  request.notes.hasFunctions = tape.hasItems(list) && !tape.hasItems(top.node(member.TOOLS));
  readList(tape, list, constant("functions"), request, report, readFunction);
}

function readFunction(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  addFunction(tape, item, NO_NODE, "name", request, report);
}

/** @param path of the name, for the fault */
function addFunction(
  tape: Tape,
  node: u32,
  cache: u32,
  path: string,
  request: HubRequest,
  report: RequestReport,
): void {
  functionMembers.read(tape, node, report);
  const name = functionMembers.node(member.FUNCTION_NAME);
  if (!tape.isString(name)) {
    report.reject(path, "must be a string.");
    return;
  }
  request.addTool(
    name,
    functionMembers.node(member.FUNCTION_DESCRIPTION),
    functionMembers.node(member.FUNCTION_PARAMETERS),
    functionMembers.node(member.FUNCTION_STRICT),
    tape.isObject(cache) ? cache : functionMembers.node(member.FUNCTION_CACHE),
  );
}

/** Reads a tool whose input is a text. @see https://platform.openai.com/docs/guides/function-calling#custom-tools */
function readCustomTool(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  customMembers.read(tape, node, report);
  const toolName = customMembers.node(member.CUSTOM_NAME);
  if (!tape.isString(toolName)) {
    report.reject("custom.name", "must be a string.");
    return;
  }
  const description = customMembers.node(member.CUSTOM_DESCRIPTION);
  const tool = request.addTool(toolName, description, NO_NODE, NO_NODE, NO_NODE);
  tool.isCustom = 1;
  request.notes.tools.add(
    tool.name,
    tool.nameLength,
    tool.name,
    tool.nameLength,
    0,
    0,
    KIND_CUSTOM,
  );
  const grammar = tape.member(customMembers.node(member.CUSTOM_FORMAT), constant("grammar"));
  if (!tape.isObject(grammar)) return;
  tool.grammar = grammar;
  if (!report.supports(feature.CUSTOM_GRAMMARS)) report.drop(CUSTOM_FORMAT_PATH);
}

function readToolChoice(tape: Tape, request: HubRequest, report: RequestReport): void {
  let node = top.node(member.TOOL_CHOICE);
  const isFunction = !tape.isPresent(node);
  if (isFunction) node = top.node(member.FUNCTION_CALL);
  if (!tape.isPresent(node)) return;
  if (tape.isString(node)) {
    request.toolChoice = choiceOf(tape, node);
  } else {
    const type = tape.member(node, TYPE);
    if (tape.equals(type, ALLOWED_TOOLS)) {
      const allowed = tape.member(node, ALLOWED_TOOLS);
      request.toolChoice = choiceOf(tape, tape.member(allowed, constant("mode")));
      allowTools(tape, tape.member(allowed, TOOLS), request, report);
    } else {
      const isCustom = tape.equals(type, CUSTOM);
      const inner = isFunction ? node : tape.member(node, isCustom ? CUSTOM : FUNCTION);
      if (isFunction || isCustom || tape.equals(type, FUNCTION))
        request.chosenTool = tape.member(inner, NAME);
      if (tape.isString(request.chosenTool)) request.toolChoice = CHOICE_NAMED;
    }
  }
  if (request.toolChoice != CHOICE_UNSET) return;
  if (isFunction) {
    report.reject("function_call", "must be none, auto, or an object with the function's 'name'.");
    return;
  }
  report.reject(
    "tool_choice",
    "must be none, auto, required, or an object of type function or custom (with the tool's name) or allowed_tools.",
  );
}

/** OpenAI supports 128 tools. Each allowed one is compared with all of them, so both numbers need a bound. */
const MAX_ALLOWED: u32 = 1024;

/** Marks the tools of the list: only these may be called, so only these are sent. */
function allowTools(tape: Tape, list: u32, request: HubRequest, report: RequestReport): void {
  if (!tape.isArray(list)) return;
  if (request.tools.count > MAX_ALLOWED || tape.next(list) - list > MAX_ALLOWED * 16) {
    report.reject("tool_choice", "lists too many allowed tools; the limit is 1024.");
    return;
  }
  for (let i: u32 = 0; i < request.tools.count; i++) request.tool(i).isAllowed = 0;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    let allowed = tape.member(tape.member(item, FUNCTION), NAME);
    if (allowed == NO_NODE) allowed = tape.member(tape.member(item, CUSTOM), NAME);
    for (let i: u32 = 0; tape.isString(allowed) && i < request.tools.count; i++) {
      const tool = request.tool(i);
      name.pointer = tool.name;
      name.length = tool.nameLength;
      if (tape.equals(allowed, name)) tool.isAllowed = 1;
    }
  }
}
const name = new Span(0, 0);
