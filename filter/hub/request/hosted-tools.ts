// Tools that the provider runs, not the client: a web search, code in a container, pages by their address, remote MCP servers. And the
// computer, which the client runs, but which a model knows without a schema.
// One row for each kind; a dialect's writer has the words of its API. web-search.ts has the settings of a search.
import { NO_NODE, Tape } from "../../bytes/json/tape";
import { startsWith } from "../../bytes/text/at";
import { constant, sameSpan, Span } from "../../bytes/text/bytes";
import { Feature } from "./feature";
import { CODE_EXECUTION, COMPUTER, MCP_SERVERS, WEB_FETCH, WEB_SEARCH } from "./features";
import { bearerOf, isPortable, isSameServer } from "./mcp-toolset";
import { HostedTool, HubRequest, isSameText, MAX_HOSTED, NO_HOSTED, Tool } from "./request";
import { RequestReport } from "./request-report";

export const HOSTED_SEARCH: i32 = 0;
export const HOSTED_CODE: i32 = 1;
export const HOSTED_MCP: i32 = 2;
/** No response has it: what was read of a page is no part of it. */
export const HOSTED_FETCH: i32 = 3;
export const HOSTED_COMPUTER: i32 = 4;

@unmanaged
class HostedKind {
  constructor(
    public feature: Feature,
    /** The value of `server_tools`. */
    public name: Span,
    /** The beginning of Anthropic's types, which end in a date. */
    public type: Span,
  ) {}
}

/** In the order of HOSTED_. */
const KINDS: StaticArray<HostedKind> = [
  new HostedKind(WEB_SEARCH, constant("web_search"), constant("web_search_")),
  new HostedKind(CODE_EXECUTION, constant("code_execution"), constant("code_execution_")),
  new HostedKind(MCP_SERVERS, constant("mcp"), constant("mcp_toolset")),
  new HostedKind(WEB_FETCH, constant("web_fetch"), constant("web_fetch_")),
  new HostedKind(COMPUTER, constant("computer"), constant("computer_")),
];

const TOOL_PREFIX = constant("tools[].");
const TYPE_PREFIX = constant("tools[].type=");
const TOOL_CHOICE = constant("tool_choice");

const toolName = new Span(0, 0);

/** Returns the kind of a feature; NO_HOSTED if it is no hosted tool. */
export function hostedOf(feature: Feature): i32 {
  for (let kind = 0; kind < KINDS.length; kind++)
    if (unchecked(KINDS[kind]).feature === feature) return kind;
  return NO_HOSTED;
}

/** Returns the kind by its name in the configuration. */
export function hostedByName(tape: Tape, node: u32): i32 {
  for (let kind = 0; kind < KINDS.length; kind++)
    if (tape.equals(node, unchecked(KINDS[kind]).name)) return kind;
  return NO_HOSTED;
}

/** Returns the kind of one of Anthropic's types, which must be a string. */
export function hostedByType(tape: Tape, type: u32): i32 {
  for (let kind = 0; kind < KINDS.length; kind++) {
    if (startsWith(tape.pointer(type), tape.size(type), unchecked(KINDS[kind]).type)) return kind;
  }
  return NO_HOSTED;
}

/** Returns the feature of a kind, which must be one of HOSTED_. */
export function featureOf(kind: i32): Feature {
  return KINDS[kind].feature;
}

/** Drops the tools, searches aside, that the provider does not run for the model: `kinds` has a bit for each that it runs. */
export function dropHosted(request: HubRequest, kinds: u32, report: RequestReport): void {
  if (request.hosted.count > MAX_HOSTED) {
    report.reject("tools", "must have at most 64 tools that the provider runs.");
    return;
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < request.hosted.count; i++) {
    const tool = request.hosted.at(i);
    const kind = tool.kind;
    const isSupported = kind == HOSTED_SEARCH || ((kinds >> kind) & 1) != 0;
    if (kind == HOSTED_SEARCH || (isSupported && isWritten(request, tool, kept))) {
      if (kind != HOSTED_SEARCH && kind != HOSTED_FETCH) dropSettings(request.tape, tool, report);
      keepHosted(request, kept++, tool);
    } else if (!isSupported && ((report.otherServerTools >> kind) & 1) != 0) {
      report.needsHosted = true;
      report.reject("tools", report.notSupported(featureOf(kind)));
    } else dropTool(request, tool, report);
  }
  request.hosted.count = kept;
}

/** Makes a tool the one at `place`, which is its own place or an earlier one. */
function keepHosted(request: HubRequest, place: u32, tool: HostedTool): void {
  const kept = request.hosted.at(place);
  kept.kind = tool.kind;
  kept.node = tool.node;
  kept.server = tool.server;
}

/** Returns whether a tool has a counterpart, and none of the first `kept` tools is the same: APIs accept each name once. */
function isWritten(request: HubRequest, tool: HostedTool, kept: u32): bool {
  const isServer = tool.kind == HOSTED_MCP;
  if (isServer && !isPortable(request.tape, tool)) return false;
  for (let i: u32 = 0; i < kept; i++) {
    const other = request.hosted.at(i);
    if (other.kind == tool.kind && (!isServer || isSameServer(request.tape, other, tool)))
      return false;
  }
  return true;
}

