// OpenAI's Chat Completions API, which most providers support.
import { OPENAI_CHAT } from "../../../../contract/dialects";
import { ResponseSink } from "../../../hub/response/events";
import { findReason, FINISH_NONE } from "../../../hub/response/finish-reason";
import { ResponseReader } from "../../../hub/response/response-reader";
import { Translation } from "../../../hub/response/translation";
import { ApiNeeds } from "../../../hub/request/api-needs";
import { EFFORT_UNSET, HubRequest } from "../../../hub/request/request";
import { effortOf } from "../../../hub/request/request-effort";
import { RequestLimits, RequestReport } from "../../../hub/request/request-report";
import { SEARCH_OPTIONS } from "../../../hub/request/web-search";
import { Usage } from "../../../hub/response/usage";
import { Edits } from "../../../bytes/json/edit";
import { readCount } from "../../../bytes/json/number";
import { MemberFinder } from "../../../bytes/json/member-finder";
import { KIND_ARRAY, KIND_NULL, NO_NODE, Tape } from "../../../bytes/json/tape";
import { ByteBuffer, constant, Span } from "../../../bytes/text/bytes";
import { mayHaveMarks } from "../../edit-call-ids";
import { OpenaiDialect } from "../dialect";
import { addSystemPrompt, removeMarks } from "./request/edit";
import { FINISH_REASONS } from "./response/finish-reason";
import { OpenaiChatLimitEdits } from "./request/limit-edits";
import { SUPPORTED } from "./members";
import { EventTexts } from "../../event-texts";
import { Fault } from "../../../hub/faults/fault";
import { ResponseEnding } from "../../response-ending";
import { writeEnding, writeWholeEnding } from "./response/write-ending";
import { markTexts } from "./response/mark-texts";
import { OpenaiChatReader } from "./response/read";
import { paths } from "./paths";
import { readRequest } from "./request/read";
import { readUsage } from "./response/read-usage";
import { OpenaiChatWriter } from "./response/write";
import { OpenaiChatStreamWriter } from "./response/write-stream";
import { ChatRequestWriter } from "./request/write";

const FINISH_MEMBER = constant('"finish_reason":');
const OPEN_BRACE: u32 = 0x7b;
const QUOTE: u32 = 0x22;

export class OpenaiChat extends OpenaiDialect {
  constructor() {
    super(OPENAI_CHAT, SUPPORTED, new ChatRequestWriter(), paths, new OpenaiChatLimitEdits());
    this.finishMember = FINISH_MEMBER;
    this.hasTierBesideUsage = true;
    this.finishWords = FINISH_REASONS;
    // Chunks before the last one have null as the reason.
    this.eventMembers = new MemberFinder(constant('"usage":'), OPEN_BRACE, FINISH_MEMBER, QUOTE);
  }

  readRequest(tape: Tape, request: HubRequest, report: RequestReport): void {
    readRequest(tape, request, report);
  }

  isRequest(tape: Tape): bool {
    return tape.member(0, constant("messages")) != NO_NODE;
  }

  readNeeds(tape: Tape, needs: ApiNeeds): void {
    const effort = tape.member(0, constant("reasoning_effort"));
    needs.effort = effortOf(tape, effort);
    // An unknown word may be an effort of the model's own.
    const isReadable = needs.effort != EFFORT_UNSET || !tape.isPresent(effort);
    needs.hasSearch = tape.isPresent(tape.member(0, constant("web_search_options")));
    const hasTools =
      tape.hasItems(tape.member(0, constant("tools"))) ||
      tape.hasItems(tape.member(0, constant("functions")));
    needs.hasTools = isReadable && hasTools;
  }

  /** OpenAI's own shows no reasoning. */
  carriesReasoning(limits: RequestLimits): bool {
    return limits.supportsReasoningContent || limits.supportsReasoningDetails;
  }

  searches(limits: RequestLimits): bool {
    return limits.webSearch >= SEARCH_OPTIONS;
  }

  reasonsWithTools(limits: RequestLimits): bool {
    return limits.supportsReasoningWithTools;
  }

  editRequest(tape: Tape, systemText: Span, edits: Edits): void {
    if (systemText.length > 0) addSystemPrompt(tape, systemText, edits);
    if (mayHaveMarks(tape)) removeMarks(tape, edits);
  }

  hasOneChoice(tape: Tape): bool {
    const count = tape.member(0, constant("n"));
    return !tape.isPresent(count) || readCount(tape, count) == 1;
  }

