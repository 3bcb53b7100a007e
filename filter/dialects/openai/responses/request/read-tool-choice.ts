// Reads `tool_choice` of a Responses request, after all tools.
// @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-tool_choice
import { Feature } from "../../../../hub/request/feature";
import { MemberReader } from "../../../../hub/request/member-reader";
import {
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_UNSET,
  HubRequest,
} from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { allowHosted, hostedOf } from "../../../../hub/request/hosted-tools";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { choiceOf } from "../../read-values";
import * as member from "../members";
import { findTool } from "./read-tools";
import { spaceOf, wireName } from "../wire-names";

const choice = new MemberReader(member.toolChoice);

export function readToolChoice(
  tape: Tape,
  node: u32,
  request: HubRequest,
  report: RequestReport,
): void {
  if (!tape.isPresent(node)) return;
  if (!tape.isObject(node)) {
    request.toolChoice = choiceOf(tape, node);
    if (request.toolChoice == CHOICE_UNSET) rejectChoice(report);
    return;
  }
  choice.read(tape, node, report);
  const type = choice.node(member.CHOICE_TYPE);
  const name = choice.node(member.CHOICE_NAME);
  const found = member.toolType.find(tape, type);
  const asked: Feature | null = found === null ? null : found.featureOf();
  if (tape.equals(type, constant("allowed_tools"))) {
    request.toolChoice = choiceOf(tape, choice.node(member.CHOICE_MODE));
    if (request.toolChoice == CHOICE_UNSET) request.toolChoice = CHOICE_AUTO;
    allowTools(tape, choice.node(member.CHOICE_TOOLS), request, report);
  } else if (asked !== null) {
    const kind = hostedOf(asked);
    if (request.hostedNode(kind) != NO_NODE) request.forcedHosted = kind;
    // The response would come from another tool, or from none.
    else report.drop(constant("tool_choice"));
  } else if (found !== null && found.index != member.TYPE_NAMESPACE && tape.isString(name)) {
    const space = spaceOf(tape, choice.node(member.CHOICE_NAMESPACE));
    const wire = wireName(tape, space, name, request);
    request.toolChoice = CHOICE_NAMED;
    request.chosenName = wire.pointer;
    request.chosenNameLength = wire.length;
  } else {
    rejectChoice(report);
  }
}

function rejectChoice(report: RequestReport): void {
  report.reject(
    "tool_choice",
    "must be none, auto, required, or an object of type function or custom (with the tool's 'name') or allowed_tools.",
  );
}

/** Marks the tools of the list: only these may be called, so only these are sent. */
function allowTools(tape: Tape, list: u32, request: HubRequest, report: RequestReport): void {
  if (!tape.isArray(list)) {
    report.reject("tool_choice.tools", "must be a list.");
    return;
  }
  for (let i: u32 = 0; i < request.tools.count; i++) request.tool(i).isAllowed = 0;
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    const name = tape.member(item, constant("name"));
    if (!tape.isString(name)) {
      const type = tape.member(item, constant("type"));
      const found = member.toolType.find(tape, type);
      const asked: Feature | null = found === null ? null : found.featureOf();
      const isThere = asked !== null && request.hostedNode(hostedOf(asked)) != NO_NODE;
      if (tape.isString(type) && !isThere) report.dropUnknown(member.toolType.prefix, tape, type);
      continue;
    }
    const space = spaceOf(tape, tape.member(item, constant("namespace")));
    const found = findTool(wireName(tape, space, name, request), request);
    if (found !== null) found.isAllowed = 1;
  }
  allowHosted(request, list);
}
