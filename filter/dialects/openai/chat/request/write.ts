// Writes a request of the hub as chat completions. Its members: members.ts.
// @see https://platform.openai.com/docs/api-reference/chat/create
import {
  CHOICE_ANY,
  CHOICE_AUTO,
  CHOICE_NAMED,
  CHOICE_NONE,
  CHOICE_UNSET,
  EFFORT_NONE,
  EFFORT_UNSET,
  FORMAT_JSON,
  FORMAT_TEXT,
  SERVICE_STANDARD,
  Tool,
} from "../../../../hub/request/request";
import { markConversation } from "../../../../hub/request/cache-marks";
import { effortWord } from "../../../../hub/request/request-effort";
import { CACHE_KEY_MEMBER, SWITCH_NONE } from "../../../../hub/request/request-limits";
import { WEB_SEARCH } from "../../../../hub/request/features";
import { FAST_MODE } from "../../tier";
import { dropForced, forcesOnlyHosted, HOSTED_SEARCH } from "../../../../hub/request/hosted-tools";
import {
  ALLOWED_DOMAINS,
  BLOCKED_DOMAINS,
  CONTEXT_SIZE,
  dropSearchMember,
  dropSearchSettings,
  MAX_USES,
  ownSearch,
  SEARCH_BROWSER,
  SEARCH_NONE,
  SEARCH_OPTIONS,
  searchOf,
  writeLocation,
} from "../../../../hub/request/web-search";
import {
  isStrictSchema,
  writeMember,
  writeShortened,
  writeString,
  writeValue,
} from "../../../../hub/request/request-writing";
import { NO_NODE } from "../../../../bytes/json/tape";
import { constant, sameSpan, Span } from "../../../../bytes/text/bytes";
import * as member from "../members";
import { switchName, switchValue } from "./thinking-switch";
import { ChatMessages } from "./write-messages";

export const SEED = constant("seed");
/** Mistral's name of it. */
export const RANDOM_SEED = constant("random_seed");
const STOP = constant('"stop":');

/** OpenAI: "Invalid 'user': string too long. Expected a string with maximum length 64". Claude Code's values are longer. */
const MAX_USER: u32 = 64;
/** `stop`: "Up to 4 sequences". */
const MAX_STOPS: u32 = 4;

export class ChatRequestWriter extends ChatMessages {
  /** How the model searches for this request. */
  private search: i32 = SEARCH_NONE;

  protected writeRequest(): void {
    const request = this.request;
    const limits = this.limits;
    const out = this.out;
    const efforts = this.efforts;
    out.text('{"model":');
    out.span(this.model);
    this.fitToolChoice();
    this.search = SEARCH_NONE;
    if (searchOf(request) != NO_NODE) this.planSearch();
    this.planEffort(request.tools.count > 0);
    this.replaceSchema();
    this.hasAddedMarks =
      limits.supportsCacheControl &&
      !limits.cachesByItself &&
      markConversation(request, limits.addsCaching, true);
    this.writeMessages();
    if (this.report.fault !== null) return;
    this.writeTools();
    if (this.search == SEARCH_OPTIONS) this.writeSearchOptions();
    if (this.tape.isPresent(request.maxTokens)) {
      out.span(
        limits.usesMaxCompletionTokens
          ? constant(',"max_completion_tokens":')
          : constant(',"max_tokens":'),
      );
      this.fitMaxTokens(out);
    }
    this.writeSampling();
    const supportsTopK = limits.supportsTopK && efforts.allowsSampling;
    this.writeLimited(request.topK, constant('"top_k":'), constant("top_k"), supportsTopK);
    this.writeStop();
    if (efforts.effort != EFFORT_UNSET) {
      out.text(',"reasoning_effort":"');
      out.span(effortWord(efforts.effort));
      out.byte(0x22);
    }
    this.writeSwitch();
    this.writeFormat();
    this.writeUser();
    if (request.serviceTier == SERVICE_STANDARD) out.text(',"service_tier":"default"');
    this.writeFastMode(FAST_MODE);
    if (!request.features.isEmpty) this.writeFeatures(member.request);
    this.writeCacheKey();
    if (request.isStreaming) {
      out.text(',"stream":true');
      if (limits.supportsStreamUsage) out.text(',"stream_options":{"include_usage":true}');
    }
    out.byte(0x7d);
  }

  protected hostedKinds(): u32 {
    return 0;
  }

  /** Decides how the model searches: not at all in this API, if its provider has another one that does. */
  private planSearch(): void {
    const request = this.request;
    const report = this.report;
    const kind = this.limits.webSearch;
    // Groq: "Browser search is not compatible with structured outputs".
    const isExcluded = kind == SEARCH_BROWSER && request.outputFormat != FORMAT_TEXT;
    const isOwn = kind >= SEARCH_OPTIONS && !isExcluded;
    if (!isOwn && report.hasOtherApi) {
      report.reject("tools", report.notSupported(WEB_SEARCH));
      return;
    }
    if (ownSearch(request, isOwn ? kind : SEARCH_NONE, report) == NO_NODE) return;
    if (kind == SEARCH_OPTIONS && request.toolChoice == CHOICE_NONE) return;
    this.search = kind;
    if (kind == SEARCH_BROWSER) {
      dropSearchSettings(request, report);
      return;
    }
    dropSearchMember(request, MAX_USES, report);
    dropSearchMember(request, ALLOWED_DOMAINS, report);
    dropSearchMember(request, BLOCKED_DOMAINS, report);
    dropForced(request, HOSTED_SEARCH, report);
  }

