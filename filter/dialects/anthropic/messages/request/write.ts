// Writes a request of the hub for Anthropic. Its members: members.ts.
// @see https://platform.claude.com/docs/en/api/messages/create
import {
  Block,
  BLOCK_DOCUMENT_URL,
  BLOCK_IMAGE_URL,
  BLOCK_REASONING,
  BLOCK_TEXT,
  CHOICE_ANY,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  FLAG_IN_PLACE,
  FORMAT_SCHEMA,
  NO_HOSTED,
  ROLE_SYSTEM,
  SERVICE_STANDARD,
} from "../../../../hub/request/request";
import {
  BETA_COMPUTER,
  BETA_FAST,
  BETA_MCP,
  BETA_OLDER_COMPUTER,
} from "../../../../hub/request/added-betas";
import { markConversation } from "../../../../hub/request/cache-marks";
import { calledTool, findCalledTools } from "../../../../hub/request/called-tools";
import { DOCUMENT_URLS } from "../../../../hub/request/features";
import { writeMember, writeShortened, writeString } from "../../../../hub/request/request-writing";
import {
  dropForced,
  dropTool,
  HOSTED_CODE,
  HOSTED_COMPUTER,
  HOSTED_MCP,
  HOSTED_SEARCH,
  toolNamed,
} from "../../../../hub/request/hosted-tools";
import { COMPUTER_2025_11 } from "../../../../hub/request/request-report";
import { readScreenSize, screenHeight, screenWidth } from "../../../../hub/request/screen-size";
import { writeServers, writeToolset } from "../../../../hub/request/mcp-toolset";
import {
  ALLOWED_DOMAINS,
  BLOCKED_DOMAINS,
  dropContextSize,
  dropSearchMember,
  MAX_USES,
  ownSearch,
  SEARCH_NONE,
  searchOf,
  writeDomains,
  writeLocation,
} from "../../../../hub/request/web-search";
import { readCount } from "../../../../bytes/json/number";
import { NO_NODE } from "../../../../bytes/json/tape";
import { constant, Span } from "../../../../bytes/text/bytes";
import { openHosted } from "../hosted/edit";
import { HostedRequest, hostedRequest } from "../hosted/hosted-request";
import { keepPair } from "../search-pair";
import { AnthropicTurns } from "./write-messages";

const SEARCH = constant("web_search");
const CODE = constant("code_execution");

const COMPUTER = constant("computer");

const CHOICE_TYPE_NONE = constant(',"tool_choice":{"type":"none"');

/** `metadata.user_id`: maxLength 256. */
const MAX_USER: u32 = 256;

/** `tools[].name`: `^[a-zA-Z0-9_-]{1,128}$`. */
const MAX_NAME: u32 = 128;

export class AnthropicRequestWriter extends AnthropicTurns {
  /** How the target's cloud expects the request; null if the target is at no cloud. */
  private hosted: HostedRequest | null = null;

  protected maxToolName(): u32 {
    return MAX_NAME;
  }

  protected writeRequest(): void {
    const request = this.request;
    const tape = this.tape;
    const limits = this.limits;
    const hosted = hostedRequest(this.report);
    this.hosted = hosted;
    const out = this.out;
    this.fitToolChoice();
    this.keepSearches();
    this.planThinking();
    if (hosted !== null) {
      openHosted(hosted, out, this.report);
    } else {
      out.text('{"model":');
      out.span(this.model);
    }
    out.text(',"max_tokens":');
    if (this.chosenMaxTokens == 0) this.fitMaxTokens(out);
    else out.integer(this.chosenMaxTokens);
    this.dropUnsigned();
    // Before `system` is written, which omits the system texts that stay in place.
    if (limits.supportsSystemMessages) this.keepSystemInPlace();
    markConversation(request, limits.addsCaching, true);
    this.writeSystem();
    out.text(',"messages":[');
    this.writeTurns(false);
    out.byte(0x5d);
    if (hosted !== null) this.rejectUrls();
    if (this.report.fault !== null) return;
    this.writeTools();
    const hasFormat = request.outputFormat == FORMAT_SCHEMA && limits.supportsOutputSchema;
    this.writeThinkingMembers(hasFormat, out);
    if (this.writeSampling(constant(',"top_p":'), out))
      writeMember(tape, request.topK, constant(',"top_k":'), out);
    this.writeStop(constant(',"stop_sequences":['), true, out);
    if (tape.isString(request.user)) {
      out.text(',"metadata":{"user_id":');
      writeShortened(tape.pointer(request.user), tape.size(request.user), MAX_USER, out);
      out.byte(0x7d);
    }
    if (request.serviceTier == SERVICE_STANDARD) out.text(',"service_tier":"standard_only"');
    if (this.writeFastMode(constant('"speed":"fast"'))) this.report.betas |= BETA_FAST;
    const hasStream = hosted === null || hosted.cloud.hasStream;
    if (request.isStreaming && hasStream) out.text(',"stream":true');
    out.byte(0x7d);
  }

