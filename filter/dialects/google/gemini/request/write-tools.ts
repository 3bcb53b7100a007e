// Writes the tools: one list of function declarations; and which of them the model may or must call.
// @see https://ai.google.dev/api/caching#FunctionDeclaration
import {
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  NO_HOSTED,
  Tool,
} from "../../../../hub/request/request";
import {
  dropForced,
  dropHosted,
  dropSettings,
  HOSTED_CODE,
  HOSTED_FETCH,
  HOSTED_SEARCH,
} from "../../../../hub/request/hosted-tools";
import {
  dropSearch,
  dropSearchSettings,
  ownSearch,
  SEARCH_NONE,
  searchOf,
} from "../../../../hub/request/web-search";
import { SEARCH_BY_QUERY, SEARCH_BY_REQUEST } from "../../../../hub/request/request-notes";
import { NO_NODE } from "../../../../bytes/json/tape";
import { constant } from "../../../../bytes/text/bytes";
import { OldSchemas } from "./write-old-schema";

const CALLING = constant(',"toolConfig":{"functionCallingConfig":{"mode":"');
const JSON_SCHEMA = constant(',"parametersJsonSchema":');
const OLD_SCHEMA = constant(',"parameters":');

export abstract class GeminiTools extends OldSchemas {
  /** Writes the tools that the client allows, and the choice. */
  protected writeTools(): void {
    const request = this.request;
    const report = this.report;
    const out = this.out;
    const start = out.length;
    for (let i: u32 = 0; i < request.tools.count; i++) {
      const tool = request.tool(i);
      if (tool.isAllowed == 0) continue;
      if (out.length == start) out.text(',"tools":[{"functionDeclarations":[');
      this.begin(constant('{"name":'));
      this.writeDeclaration(tool);
      out.byte(0x7d);
      if (tool.cacheLength > 0) report.drop(report.paths.toolCache);
    }
    if (out.length == start && this.writeHosted()) return;
    if (out.length == start) {
      if (request.toolChoice > CHOICE_NONE) report.drop(constant("tool_choice"));
      return;
    }
    out.text("]}");
    if (this.isMixed) {
      dropHosted(request, 1 << HOSTED_FETCH, report);
      dropForced(request, request.forcedHosted, report);
      this.writeHostedTools();
    } else {
      if (searchOf(request) != NO_NODE) dropSearch(request, report);
      dropHosted(request, 0, report);
    }
    out.byte(0x5d);
    if (request.forbidsParallelTools) report.drop(report.paths.parallel);
    this.writeChoice();
  }

  /** Returns whether any tool will be written. */
  protected hasTools(): bool {
    return this.request.tools.count > 0 || this.hasHosted(true);
  }

  /** Returns whether the model may use a tool that Google runs. */
  private hasHosted(withCode: bool): bool {
    const request = this.request;
    if (request.toolChoice == CHOICE_NONE) return false;
    for (let i: u32 = 0; i < request.hosted.count; i++) {
      const kind = request.hosted.at(i).kind;
      if (
        kind == HOSTED_CODE
          ? withCode
          : kind != HOSTED_SEARCH || this.limits.webSearch != SEARCH_NONE
      )
        return true;
    }
    return false;
  }

  /**
   * Finds out whether functions stand beside a search, or pages by their address: Gemini 3 supports that at the Gemini API. Vertex AI
   * rejects the member that it requires ("Unknown name", vercel/ai#14655).
   * @see https://ai.google.dev/gemini-api/docs/tool-combination
   */
  protected findMix(): void {
    this.isMixed = this.limits.mixesTools && this.hasFunctions() && this.hasHosted(false);
  }

  private hasFunctions(): bool {
    for (let i: u32 = 0; i < this.request.tools.count; i++)
      if (this.request.tool(i).isAllowed != 0) return true;
    return false;
  }

  /**
   * Writes what Google runs, alone. Returns whether there is any.
   * @see https://ai.google.dev/gemini-api/docs/google-search
   * @see https://ai.google.dev/gemini-api/docs/code-execution
   * @see https://ai.google.dev/gemini-api/docs/url-context
   */
  private writeHosted(): bool {
    const request = this.request;
    if (request.toolChoice == CHOICE_NONE) return false;
    const out = this.out;
    const start = out.length;
    out.text(',"tools":[');
    const empty = out.length;
    this.writeHostedTools();
    if (out.length == empty) {
      out.length = start;
      return false;
    }
    out.byte(0x5d);
    if (request.toolChoice > CHOICE_NONE || request.forcedHosted != NO_HOSTED)
      this.report.drop(constant("tool_choice"));
    return true;
  }

  private writeHostedTools(): void {
    const request = this.request;
    if (ownSearch(request, this.limits.webSearch, this.report) != NO_NODE) {
      this.begin(constant('{"googleSearch":{}}'));
      request.notes.search = this.limits.signsCalls ? SEARCH_BY_QUERY : SEARCH_BY_REQUEST;
      dropSearchSettings(request, this.report);
    }
    for (let i: u32 = 0; i < request.hosted.count; i++) {
      const tool = request.hosted.at(i);
      if (tool.kind == HOSTED_CODE) this.begin(constant('{"codeExecution":{}}'));
      if (tool.kind != HOSTED_FETCH) continue;
      this.begin(constant('{"urlContext":{}}'));
      dropSettings(request.tape, tool, this.report);
    }
  }

  /** A function without parameters has no schema: Gemini rejects an object without properties. */
  private writeDeclaration(tool: Tool): void {
    const tape = this.tape;
    const supportsJsonSchema = this.limits.supportsJsonSchema;
    const properties = tape.member(tool.schema, constant("properties"));
    const isEmpty = tool.schema == NO_NODE || (properties != NO_NODE && tape.isEmpty(properties));
    if (tool.isCustom != 0 || tool.schemaTextLength > 0) {
      this.writeTool(tool, supportsJsonSchema ? JSON_SCHEMA : OLD_SCHEMA);
    } else if (isEmpty || !supportsJsonSchema) {
      this.writeToolHead(tool);
      if (isEmpty) return;
      this.out.span(OLD_SCHEMA);
      this.writeOldSchema(tool.schema);
    } else {
      // Whether calls must match is one setting of the whole request.
      const isStrict = tool.isStrict;
      tool.isStrict = 0;
      this.writeTool(tool, JSON_SCHEMA);
      tool.isStrict = isStrict;
    }
  }

  /** The model chooses by default; beside Google's tools calls must match their schemas then (`AUTO` is not supported). */
  private writeChoice(): void {
    const out = this.out;
    const choice = this.request.toolChoice;
    const isValidated = this.isMixed || (this.limits.signsCalls && this.isStrict());
    if (choice < CHOICE_NONE && !isValidated) return;
    out.span(CALLING);
    if (choice == CHOICE_NAMED) {
      out.text('ANY","allowedFunctionNames":[');
      this.writeChosenTool(out);
      out.text("]}");
    } else if (choice == CHOICE_ANY) out.text('ANY"}');
    else if (choice == CHOICE_NONE) out.text('NONE"}');
    else out.text('VALIDATED"}');
    if (this.isMixed) out.text(',"includeServerSideToolInvocations":true');
    out.byte(0x7d);
  }

  /** Returns whether a tool is strict: then calls must match their schemas. */
  private isStrict(): bool {
    for (let i: u32 = 0; i < this.request.tools.count; i++) {
      if (this.request.tool(i).isStrict != 0) return true;
    }
    return false;
  }
}