  hasAskedUsage(tape: Tape): bool {
    const options = tape.member(0, constant("stream_options"));
    return tape.isTrue(tape.member(options, constant("include_usage")));
  }

  /** If the client had not asked, the extra chunk is removed for it. */
  askUsage(tape: Tape, edits: Edits): bool {
    const options = tape.member(0, constant("stream_options"));
    if (options == NO_NODE) {
      edits.insert(tape.start(0) + 1, constant('"stream_options":{"include_usage":true},'));
      return true;
    }
    if (!tape.isObject(options)) {
      if (tape.isPresent(options)) return false;
      edits.replace(tape.start(options), tape.end(options), constant('{"include_usage":true}'));
      return true;
    }
    const usage = tape.member(options, constant("include_usage"));
    if (tape.isTrue(usage)) return false;
    if (usage != NO_NODE) {
      edits.replace(tape.outerStart(usage), tape.outerEnd(usage), constant("true"));
      return true;
    }
    edits.append(constant('"include_usage":true'));
    if (!tape.isEmpty(options)) edits.append(constant(","));
    edits.insertAppended(tape.start(options) + 1);
    return true;
  }

  newReader(sink: ResponseSink, translation: Translation): ResponseReader {
    return new OpenaiChatReader(sink, translation);
  }

  /** Returns whether a chunk has anything in a delta besides its role, or the reason why a choice ended. */
  isFirstToken(tape: Tape): bool {
    const choices = tape.member(0, constant("choices"));
    if (!tape.isArray(choices)) return false;
    const end = tape.next(choices);
    for (let choice = tape.first(choices); choice < end; choice = tape.next(choice)) {
      if (tape.isString(tape.member(choice, constant("finish_reason")))) return true;
      if (hasText(tape, choice)) return true;
    }
    return false;
  }

  /**
   * Returns whether the event in the tape is the chunk that `stream_options.include_usage` adds: an empty `choices` and a
   * `usage` object (https://platform.openai.com/docs/api-reference/chat/streaming).
   */
  isUsageChunk(tape: Tape): bool {
    const choices = tape.member(0, constant("choices"));
    return (
      tape.isArray(choices) &&
      tape.isEmpty(choices) &&
      tape.isObject(tape.member(0, constant("usage")))
    );
  }

  readUsage(tape: Tape, usage: Usage): void {
    readUsage(tape, tape.member(0, constant("usage")), usage);
  }

  /** The reason of the first choice. */
  readFinish(tape: Tape): i32 {
    const choices = tape.member(0, constant("choices"));
    if (!tape.isArray(choices) || tape.isEmpty(choices)) return FINISH_NONE;
    const reason = tape.member(tape.first(choices), constant("finish_reason"));
    return findReason(FINISH_REASONS, tape, reason);
  }

  markTexts(tape: Tape, texts: EventTexts): void {
    markTexts(tape, texts);
  }

  describes(tape: Tape): u32 {
    return tape.root();
  }

  writeEnding(ending: ResponseEnding, fault: Fault, _requestId: ByteBuffer, out: ByteBuffer): void {
    writeEnding(ending, fault, out);
  }

  writeWholeEnding(ending: ResponseEnding, fault: Fault, out: ByteBuffer): bool {
    writeWholeEnding(ending, fault, out);
    return true;
  }

  newStreamWriter(out: ByteBuffer, translation: Translation): ResponseSink {
    return new OpenaiChatStreamWriter(out, translation);
  }

  newCompleteWriter(out: ByteBuffer, translation: Translation): ResponseSink {
    return new OpenaiChatWriter(out, translation);
  }
}

/** Azure reports on its content filter in choices without a delta. */
function hasText(tape: Tape, choice: u32): bool {
  const delta = tape.member(choice, constant("delta"));
  if (tape.isObject(delta)) return hasContent(tape, delta);
  return (
    tape.isPresent(tape.member(choice, constant("message"))) ||
    tape.isPresent(tape.member(choice, constant("text")))
  );
}

function hasContent(tape: Tape, delta: u32): bool {
  const end = tape.next(delta);
  for (let name = tape.first(delta); name < end; name = tape.next(name + 1)) {
    if (!tape.equals(name, constant("role")) && !isEmpty(tape, name + 1)) return true;
  }
  return false;
}

function isEmpty(tape: Tape, node: u32): bool {
  const kind = tape.kind(node);
  if (kind == KIND_NULL) return true;
  if (kind >= KIND_ARRAY) return tape.isEmpty(node);
  return tape.isString(node) && tape.size(node) == 0;
}