  /** How the model searches, SEARCH_: not if a function has the name, which is accepted once. */
  private searchKind(): i32 {
    return toolNamed(this.request, SEARCH) === null ? this.limits.webSearch : SEARCH_NONE;
  }

  /** Keeps the searches of earlier turns that the model can read, if it may search again. */
  private keepSearches(): void {
    const request = this.request;
    if (searchOf(request) == NO_NODE || this.searchKind() == SEARCH_NONE) return;
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (block.kind == BLOCK_REASONING) keepPair(block, this.limits.origin);
    }
  }

  /** Rejects images and documents that a cloud would have to fetch. */
  private rejectUrls(): void {
    const report = this.report;
    for (let i: u32 = 0; i < this.request.blocks.count; i++) {
      const kind = this.request.block(i).kind;
      if (kind != BLOCK_IMAGE_URL && kind != BLOCK_DOCUMENT_URL) continue;
      const what = "has an image or document by URL, which " + report.notSupported(DOCUMENT_URLS);
      report.reject(report.paths.messages.toText(), what);
    }
  }

  /** Writes all system texts in order: one as a string, several or marked ones as blocks. */
  private writeSystem(): void {
    const request = this.request;
    const out = this.out;
    this.replaceUnenforced();
    let count = (this.prompt.length > 0 ? 1 : 0) + (this.instruction.length > 0 ? 1 : 0);
    let isMarked = false;
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (!isTopText(block)) continue;
      count++;
      if (block.cacheLength > 0) isMarked = true;
    }
    if (count == 0) return;
    const isList = count > 1 || isMarked;
    out.text(',"system":');
    if (isList) out.byte(0x5b);
    this.writeSystemText(this.prompt, isList);
    for (let i: u32 = 0; i < request.blocks.count; i++) {
      const block = request.block(i);
      if (!isTopText(block)) continue;
      if (isList) this.writeContentBlock(block);
      else writeString(block.text, block.textLength, out);
    }
    this.writeSystemText(this.instruction, isList);
    if (isList) out.byte(0x5d);
  }

  private writeSystemText(text: Span, isList: bool): void {
    if (text.length == 0) return;
    if (isList) this.begin(constant('{"type":"text","text":'));
    writeString(text.pointer, text.length, this.out);
    if (isList) this.out.byte(0x7d);
  }

  private writeTools(): void {
    const request = this.request;
    const out = this.out;
    const start = out.length;
    for (let i: u32 = 0; i < request.tools.count; i++) {
      const tool = request.tool(i);
      if (tool.isAllowed == 0) continue;
      if (tool.isStrict != 0 && this.hosted !== null && !this.limits.supportsOutputSchema) {
        this.report.dropForModel(constant("tools[].strict"));
        tool.isStrict = 0;
      }
      if (out.length == start) out.text(',"tools":[');
      this.begin(constant('{"name":'));
      this.writeTool(tool, constant(',"input_schema":'));
      this.writeCache(tool.cache, tool.cacheLength);
      out.byte(0x7d);
    }
    this.writeSearch(start);
    this.writeHosted(start);
    if (out.length > start) {
      out.byte(0x5d);
      this.writeToolChoice();
      if (writeServers(request, HOSTED_MCP, out)) this.report.betas |= BETA_MCP;
      return;
    }
    if (this.isToolForced()) this.report.drop(constant("tool_choice"));
    // Anthropic requires the tools of a conversation with tool calls; the client sends none, so the model may call none.
    const count = findCalledTools(request);
    if (count == 0) return;
    out.text(',"tools":[');
    for (let i = 0; i < count; i++) {
      const call = calledTool(request, i);
      this.begin(constant('{"name":'));
      writeString(call.name, call.nameLength, out);
      out.text(',"input_schema":{"type":"object"}}');
    }
    out.byte(0x5d);
    out.span(CHOICE_TYPE_NONE);
    out.byte(0x7d);
  }

  /**
   * Writes the tool that searches the web; `start`: where the list of tools begins. Its first version is the only one that every
   * model and cloud with a search has.
   * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
   */
  private writeSearch(start: u32): void {
    const request = this.request;
    const tape = this.tape;
    const out = this.out;
    const search = ownSearch(request, this.searchKind(), this.report);
    if (search == NO_NODE) return;
    if (out.length == start) out.text(',"tools":[');
    this.begin(constant('{"type":"web_search_20250305","name":"web_search"'));
    const uses = tape.member(search, MAX_USES);
    if (tape.isPresent(uses)) writeMember(tape, uses, constant(',"max_uses":'), out);
    // One of both lists is supported.
    const allows = writeDomains(
      tape,
      search,
      ALLOWED_DOMAINS,
      constant(',"allowed_domains":'),
      out,
    );
    if (allows) dropSearchMember(request, BLOCKED_DOMAINS, this.report);
    else writeDomains(tape, search, BLOCKED_DOMAINS, constant(',"blocked_domains":'), out);
    if (writeLocation(tape, search, constant('"user_location":{"type":"approximate"'), out))
      out.byte(0x7d);
    out.byte(0x7d);
    dropContextSize(request, this.report);
  }

  /**
   * Writes what else the provider runs. The version of code execution is the first one that every model has without a beta.
   * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
   */
  private writeHosted(start: u32): void {
    const request = this.request;
    const out = this.out;
    if (request.hosted.count == 0) return;
    const isCodeTaken = toolNamed(request, CODE) !== null;
    const isComputerTaken = toolNamed(request, COMPUTER) !== null;
    for (let i: u32 = 0; i < request.hosted.count; i++) {
      const tool = request.hosted.at(i);
      if (tool.kind == HOSTED_SEARCH) continue;
      const isComputer = tool.kind == HOSTED_COMPUTER;
      if ((tool.kind == HOSTED_CODE && isCodeTaken) || (isComputer && isComputerTaken)) {
        dropTool(request, tool, this.report);
        continue;
      }
      if (out.length == start) out.text(',"tools":[');
      if (tool.kind == HOSTED_CODE) {
        this.begin(constant('{"type":"code_execution_20250825","name":"code_execution"}'));
      } else if (isComputer) {
        this.writeComputer(tool.node);
      } else {
        this.separate();
        writeToolset(this.tape, tool.node, out);
      }
    }
  }

  /** Writes the tool for a computer with the size of its display, or of what its last screenshot shows. */
  private writeComputer(node: u32): void {
    const out = this.out;
    const tape = this.tape;
    const isNew = this.limits.computer == COMPUTER_2025_11;
    this.begin(constant('{"type":"computer_2025'));
    out.span(isNew ? constant("1124") : constant("0124"));
    readScreenSize(this.request);
    out.text('","name":"computer","display_width_px":');
    const width = readCount(tape, tape.member(node, constant("display_width")));
    out.integer(width > 0 ? width : screenWidth);
    out.text(',"display_height_px":');
    const height = readCount(tape, tape.member(node, constant("display_height")));
    out.integer(height > 0 ? height : screenHeight);
    out.byte(0x7d);
    this.report.betas |= isNew ? BETA_COMPUTER : BETA_OLDER_COMPUTER;
  }

  private writeToolChoice(): void {
    const out = this.out;
    const choice = this.request.toolChoice;
    const isSerial = this.request.needsSerialTools;
    // Thinking excludes a forced tool; of a server's the name is not known.
    const forced = this.request.forcedHosted;
    if (this.isThinking || forced == HOSTED_MCP) dropForced(this.request, forced, this.report);
    const forcesHosted = this.request.forcedHosted != NO_HOSTED;
    if (choice == CHOICE_UNSET && !isSerial && !forcesHosted) return;
    if (choice == CHOICE_NONE) out.span(CHOICE_TYPE_NONE);
    else if (choice == CHOICE_ANY) out.text(',"tool_choice":{"type":"any"');
    else if (forcesHosted) {
      out.text(',"tool_choice":{"type":"tool","name":"');
      out.span(forced == HOSTED_SEARCH ? SEARCH : forced == HOSTED_CODE ? CODE : COMPUTER);
      out.byte(0x22);
    } else if (choice == CHOICE_NAMED) {
      out.text(',"tool_choice":{"type":"tool","name":');
      this.writeChosenTool(out);
    } else out.text(',"tool_choice":{"type":"auto"');
    if (isSerial && choice != CHOICE_NONE) out.text(',"disable_parallel_tool_use":true');
    out.byte(0x7d);
  }
}

function isTopText(block: Block): bool {
  return (
    block.role == ROLE_SYSTEM && block.kind == BLOCK_TEXT && (block.flags & FLAG_IN_PLACE) == 0
  );
}
