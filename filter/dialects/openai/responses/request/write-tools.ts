// Writes the tools of a request, and which of them the model must call.
// @see https://platform.openai.com/docs/guides/function-calling
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  HostedTool,
  Tool,
} from "../../../../hub/request/request";
import {
  forcesOnlyHosted,
  HOSTED_CODE,
  HOSTED_FETCH,
  HOSTED_MCP,
  HOSTED_SEARCH,
  replaceHosted,
} from "../../../../hub/request/hosted-tools";
import { writeAllowedTools } from "../../../../hub/request/mcp-toolset";
import {
  ALLOWED_DOMAINS,
  BLOCKED_DOMAINS,
  CONTEXT_SIZE,
  dropSearchMember,
  MAX_USES,
  ownSearch,
  searchOf,
  writeDomains,
  writeLocation,
} from "../../../../hub/request/web-search";
import { writeMember, writeString, writeValue } from "../../../../hub/request/request-writing";
import { NO_NODE } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { ResponsesInput } from "./write-input";

const FUNCTION = constant('{"type":"function","name":');
const CUSTOM = constant('{"type":"custom","name":');

const name = new Span(0, 0);

export abstract class ResponsesTools extends ResponsesInput {
  protected writeTools(): void {
    const request = this.request;
    const out = this.out;
    // The search also opens pages by their address; that it searches, too, is listed.
    if (searchOf(request) == NO_NODE)
      replaceHosted(request, HOSTED_FETCH, HOSTED_SEARCH, this.report);
    const search = ownSearch(request, this.limits.webSearch, this.report);
    const start = out.length;
    out.text(',"tools":[');
    const empty = out.length;
    let isLimited = false;
    for (let i: u32 = 0; i < request.tools.count; i++) {
      const tool = request.tool(i);
      if (tool.isCustom != 0) this.writeCustom(tool);
      else this.writeFunction(tool);
      if (tool.cacheLength > 0) this.report.drop(this.report.paths.toolCache);
      if (tool.isAllowed == 0) isLimited = true;
    }
    if (search != NO_NODE) this.writeSearch(search);
    this.writeHosted();
    if (out.length == empty) {
      out.length = start;
      return;
    }
    out.byte(0x5d);
    this.writeChoice(isLimited);
    if (request.needsSerialTools) out.text(',"parallel_tool_calls":false');
  }

  private writeFunction(tool: Tool): void {
    this.begin(FUNCTION);
    this.writeTool(tool, constant(',"parameters":'));
    // Without the member a function is strict if its schema allows it; in the other APIs it is not.
    if (tool.isStrict == 0) this.out.text(',"strict":false');
    this.out.byte(0x7d);
  }

  private writeCustom(tool: Tool): void {
    const tape = this.tape;
    this.begin(CUSTOM);
    this.writeToolHead(tool);
    const grammar = tool.grammar;
    if (tape.isObject(grammar) && !tape.isEmpty(grammar)) {
      // The grammar's own members: chat completions have them one level below.
      this.out.text(',"format":{"type":"grammar",');
      this.out.bytes(tape.pointer(grammar) + 1, tape.size(grammar) - 1);
    }
    this.out.byte(0x7d);
  }

  /** @see https://developers.openai.com/api/docs/guides/tools-web-search */
  private writeSearch(search: u32): void {
    const request = this.request;
    const tape = this.tape;
    const out = this.out;
    this.begin(constant('{"type":"web_search"'));
    const size = tape.member(search, CONTEXT_SIZE);
    if (tape.isString(size)) writeMember(tape, size, constant(',"search_context_size":'), out);
    if (writeLocation(tape, search, constant('"user_location":{"type":"approximate"'), out))
      out.byte(0x7d);
    const head = constant(',"filters":{"allowed_domains":');
    if (writeDomains(tape, search, ALLOWED_DOMAINS, head, out)) out.byte(0x7d);
    out.byte(0x7d);
    dropSearchMember(request, MAX_USES, this.report);
    dropSearchMember(request, BLOCKED_DOMAINS, this.report);
  }

  /** Writes what the provider runs besides a search. */
  private writeHosted(): void {
    const request = this.request;
    for (let i: u32 = 0; i < request.hosted.count; i++) {
      const tool = request.hosted.at(i);
      if (tool.kind == HOSTED_CODE)
        this.begin(constant('{"type":"code_interpreter","container":{"type":"auto"}}'));
      else if (tool.kind == HOSTED_MCP) this.writeServer(tool);
    }
  }

  /** @see https://developers.openai.com/api/docs/guides/tools-connectors-mcp */
  private writeServer(tool: HostedTool): void {
    const tape = this.tape;
    const out = this.out;
    const server = tool.server;
    this.begin(constant('{"type":"mcp","server_label":'));
    writeValue(tape, tape.member(server, constant("name")), out);
    writeMember(tape, tape.member(server, constant("url")), constant(',"server_url":'), out);
    const token = tape.member(server, constant("authorization_token"));
    writeMember(tape, token, constant(',"authorization":'), out);
    writeAllowedTools(tape, tool.node, out);
    // Anthropic asks nobody.
    out.text(',"require_approval":"never"}');
  }

  /** `isLimited`: the client allows some of the tools only. */
  private writeChoice(isLimited: bool): void {
    const out = this.out;
    const choice = this.request.toolChoice;
    if (forcesOnlyHosted(this.request, this.report)) out.text(',"tool_choice":"required"');
    if (choice == CHOICE_UNSET) return;
    out.text(',"tool_choice":');
    if (choice == CHOICE_NAMED) {
      this.writeChosen();
    } else if (choice == CHOICE_NONE) {
      out.text('"none"');
    } else {
      if (isLimited) out.text('{"type":"allowed_tools","mode":');
      out.span(choice == CHOICE_ANY ? constant('"required"') : constant('"auto"'));
      if (isLimited) this.writeAllowed();
    }
  }

  private writeChosen(): void {
    const chosen = this.request.chosenTool;
    let isCustom = false;
    for (let i: u32 = 0; i < this.request.tools.count; i++) {
      const tool = this.request.tool(i);
      name.pointer = tool.name;
      name.length = tool.nameLength;
      if (tool.isCustom != 0 && this.tape.equals(chosen, name)) isCustom = true;
    }
    this.out.span(isCustom ? CUSTOM : FUNCTION);
    this.writeChosenTool(this.out);
    this.out.byte(0x7d);
  }

  private writeAllowed(): void {
    const out = this.out;
    out.text(',"tools":[');
    for (let i: u32 = 0; i < this.request.tools.count; i++) {
      const tool = this.request.tool(i);
      if (tool.isAllowed == 0) continue;
      this.begin(tool.isCustom != 0 ? CUSTOM : FUNCTION);
      writeString(tool.name, tool.nameLength, out);
      out.byte(0x7d);
    }
    out.text("]}");
  }
}
