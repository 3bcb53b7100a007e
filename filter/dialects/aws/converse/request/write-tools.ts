// Writes `toolConfig`: the tools, and which of them the model may or must call.
// @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
import { calledTool, findCalledTools } from "../../../../hub/request/called-tools";
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_NONE,
  Tool,
} from "../../../../hub/request/request";
import { dropForced, HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import {
  dropSearch,
  dropSearchSettings,
  ownSearch,
  searchOf,
  SEARCH_NONE,
  SEARCH_TOOL,
} from "../../../../hub/request/web-search";
import { writeString } from "../../../../hub/request/request-writing";
import { NO_NODE } from "../../../../bytes/json/tape";
import { ByteBuffer, constant, scratchBuffer } from "../../../../bytes/text/bytes";
import { ConverseMessages } from "./write-messages";

const TOOL_CONFIG = constant('"toolConfig":{"tools":[');
const TOOL = constant('{"toolSpec":{"name":');

/** Claude's own member, for what `toolChoice` cannot express. */
const OWN_NONE = constant(',"tool_choice":{"type":"none"}');

const TOOL_CHOICE_PATH = constant("tool_choice");

export abstract class ConverseTools extends ConverseMessages {
  /** Members of `additionalModelRequestFields`, which are passed to the model as they are, with a comma before each. */
  protected extras: ByteBuffer = scratchBuffer();

  protected writeTools(): void {
    const request = this.request;
    const out = this.out;
    const called = findCalledTools(request);
    // There is no choice of none: without tools in the conversation, none are sent.
    const isLeftOut = request.toolChoice == CHOICE_NONE && !this.isClaude && called == 0;
    const start = out.length;
    for (let i: u32 = 0; i < request.tools.count && !isLeftOut; i++) {
      const tool = request.tool(i);
      if (tool.isAllowed == 0) continue;
      if (out.length == start) out.span(TOOL_CONFIG);
      this.writeDeclaration(tool);
    }
    if (isLeftOut && searchOf(request) != NO_NODE) dropSearch(request, this.report);
    if (!isLeftOut && this.hasGrounding()) {
      if (out.length == start) out.span(TOOL_CONFIG);
      this.begin(constant('{"systemTool":{"name":"nova_grounding"}}'));
    }
    if (out.length > start) {
      out.byte(0x5d);
      this.writeChoice();
      out.text("},");
      return;
    }
    if (this.isToolForced()) this.report.drop(TOOL_CHOICE_PATH);
    if (called == 0) return;
    // The tools of a conversation with tool calls are required; the client sends none, so the model may call none.
    out.span(TOOL_CONFIG);
    for (let i = 0; i < called; i++) {
      const call = calledTool(request, i);
      this.begin(TOOL);
      writeString(call.name, call.nameLength, out);
      out.text(',"inputSchema":{"json":{"type":"object"}}}}');
    }
    out.text("]},");
    if (this.isClaude) this.extras.span(OWN_NONE);
  }

  /**
   * Returns whether the model searches the web: it has no settings.
   * @see https://docs.aws.amazon.com/nova/latest/nova2-userguide/web-grounding.html
   */
  private hasGrounding(): bool {
    const request = this.request;
    const kind = this.limits.webSearch == SEARCH_TOOL ? SEARCH_TOOL : SEARCH_NONE;
    if (ownSearch(request, kind, this.report) == NO_NODE) return false;
    dropSearchSettings(request, this.report);
    dropForced(request, HOSTED_SEARCH, this.report);
    return true;
  }

  private writeDeclaration(tool: Tool): void {
    const out = this.out;
    this.begin(TOOL);
    writeString(tool.name, tool.nameLength, out);
    this.writeToolDescription(tool);
    out.text(',"inputSchema":{"json":');
    this.writeToolSchema(tool);
    out.byte(0x7d);
    if (tool.isStrict != 0) {
      if (this.limits.supportsOutputSchema) out.text(',"strict":true');
      else this.report.dropForModel(this.report.paths.strict);
    }
    out.text("}}");
    const path = this.report.paths.toolCache;
    if (tool.cacheLength > 0 && !this.isClaude) this.report.dropForModel(path);
    else this.writeCachePoint(tool.cache, tool.cacheLength, path);
  }

  private writeChoice(): void {
    const request = this.request;
    const choice = request.toolChoice;
    const out = this.out;
    if (choice == CHOICE_NONE) {
      if (this.isClaude) this.extras.span(OWN_NONE);
      else this.report.drop(TOOL_CHOICE_PATH);
    } else if (request.needsSerialTools && this.isClaude) {
      this.writeOwnChoice();
    } else {
      if (request.forbidsParallelTools) this.report.drop(this.report.paths.parallel);
      if (choice == CHOICE_ANY) out.text(',"toolChoice":{"any":{}}');
      else if (choice == CHOICE_AUTO) out.text(',"toolChoice":{"auto":{}}');
      else if (choice == CHOICE_NAMED) {
        out.text(',"toolChoice":{"tool":{"name":');
        this.writeChosenTool(out);
        out.text("}}");
      }
    }
  }

  /** Writes the choice in Claude's words, instead of `toolChoice`. */
  private writeOwnChoice(): void {
    const extras = this.extras;
    const choice = this.request.toolChoice;
    if (choice == CHOICE_NAMED) {
      extras.text(',"tool_choice":{"type":"tool","name":');
      this.writeChosenTool(extras);
    } else {
      extras.text(',"tool_choice":{"type":');
      extras.span(choice == CHOICE_ANY ? constant('"any"') : constant('"auto"'));
    }
    extras.text(',"disable_parallel_tool_use":true}');
  }
}
