// Reads the tools of a Responses request: functions, custom tools, and namespaces of both, as one flat list of functions.
// @see https://platform.openai.com/docs/guides/function-calling
import { MemberReader } from "../../../../hub/request/member-reader";
import { readList } from "../../../../hub/request/read-list";
import {
  KIND_COMPUTER,
  KIND_CUSTOM,
  KIND_FUNCTION,
  KIND_PREVIEW,
} from "../../../../hub/request/client-tools";
import { HOSTED_COMPUTER, hostedOf, toolNamed } from "../../../../hub/request/hosted-tools";
import { HubRequest, NO_HOSTED, Tool } from "../../../../hub/request/request";
import { RequestReport } from "../../../../hub/request/request-report";
import { Records } from "../../../../bytes/records";
import { TextTable } from "../../../../bytes/text-table";
import { NO_NODE, Tape } from "../../../../bytes/json/tape";
import { constant, sameBytes, Span } from "../../../../bytes/text/bytes";
import * as member from "../members";
import { COMPUTER } from "../computer-actions";
import { spaceOf, wireName } from "../wire-names";

const TOOLS = constant("tools");
/** A grammar is only described. */
const FORMAT_PATH = constant("tools[].format");

const tool = new MemberReader(member.tool);
const format = new MemberReader(member.toolFormat);

/** A tool's names, beside the hub's tool of the same index. */
@unmanaged
class Declared {
  space: u32;
  name: u32;
}

const declared = new Records<Declared>();
/** Indices of tools by wire name. */
const byName = new TextTable();
/** The namespace of the tools that are being read; NO_NODE outside of one. */
let space: u32 = NO_NODE;

/** Forgets the tools of the last request. */
export function forgetTools(): void {
  declared.clear();
  byName.clear();
  space = NO_NODE;
}

/** Reads a list of tools, which may be missing. A tool that is there already is not read again. */
export function readTools(tape: Tape, list: u32, request: HubRequest, report: RequestReport): void {
  readList(tape, list, TOOLS, request, report, readTool);
}

/** Returns the tool with a wire name, or null. */
export function findTool(wire: Span, request: HubRequest): Tool | null {
  const index = byName.get(wire.pointer, wire.length);
  return index < request.tools.count ? request.tool(index) : null;
}

/**
 * Notes that calls with the name of a computer come back as calls of it: if the model is offered the tool, and no function with that name,
 * in whose place the tool is left out.
 */
export function noteComputer(request: HubRequest, report: RequestReport): void {
  const name = COMPUTER;
  for (let i: u32 = 0; report.hasComputer && i < request.hosted.count; i++) {
    const hosted = request.hosted.at(i);
    if (hosted.kind != HOSTED_COMPUTER) continue;
    if (toolNamed(request, name) !== null) return;
    const type = request.tape.member(hosted.node, constant("type"));
    request.notes.tools.add(
      name.pointer,
      name.length,
      name.pointer,
      name.length,
      0,
      0,
      request.tape.equals(type, name) ? KIND_COMPUTER : KIND_PREVIEW,
    );
    return;
  }
}

function readTool(tape: Tape, item: u32, request: HubRequest, report: RequestReport): void {
  const type = tape.member(item, constant("type"));
  if (!tape.isString(type)) {
    report.reject("type", "must be a string, such as function.");
    return;
  }
  const found = member.toolType.find(tape, type);
  if (found === null) {
    report.dropUnknown(member.toolType.prefix, tape, type);
    return;
  }
  const feature = found.featureOf();
  if (feature !== null) {
    const kind = hostedOf(feature);
    if (kind != NO_HOSTED && report.supports(feature)) request.addHosted(kind, item);
    else report.rejectOrDropType(found, feature);
    return;
  }
  tool.read(tape, item, report);
  const name = tool.node(member.TOOL_NAME);
  if (!tape.isString(name) || tape.size(name) == 0) {
    report.reject("name", "must be a string that is not empty.");
  } else if (found.index != member.TYPE_NAMESPACE) {
    addTool(tape, name, found.index == member.TYPE_CUSTOM, request, report);
  } else if (space == NO_NODE) {
    readNamespace(tape, name, request, report);
  } else {
    report.reject("type", "must be function or custom inside of a namespace.");
  }
}

function readNamespace(tape: Tape, name: u32, request: HubRequest, report: RequestReport): void {
  const children = tool.node(member.TOOL_CHILDREN);
  space = name;
  readTools(tape, children, request, report);
  space = NO_NODE;
}

function addTool(
  tape: Tape,
  name: u32,
  isCustom: bool,
  request: HubRequest,
  report: RequestReport,
): void {
  const own = spaceOf(tape, space);
  const wire = wireName(tape, own, name, request);
  const index = byName.get(wire.pointer, wire.length);
  if (index < declared.count) {
    // Tools that were loaded on demand are in several lists.
    if (!isSame(tape, declared.at(index), own, name))
      report.reject(
        "name",
        "would be '" +
          wire.toText() +
          "' for the provider, like the name of another tool. Rename one of them.",
      );
    return;
  }
  if (declared.count == request.tools.count) {
    byName.set(wire.pointer, wire.length, declared.count);
    const names = declared.add();
    names.space = own;
    names.name = name;
  }
  const added = request.addTool(
    name,
    tool.node(member.TOOL_DESCRIPTION),
    isCustom ? NO_NODE : tool.node(member.TOOL_PARAMETERS),
    tool.node(member.TOOL_STRICT),
    NO_NODE,
  );
  added.name = wire.pointer;
  added.nameLength = wire.length;
  if (isCustom) readCustom(tape, added, report);
  if (isCustom || own != NO_NODE || wire.pointer != tape.pointer(name))
    request.notes.tools.add(
      wire.pointer,
      wire.length,
      tape.pointer(name),
      tape.size(name),
      tape.pointer(own),
      tape.size(own),
      isCustom ? KIND_CUSTOM : KIND_FUNCTION,
    );
}

function readCustom(tape: Tape, added: Tool, report: RequestReport): void {
  added.isCustom = 1;
  added.isStrict = 0;
  const node = tool.node(member.TOOL_FORMAT);
  if (!tape.isPresent(node)) return;
  format.read(tape, node, report);
  if (!tape.equals(format.node(member.TOOL_FORMAT_TYPE), constant("grammar"))) return;
  added.grammar = node;
  report.drop(FORMAT_PATH);
}

function isSame(tape: Tape, other: Declared, own: u32, name: u32): bool {
  return isSameText(tape, other.space, own) && isSameText(tape, other.name, name);
}

function isSameText(tape: Tape, a: u32, b: u32): bool {
  return sameBytes(tape.pointer(a), tape.size(a), tape.pointer(b), tape.size(b));
}