/**
 * Leaves out the tools that a Responses client's list of allowed tools does not name: only these may be used, so only these are sent.
 * A list of too many is left to `dropHosted`.
 */
export function allowHosted(request: HubRequest, list: u32): void {
  if (request.hosted.count > MAX_HOSTED) return;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < request.hosted.count; i++) {
    const tool = request.hosted.at(i);
    if (isNamedIn(request.tape, list, tool)) keepHosted(request, kept++, tool);
  }
  request.hosted.count = kept;
}

/** Returns whether an item of the list has the type of a tool, and names its server if it has one. */
function isNamedIn(tape: Tape, list: u32, tool: HostedTool): bool {
  for (let item = tape.first(list), end = tape.next(list); item < end; item = tape.next(item)) {
    if (
      isSameText(tape, item, tool.node, constant("type")) &&
      isSameText(tape, item, tool.node, constant("server_label"))
    )
      return true;
  }
  return false;
}

/** Makes the tools of a kind those of another one, which does more in the API, and lists them. */
export function replaceHosted(
  request: HubRequest,
  kind: i32,
  other: i32,
  report: RequestReport,
): void {
  for (let i: u32 = 0; i < request.hosted.count; i++) {
    const tool = request.hosted.at(i);
    if (tool.kind != kind) continue;
    tool.kind = other;
    report.dropUnknown(TYPE_PREFIX, request.tape, request.tape.member(tool.node, constant("type")));
  }
  if (request.forcedHosted == kind) request.forcedHosted = other;
}

/** Lists that the model is not offered a tool. */
export function dropTool(request: HubRequest, tool: HostedTool, report: RequestReport): void {
  const type = request.tape.member(tool.node, constant("type"));
  report.dropUnknown(TYPE_PREFIX, request.tape, type);
  dropForced(request, tool.kind, report);
}

/** Lists that the model need not use a tool, if it must. */
export function dropForced(request: HubRequest, kind: i32, report: RequestReport): void {
  if (kind == NO_HOSTED || request.forcedHosted != kind) return;
  request.forcedHosted = NO_HOSTED;
  report.drop(TOOL_CHOICE);
}

/** Returns whether the model must use the only tool that it has, which the provider runs; else that is listed. */
export function forcesOnlyHosted(request: HubRequest, report: RequestReport): bool {
  const kind = request.forcedHosted;
  if (kind == NO_HOSTED) return false;
  const isOnly = request.tools.count == 0 && request.hosted.count == 1;
  if (!isOnly) dropForced(request, kind, report);
  return isOnly;
}

/** What is read of a tool that is no search; the members of others are listed. */
const KNOWN: Span[] = [
  constant("type"),
  constant("name"),
  constant("container"),
  constant("server_label"),
  constant("server_url"),
  constant("authorization"),
  constant("headers"),
  constant("allowed_tools"),
  constant("require_approval"),
  constant("mcp_server_name"),
  constant("default_config"),
  constant("configs"),
  constant("display_width"),
  constant("display_height"),
];

/** What is read of a messages client's MCP server. */
const SERVER_KNOWN: Span[] = [
  constant("type"),
  constant("name"),
  constant("url"),
  constant("authorization_token"),
];

/** Lists the settings of a tool that the other API does not have. */
export function dropSettings(tape: Tape, tool: HostedTool, report: RequestReport): void {
  const node = tool.node;
  dropOthers(tape, node, TOOL_PREFIX, KNOWN, report);
  if (tool.server != NO_NODE)
    dropOthers(tape, tool.server, constant("mcp_servers[]."), SERVER_KNOWN, report);
  const container = tape.member(node, constant("container"));
  const isAuto = tape.isObject(container) && tape.next(container) == container + 3;
  if (tape.isPresent(container) && !isAuto) report.drop(constant("tools[].container"));
  const headers = tape.member(node, constant("headers"));
  const isToken = bearerOf(tape, node) != NO_NODE && tape.next(headers) == headers + 3;
  if (tape.isObject(headers) && !tape.isEmpty(headers) && !isToken)
    report.drop(constant("tools[].headers"));
}

/** Lists the members of a tool that are not among these. */
export function dropOthers(
  tape: Tape,
  tool: u32,
  prefix: Span,
  known: Span[],
  report: RequestReport,
): void {
  if (!tape.isObject(tool)) return;
  const end = tape.next(tool);
  for (let key = tape.first(tool); key < end; key = tape.next(key + 1)) {
    if (!tape.isPresent(key + 1) || tape.indexIn(key, known) >= 0) continue;
    report.dropUnknown(prefix, tape, key);
  }
}

/** Returns the tool of the client with a name, or null. */
export function toolNamed(request: HubRequest, name: Span): Tool | null {
  for (let i: u32 = 0; i < request.tools.count; i++) {
    const tool = request.tool(i);
    toolName.pointer = tool.name;
    toolName.length = tool.nameLength;
    if (sameSpan(toolName, name)) return tool;
  }
  return null;
}
