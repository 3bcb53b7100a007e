// Remote MCP servers whose tools the provider calls: the tool `mcp` of a Responses client, which names server and tools in one object,
// and `mcp_servers` with a toolset for each, of a messages client.
// @see https://developers.openai.com/api/docs/guides/tools-connectors-mcp
// @see https://platform.claude.com/docs/en/agents-and-tools/mcp-connector
import { KIND_FALSE, NO_NODE, Tape } from "../../bytes/json/tape";
import { startsWith } from "../../bytes/text/at";
import { ByteBuffer, constant } from "../../bytes/text/bytes";
import { HostedTool, HubRequest, isSameText } from "./request";
import { separate, writeMember, writeName, writeString, writeValue } from "./request-writing";

const ENABLED = constant("enabled");
const BEARER = constant("Bearer ");
const SERVERS = constant(',"mcp_servers":[');

/** Returns whether two tools are of one server, by the name that a response would have for it. */
export function isSameServer(tape: Tape, one: HostedTool, other: HostedTool): bool {
  return (
    isSameText(tape, one.node, other.node, constant("server_label")) &&
    isSameText(tape, one.node, other.node, constant("mcp_server_name"))
  );
}

/** Returns whether the other API allows no more than the client does: no tool without its approval, none that it excludes. */
export function isPortable(tape: Tape, tool: HostedTool): bool {
  const node = tool.node;
  if (tool.server != NO_NODE) {
    // An earlier form of the restrictions, which Anthropic reads of a server.
    if (tape.isPresent(tape.member(tool.server, constant("tool_configuration")))) return false;
    const isOpen = isEnabled(tape, tape.member(node, constant("default_config")));
    const configs = tape.member(node, constant("configs"));
    const end = tape.isObject(configs) ? tape.next(configs) : 0;
    for (let key = tape.first(configs); key < end; key = tape.next(key + 1)) {
      const isOwn = tape.member(key + 1, ENABLED) != NO_NODE;
      if (isOwn && isEnabled(tape, key + 1) != isOpen) return !isOpen;
    }
    // An empty list of tools may be read as all of them.
    return isOpen;
  }
  const allowed = tape.member(node, constant("allowed_tools"));
  return (
    tape.isString(tape.member(node, constant("server_url"))) &&
    tape.isString(tape.member(node, constant("server_label"))) &&
    tape.equals(tape.member(node, constant("require_approval")), constant("never")) &&
    (!tape.isPresent(allowed) || tape.isArray(allowedTools(tape, node))) &&
    tape.member(allowed, constant("read_only")) == NO_NODE
  );
}

function isEnabled(tape: Tape, config: u32): bool {
  return tape.kind(tape.member(config, ENABLED)) != KIND_FALSE;
}

/** Returns the list of the only tools that the model may call; NO_NODE if it may call all. */
function allowedTools(tape: Tape, tool: u32): u32 {
  const allowed = tape.member(tool, constant("allowed_tools"));
  return tape.isObject(allowed) ? tape.member(allowed, constant("tool_names")) : allowed;
}

/** Writes the toolset of a Responses client's server. */
export function writeToolset(tape: Tape, tool: u32, out: ByteBuffer): void {
  out.text('{"type":"mcp_toolset","mcp_server_name":');
  writeValue(tape, tape.member(tool, constant("server_label")), out);
  const allowed = allowedTools(tape, tool);
  if (tape.isArray(allowed)) {
    out.text(',"default_config":{"enabled":false},"configs":{');
    const end = tape.next(allowed);
    for (let name = tape.first(allowed); name < end; name = tape.next(name)) {
      if (!tape.isString(name)) continue;
      writeName(tape, name, out);
      out.text('{"enabled":true}');
    }
    out.byte(0x7d);
  }
  out.byte(0x7d);
}

/** Writes `mcp_servers` for the servers of a Responses client. Returns whether there are any. */
export function writeServers(request: HubRequest, kind: i32, out: ByteBuffer): bool {
  const tape = request.tape;
  const start = out.length;
  for (let i: u32 = 0; i < request.hosted.count; i++) {
    if (request.hosted.at(i).kind != kind) continue;
    const tool = request.hosted.at(i).node;
    if (out.length == start) out.span(SERVERS);
    separate(out);
    out.text('{"type":"url","name":');
    writeValue(tape, tape.member(tool, constant("server_label")), out);
    writeMember(tape, tape.member(tool, constant("server_url")), constant(',"url":'), out);
    writeToken(tape, tool, out);
    out.byte(0x7d);
  }
  if (out.length == start) return false;
  out.byte(0x5d);
  return true;
}

/** Returns the header of the server that holds a token, which is the only one that has a place elsewhere; NO_NODE without one. */
export function bearerOf(tape: Tape, tool: u32): u32 {
  const header = tape.member(tape.member(tool, constant("headers")), constant("Authorization"));
  const isBearer =
    tape.isString(header) && startsWith(tape.pointer(header), tape.size(header), BEARER);
  return isBearer ? header : NO_NODE;
}

function writeToken(tape: Tape, tool: u32, out: ByteBuffer): void {
  const name = constant(',"authorization_token":');
  const bearer = bearerOf(tape, tool);
  if (bearer == NO_NODE) {
    writeMember(tape, tape.member(tool, constant("authorization")), name, out);
    return;
  }
  out.span(name);
  writeString(tape.pointer(bearer) + BEARER.length, tape.size(bearer) - BEARER.length, out);
}

/** Writes `allowed_tools` for a toolset that enables some tools only. */
export function writeAllowedTools(tape: Tape, toolset: u32, out: ByteBuffer): void {
  if (isEnabled(tape, tape.member(toolset, constant("default_config")))) return;
  out.text(',"allowed_tools":[');
  const configs = tape.member(toolset, constant("configs"));
  const end = tape.isObject(configs) ? tape.next(configs) : 0;
  for (let key = tape.first(configs); key < end; key = tape.next(key + 1)) {
    if (!tape.isTrue(tape.member(key + 1, ENABLED))) continue;
    separate(out);
    writeValue(tape, key, out);
  }
  out.byte(0x5d);
}
