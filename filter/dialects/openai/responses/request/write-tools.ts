// Writes the tools of a request, and which of them the model must call.
// @see https://platform.openai.com/docs/guides/function-calling
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  Tool,
} from "../../../../hub/request/request";
import * as feature from "../../../../hub/request/features";
import { writeMember, writeString } from "../../../../hub/request/request-writing";
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
    const search = request.features.node(feature.WEB_SEARCH);
    if (request.tools.count == 0 && search == NO_NODE) return;
    out.text(',"tools":[');
    let isLimited = false;
    for (let i: u32 = 0; i < request.tools.count; i++) {
      const tool = request.tool(i);
      if (tool.isCustom != 0) this.writeCustom(tool);
      else this.writeFunction(tool);
      if (tool.cacheLength > 0) this.report.drop(this.report.paths.toolCache);
      if (tool.isAllowed == 0) isLimited = true;
    }
    if (search != NO_NODE) this.writeWebSearch(search);
    out.byte(0x5d);
    this.writeChoice(isLimited);
    if (request.forbidsParallelTools) out.text(',"parallel_tool_calls":false');
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

  /** Writes `web_search_options` of chat completions, or the web search tool of messages, as a tool. */
  private writeWebSearch(options: u32): void {
    const tape = this.tape;
    const out = this.out;
    this.begin(constant('{"type":"web_search"'));
    const size = tape.member(options, constant("search_context_size"));
    if (tape.isString(size)) writeMember(tape, size, constant(',"search_context_size":'), out);
    const location = tape.member(options, constant("user_location"));
    const inner = tape.member(location, constant("approximate"));
    if (tape.isObject(inner) && !tape.isEmpty(inner)) {
      // Chat completions have the place one level below.
      out.text(',"user_location":{"type":"approximate",');
      out.bytes(tape.pointer(inner) + 1, tape.size(inner) - 1);
    } else if (tape.isObject(location) && inner == NO_NODE) {
      writeMember(tape, location, constant(',"user_location":'), out);
    }
    const domains = tape.member(options, constant("allowed_domains"));
    if (tape.isArray(domains)) {
      writeMember(tape, domains, constant(',"filters":{"allowed_domains":'), out);
      out.byte(0x7d);
    }
    out.byte(0x7d);
    if (tape.isPresent(tape.member(options, constant("max_uses"))))
      this.report.drop(constant("tools[].max_uses"));
    if (tape.isPresent(tape.member(options, constant("blocked_domains"))))
      this.report.drop(constant("tools[].blocked_domains"));
  }

  /** `isLimited`: the client allows some of the tools only. */
  private writeChoice(isLimited: bool): void {
    const out = this.out;
    const choice = this.request.toolChoice;
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
