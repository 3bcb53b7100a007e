// Reads a Responses request into the hub. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/responses/create
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  EFFORT_MAX,
  EFFORT_UNSET,
  FORMAT_JSON,
  FORMAT_SCHEMA,
  FORMAT_TEXT,
  HubRequest,
  ROLE_SYSTEM,
} from "../../../../hub/request/request";
import { effortOf } from "../../../../hub/request/request-effort";
import { readFlag } from "../../../../hub/request/request-flag";
import { RequestReport } from "../../../../hub/request/request-report";
import { KIND_FALSE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { nameOf, readTier, readUser } from "../../read-values";
import * as member from "../members";
import { readInput } from "./read-input";
import { explainState } from "./read-state";
import { readToolChoice } from "./read-tool-choice";
import { forgetTools, noteComputer, readTools } from "./read-tools";
import { surveyInput, updatedReasoning, updatedText } from "./survey-input";
import { writeEcho } from "../response/write-echo";

const top = new MemberReader(member.request);
const options = new MemberReader(member.streamOptions);
const textMembers = new MemberReader(member.text);
const format = new MemberReader(member.format);
const reasoning = new MemberReader(member.reasoning);

export function readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
  top.read(tape, 0, report);
  if (report.fault !== null) {
    explainState(tape, report);
    return;
  }
  top.keepFeatures(request.features);
  request.maxTokens = top.node(member.MAX_OUTPUT_TOKENS);
  request.temperature = top.node(member.TEMPERATURE);
  request.topP = top.node(member.TOP_P);
  request.forbidsParallelTools = tape.kind(top.node(member.PARALLEL_TOOL_CALLS)) == KIND_FALSE;
  request.isStreaming = readFlag(tape, top.node(member.STREAM), "stream", report);
  report.isStreaming = request.isStreaming;
  report.wantsUsage = true;
  options.read(tape, top.node(member.STREAM_OPTIONS), report);
  readUser(
    tape,
    top.node(member.USER),
    top.node(member.SAFETY_IDENTIFIER),
    top.node(member.METADATA),
    request,
    report,
  );
  readTier(tape, top.node(member.SERVICE_TIER), request, report);
  readTools(tape, top.node(member.TOOLS), request, report);
  const input = top.node(member.INPUT);
  if (report.fault === null) surveyInput(tape, input, request, report);
  readReasoning(tape, top.node(member.REASONING), request, report);
  readReasoning(tape, updatedReasoning, request, report);
  readText(tape, top.node(member.TEXT), request, report);
  readText(tape, updatedText, request, report);
  if (report.fault === null) readToolChoice(tape, top.node(member.TOOL_CHOICE), request, report);
  noteComputer(request, report);
  if (report.fault === null) readInstructions(tape, request, report);
  if (report.fault === null) readInput(tape, input, request, report);
  forgetTools();
  writeEcho(tape, request.notes.echo);
}

function readInstructions(tape: Tape, request: HubRequest, report: RequestReport): void {
  const node = top.node(member.INSTRUCTIONS);
  if (tape.isString(node)) request.addText(ROLE_SYSTEM, node);
  else if (tape.isPresent(node)) report.reject("instructions", "must be a string.");
}

/** Reads `reasoning` of the request or of an item, which takes precedence. */
function readReasoning(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  if (!tape.isPresent(node)) return;
  if (!tape.isObject(node)) {
    report.reject("reasoning", "must be an object.");
    return;
  }
  reasoning.read(tape, node, report);
  if (
    tape.isString(reasoning.node(member.SUMMARY)) ||
    tape.isString(reasoning.node(member.GENERATE_SUMMARY))
  )
    request.wantsReasoningText = true;
  const effort = reasoning.node(member.EFFORT);
  if (!tape.isPresent(effort)) return;
  request.effort = tape.equals(effort, constant("ultra")) ? EFFORT_MAX : effortOf(tape, effort);
  if (request.effort == EFFORT_UNSET) report.drop(report.paths.effort);
}

/** Reads `text` of the request or of an item, which takes precedence. */
function readText(tape: Tape, node: u32, request: HubRequest, report: RequestReport): void {
  if (!tape.isPresent(node)) return;
  if (!tape.isObject(node)) {
    report.reject("text", "must be an object.");
    return;
  }
  textMembers.read(tape, node, report);
  textMembers.keepFeatures(request.features);
  const given = textMembers.node(member.FORMAT);
  if (!tape.isPresent(given)) return;
  format.read(tape, given, report);
  const type = format.node(member.FORMAT_TYPE);
  request.schema = format.node(member.SCHEMA);
  request.schemaName = nameOf(tape, format.node(member.FORMAT_NAME));
  if (tape.equals(type, constant("text"))) request.outputFormat = FORMAT_TEXT;
  else if (tape.equals(type, constant("json_object"))) request.outputFormat = FORMAT_JSON;
  else if (tape.equals(type, constant("json_schema")) && tape.isObject(request.schema))
    request.outputFormat = FORMAT_SCHEMA;
  else
    report.reject(
      "text.format",
      "must be of type text, json_object, or json_schema with a 'schema' object.",
    );
}