  /** @see https://platform.openai.com/docs/api-reference/chat/create#chat-create-web_search_options */
  private writeSearchOptions(): void {
    const tape = this.tape;
    const out = this.out;
    const search = searchOf(this.request);
    this.begin(constant('"web_search_options":{'));
    const size = tape.member(search, CONTEXT_SIZE);
    if (tape.isString(size)) writeMember(tape, size, constant('"search_context_size":'), out);
    const place = constant('"user_location":{"type":"approximate","approximate":{');
    if (writeLocation(tape, search, place, out)) out.text("}}");
    out.byte(0x7d);
  }

  protected hasCacheKeyMember(): bool {
    return this.limits.cacheKey == CACHE_KEY_MEMBER;
  }

  protected planEffort(hasTools: bool): void {
    const isSwitched = this.limits.thinkingSwitch != SWITCH_NONE;
    if (isSwitched && this.request.effort == EFFORT_NONE) this.efforts.switchOff(this.limits);
    else super.planEffort(hasTools);
  }

  /** A switch that turns thinking on is all that a budget asks for. */
  protected dropEffort(): void {
    const isSwitched = this.limits.thinkingSwitch != SWITCH_NONE && this.request.isEffortThinking;
    if (!isSwitched || this.efforts.effort != EFFORT_UNSET) super.dropEffort();
  }

  /** Turns thinking on or off, in the provider's own words. */
  private writeSwitch(): void {
    const kind = this.limits.thinkingSwitch;
    const wanted = this.request.effort;
    if (kind == SWITCH_NONE || wanted == EFFORT_UNSET) return;
    const name = switchName(kind);
    const out = this.out;
    out.byte(0x2c);
    writeString(name.pointer, name.length, out);
    out.byte(0x3a);
    out.span(switchValue(kind, wanted != EFFORT_NONE));
  }

  protected sentName(name: Span): Span {
    return this.limits.usesRandomSeed && sameSpan(name, SEED) ? RANDOM_SEED : name;
  }

  /** Writes the first MAX_STOPS sequences. */
  private writeStop(): void {
    const tape = this.tape;
    const stop = this.request.stop;
    const path = this.report.paths.stop;
    const isSupported = this.limits.supportsStop;
    if (tape.isArray(stop) && tape.isEmpty(stop)) return;
    if (!tape.isArray(stop) || !isSupported) {
      this.writeLimited(stop, STOP, path, isSupported);
      return;
    }
    this.begin(STOP);
    this.out.byte(0x5b);
    let count: u32 = 0;
    for (let item = tape.first(stop), end = tape.next(stop); item < end; item = tape.next(item)) {
      if (count++ == MAX_STOPS) {
        this.report.drop(path);
        break;
      }
      this.separate();
      writeValue(tape, item, this.out);
    }
    this.out.byte(0x5d);
  }

  private writeTools(): void {
    const request = this.request;
    const out = this.out;
    let count: u32 = 0;
    for (let i: u32 = 0; i < request.tools.count; i++) {
      const tool = request.tool(i);
      if (tool.isAllowed == 0) continue;
      if (count++ == 0) out.text(',"tools":[');
      this.writeFunction(tool);
    }
    if (this.search == SEARCH_BROWSER) {
      out.span(count++ == 0 ? constant(',"tools":[') : constant(","));
      out.text('{"type":"browser_search"}');
    }
    if (count == 0) return;
    out.byte(0x5d);
    const choice = request.toolChoice;
    if (this.search == SEARCH_BROWSER && forcesOnlyHosted(request, this.report))
      out.text(',"tool_choice":"required"');
    if (choice != CHOICE_UNSET) out.text(',"tool_choice":');
    if (choice == CHOICE_AUTO) out.text('"auto"');
    else if (choice == CHOICE_NONE) out.text('"none"');
    else if (choice == CHOICE_ANY) out.text('"required"');
    else if (choice == CHOICE_NAMED) {
      out.text('{"type":"function","function":{"name":');
      this.writeChosenTool(out);
      out.text("}}");
    }
    if (request.forbidsParallelTools) out.text(',"parallel_tool_calls":false');
  }

  private writeFunction(tool: Tool): void {
    const out = this.out;
    this.begin(constant('{"type":"function","function":{"name":'));
    this.writeTool(tool, constant(',"parameters":'));
    out.byte(0x7d);
    if (this.limits.supportsCacheControl) this.writeCache(tool.cache, tool.cacheLength);
    else if (tool.cacheLength > 0) this.report.drop(this.report.paths.toolCache);
    out.byte(0x7d);
  }

  private writeFormat(): void {
    const out = this.out;
    const format = this.request.outputFormat;
    if (format == FORMAT_TEXT) return;
    if (format == FORMAT_JSON || !this.limits.supportsOutputSchema) {
      out.text(',"response_format":{"type":"json_object"}');
      return;
    }
    out.text(',"response_format":{"type":"json_schema","json_schema":{"name":');
    this.writeNamedSchema(constant('"answer"'));
    if (isStrictSchema(this.tape, this.request.schema)) out.text(',"strict":true');
    out.text("}}");
  }

  private writeUser(): void {
    const tape = this.tape;
    const user = this.request.user;
    if (!tape.isString(user)) return;
    if (!this.limits.supportsUser) {
      this.report.dropForModel(this.report.paths.user);
      return;
    }
    this.out.text(',"user":');
    writeShortened(tape.pointer(user), tape.size(user), MAX_USER, this.out);
  }
}
